"""The scan of a task: a listing of files in, their rows out."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from adaptive.scan import (
    ArrowScan,
    CompletedParquet,
    ConstantColumns,
    CorruptRecords,
    CsvScan,
    JsonScan,
    ListedFile,
    ParquetScan,
    Piece,
    RecordMode,
    Scan,
    ScanError,
    Share,
    Storage,
    TimeUse,
    timed_rows,
)
from adaptive.scan.needed_rows import ALL_ROWS, NeededRows
from adaptive.scan.storage import LOCAL
from adaptive.spark.text_sources import FIELDS_OPTION, PUSHED_OPTION, TIMES_OPTION, csv_form
from ir import Expr, Filter, Schema, from_json
from ir.regions import WrittenTimes, written_times

# The columns of a listing.
PATH = "path"
SIZE = "size"
SHARE = "share"

logger = logging.getLogger(__name__)


def partition(number: int) -> str:
    """The listing's column for the partition column with this number."""
    return f"partition{number}"


class TaskSettings:
    """Reader options, and behind them the session's settings at the time the query runs."""

    def __init__(self, options: dict[str, str], storage: Storage = LOCAL) -> None:
        self._options = {key.lower(): value for key, value in options.items()}
        self.storage = storage

    @property
    def options(self) -> dict[str, str]:
        """All reader options, by their names in lower case."""
        return self._options

    def option(self, name: str) -> str | None:
        """A reader option by its name in lower case."""
        return self._options.get(name)

    def flag(self, setting: str) -> bool:
        """A setting that is true or false; the option of the same name comes first."""
        option = self._options.get(setting.rpartition(".")[2].lower())
        value = session_setting(setting) if option is None else option
        return (value or "").lower() == "true"


def session_setting(name: str) -> str | None:
    """Spark sends the session's settings along with each task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return None if context is None else context.getLocalProperty(name)


def parquet_scan(schema: Schema, settings: TaskSettings) -> ParquetScan:
    """The scan of Parquet files."""
    return ParquetScan(schema, settings.flag("spark.sql.caseSensitive"), storage=settings.storage)


def arrow_scan(schema: Schema, settings: TaskSettings) -> ArrowScan:
    """The scan of Arrow IPC files."""
    return ArrowScan(schema, settings.flag("spark.sql.caseSensitive"), storage=settings.storage)


def json_scan(schema: Schema, settings: TaskSettings) -> JsonScan:
    """The scan of JSON lines."""
    corrupt, pushed = _corrupt_records(schema, settings), _pushed_filters(settings)
    return JsonScan(schema, corrupt, pushed, settings.storage, _times(settings))


def csv_scan(schema: Schema, settings: TaskSettings) -> CsvScan:
    """The scan of CSV files."""
    return CsvScan(
        schema,
        tuple(json.loads(settings.option(FIELDS_OPTION.lower()) or "[]")),
        csv_form(settings.options),
        (settings.option("header") or "").lower() == "true",
        _corrupt_records(schema, settings),
        _pushed_filters(settings),
        settings.storage,
        _times(settings),
    )


def _corrupt_records(schema: Schema, settings: TaskSettings) -> CorruptRecords:
    mode = RecordMode.named(settings.option("mode"))
    column = settings.option("columnnameofcorruptrecord")
    return CorruptRecords(mode, column if column in schema.names else None)


def _pushed_filters(settings: TaskSettings) -> tuple[Expr, ...]:
    """What Spark's reader would drop rows by while it reads them, where that matters."""
    text = settings.option(PUSHED_OPTION.lower())
    nodes = () if text is None else from_json(text).walk()
    return tuple(node.predicate for node in nodes if isinstance(node, Filter))


def _times(settings: TaskSettings) -> WrittenTimes | None:
    """What times mean that are written as text."""
    text = settings.option(TIMES_OPTION.lower())
    return written_times(text) if text else None


