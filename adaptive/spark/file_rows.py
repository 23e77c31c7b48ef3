"""The scan of a task: a listing of files in, their rows out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from adaptive.scan import OpenParquet, ParquetScan, Piece, Scan, ScanError, TimeUse, timed_rows
from ir import Schema

logger = logging.getLogger(__name__)


class TaskSettings:
    """Reader options, and behind them the session's settings at the time the query runs."""

    def __init__(self, options: dict[str, str]) -> None:
        self._options = {key.lower(): value for key, value in options.items()}

    def option(self, name: str) -> str | None:
        """A reader option by its name in lower case."""
        return self._options.get(name)

    def flag(self, setting: str) -> bool:
        """A setting that is true or false; the option of the same name comes first."""
        option = self._options.get(setting.rpartition(".")[2].lower())
        value = _session_setting(setting) if option is None else option
        return (value or "").lower() == "true"


def _session_setting(name: str) -> str | None:
    """Spark sends the session's settings along with each task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return None if context is None else context.getLocalProperty(name)


def parquet_scan(schema: Schema, settings: TaskSettings) -> ParquetScan:
    """The scan of Parquet files."""
    return ParquetScan(schema, settings.flag("spark.sql.caseSensitive"))


# By the short name that Spark has for the format, in lower case.
SCANS: dict[str, Callable[[Schema, TaskSettings], Scan]] = {"parquet": parquet_scan}


@dataclass(frozen=True)
class FileRows:
    """How a task reads files; it travels with the task, so it holds only data."""

    format: str = "parquet"
    options: tuple[tuple[str, str], ...] = ()

    def read(
        self, listing: Iterable[pa.RecordBatch], schema: Schema, use: TimeUse | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The rows of all files of a listing, without event times that nobody needs."""
        settings = TaskSettings(dict(self.options))
        scan = SCANS[self.format](schema, settings)
        # A broken file counts up to where it breaks, so its row groups must come in order.
        if (
            use is None
            or not isinstance(scan, ParquetScan)
            or settings.flag("spark.sql.files.ignoreCorruptFiles")
        ):
            for piece in _pieces(listing):
                yield from _piece_rows(scan, piece, settings)
            return
        opened = (_opened(scan, piece, settings) for piece in _pieces(listing))
        yield from timed_rows([file for file in opened if file is not None], use)


def _pieces(listing: Iterable[pa.RecordBatch]) -> Iterator[Piece]:
    """What the rows of a listing stand for."""
    for batch in listing:
        for path in batch.column(0).to_pylist():
            yield Piece(path)


def _piece_rows(scan: Scan, piece: Piece, settings: TaskSettings) -> Iterator[pa.RecordBatch]:
    """The batches of a piece, with Spark's settings for files that are missing or broken."""
    try:
        yield from scan.read(piece)
    except FileNotFoundError as error:
        _pass_over_missing(piece, settings, error)
    except ScanError as error:
        if not settings.flag("spark.sql.files.ignoreCorruptFiles"):
            raise
        logger.warning("skipped the rest of a corrupted file: %s", error)


def _opened(scan: ParquetScan, piece: Piece, settings: TaskSettings) -> OpenParquet | None:
    """A file, or None if it is missing and that is allowed."""
    try:
        return scan.open(piece)
    except FileNotFoundError as error:
        _pass_over_missing(piece, settings, error)
        return None


def _pass_over_missing(piece: Piece, settings: TaskSettings, error: FileNotFoundError) -> None:
    """Nothing more of a file that has vanished, if that is allowed."""
    if not settings.flag("spark.sql.files.ignoreMissingFiles"):
        raise ScanError(
            "FAILED_READ_FILE.FILE_NOT_EXIST",
            piece.path,
            "the file has vanished; set ignoreMissingFiles to skip such files",
        ) from error
    logger.warning("skipped missing file %s", piece.path)


PARQUET = FileRows()