# By the short name that Spark has for the format, in lower case.
SCANS: dict[str, Callable[[Schema, TaskSettings], Scan]] = {
    "parquet": parquet_scan,
    "arrow": arrow_scan,
    "json": json_scan,
    "csv": csv_scan,
}


@dataclass(frozen=True)
class FileRows:
    """How a task reads files; it travels with the task, so it holds only data.

    A listing has the columns PATH and, by position, PARTITION columns; where several
    tasks share it, SIZE and SHARE as well.
    """

    format: str = "parquet"
    options: tuple[tuple[str, str], ...] = ()
    partitions: tuple[str, ...] = ()  # columns of directories, in the order of the listing
    tasks: int = 1  # that see the same listing and share its files
    least_bytes: int = 1  # of such a task
    storage: Storage = LOCAL

    def read(
        self,
        listing: Iterable[pa.RecordBatch],
        schema: Schema,
        use: TimeUse | None = None,
        change: Callable[[pa.RecordBatch], pa.RecordBatch] = lambda rows: rows,
        needed: NeededRows = ALL_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """The rows of all files of a listing, without event times that nobody needs.

        `change` makes of rows what the plan of `use` is about. Rows that are not needed
        may be left out.
        """
        settings = TaskSettings(dict(self.options), self.storage)
        stored = Schema(tuple(f for f in schema if f.name not in self.partitions))
        scan = SCANS[self.format](stored, settings)
        if isinstance(scan, ParquetScan):
            is_late = not settings.flag("spark.sql.files.ignoreCorruptFiles")
            scan = replace(scan, ranges=needed.ranges, is_late=is_late)
            scan = replace(scan, filters=needed.filters, left_out=needed.left_out)
        files = (self._file(listed, schema) for listed in self._listed(listing))
        # A broken file counts up to where it breaks, so its row groups must come in order.
        if (
            use is None
            or not isinstance(scan, ParquetScan)
            or settings.flag("spark.sql.files.ignoreCorruptFiles")
        ):
            for piece, constants in files:
                rows = map(constants.completed, _piece_rows(scan, piece, settings))
                yield from map(change, rows)
            return
        opened = (_opened(scan, piece, constants, settings) for piece, constants in files)
        yield from timed_rows([file for file in opened if file is not None], use, change)

    def _listed(self, listing: Iterable[pa.RecordBatch]) -> Iterator[tuple[Piece, list[pa.Scalar]]]:
        """What this task reads of the files of a listing, each with its partition values."""
        if self.tasks == 1:
            for batch in listing:
                for row, path in enumerate(batch.column(PATH).to_pylist()):
                    yield Piece(path), self._values(batch, row)
            return
        rows = [(batch, row) for batch in listing for row in range(batch.num_rows)]
        if not rows:
            return
        files = [ListedFile(_at(*row, PATH), _at(*row, SIZE)) for row in rows]
        share = Share(_at(*rows[0], SHARE), self.tasks, self.least_bytes)
        for position, piece in share.pieces(files, self.format):
            yield piece, self._values(*rows[position])

    def _values(self, batch: pa.RecordBatch, row: int) -> list[pa.Scalar]:
        return [batch.column(partition(n))[row] for n in range(len(self.partitions))]

    def _file(
        self, listed: tuple[Piece, list[pa.Scalar]], schema: Schema
    ) -> tuple[Piece, ConstantColumns]:
        piece, values = listed
        return piece, ConstantColumns(schema, dict(zip(self.partitions, values, strict=True)))


def _at(batch: pa.RecordBatch, row: int, column: str) -> Any:
    return batch.column(column)[row].as_py()


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


def _opened(
    scan: ParquetScan, piece: Piece, constants: ConstantColumns, settings: TaskSettings
) -> CompletedParquet | None:
    """A file, or None if it is missing and that is allowed."""
    try:
        return CompletedParquet(scan.open(piece), constants)
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
