"""The Yahoo Streaming Benchmark data set: advertising events as Arrow batches or Parquet files."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

EVENT_TYPES = ("view", "click", "purchase")

# A fixed rate, not a fixed number of windows: rows per window and per group, and so the cost of
# a row, are then the same at every scale. 400,000 rows/s put 4 M rows into each 10 s window
# (133 views per group with 10,000 keys); 40 M rows span 100 s, which is 10 windows.
ROWS_PER_SECOND = 400_000

# 2026-01-01T00:00:00Z, which is also the start of a 10 s window.
START_US = 1_767_225_600_000_000

ROW_GROUP_ROWS = 1_000_000
# Measured 6.9 bytes a row with 10,000 keys and 10.3 with 1 M; used only to ask for disk space.
BYTES_PER_ROW = 12
MANIFEST = "_ysb.json"
FORMAT_VERSION = 1

SCHEMA = pa.schema(
    [
        pa.field("event_type", pa.string()),
        pa.field("campaign_id", pa.int64()),
        pa.field("event_time", pa.timestamp("us", tz="UTC")),
        pa.field("value", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class YsbParameters:
    """Everything that decides the contents of a data set."""

    rows: int
    files: int
    keys: int
    seed: int
    rows_per_second: int

    def __post_init__(self) -> None:
        for name in ("rows", "files", "keys", "rows_per_second"):
            _require_positive(name, getattr(self, name))
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, got {self.seed}")
        if self.files > self.rows:
            raise ValueError(f"{self.files} files need at least as many rows, got {self.rows}")

    def file_rows(self, file: int) -> range:
        """The row numbers that belong into one file."""
        return range(file * self.rows // self.files, (file + 1) * self.rows // self.files)


def ysb_batch(
    rows: int,
    keys: int = 10_000,
    seed: int = 42,
    dictionary: bool = True,
    start_us: int = START_US,
    rows_per_second: int = ROWS_PER_SECOND,
) -> pa.RecordBatch:
    """Events in order of time from start_us on; event_type as dictionary codes or plain strings.

    The generator is seeded with start_us too, so consecutive batches of one stream differ.
    """
    _require_positive("rows", rows)
    _require_positive("keys", keys)
    _require_positive("rows_per_second", rows_per_second)
    random = np.random.default_rng([seed, start_us])
    codes = random.integers(0, len(EVENT_TYPES), rows, dtype=np.int32)
    types = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(EVENT_TYPES))
    campaigns = random.integers(0, keys, rows, dtype=np.int64)
    values = random.integers(0, 100, rows, dtype=np.int64)
    times = start_us + np.arange(rows, dtype=np.int64) * 1_000_000 // rows_per_second
    columns = [
        types if dictionary else types.cast(pa.string()),
        pa.array(campaigns),
        pa.array(times).cast(SCHEMA.field("event_time").type),
        pa.array(values),
    ]
    return pa.record_batch(columns, schema=_schema(dictionary))


def generate(
    directory: Path,
    rows: int,
    files: int = 10,
    keys: int = 10_000,
    seed: int = 42,
    progress: Callable[[int], None] | None = None,
    *,
    rows_per_second: int = ROWS_PER_SECOND,
) -> Path:
    """Write the data set into directory unless it is there already; progress gets rows so far.

    The manifest is written last, so an interrupted run is never taken for a data set.
    """
    parameters = YsbParameters(rows, files, keys, seed, rows_per_second)
    directory = Path(directory)
    _require_usable(directory)
    if not _is_complete(directory, parameters):
        _clear(directory)
        _require_space(directory, rows)
        try:
            _write_all(directory, parameters, progress)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                raise _disk_full(directory, rows) from error
            raise
    elif progress is not None:
        progress(rows)
    return directory


def generate_with_progress(
    directory: Path,
    rows: int,
    files: int = 10,
    keys: int = 10_000,
    seed: int = 42,
    *,
    console: Console | None = None,
) -> Path:
    """Write the data set as `generate` does, and show a progress bar meanwhile."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(f"events in {directory}", total=rows)
        return generate(
            directory, rows, files, keys, seed, lambda done: bar.update(task, completed=done)
        )


def remove(directory: Path) -> None:
    """Delete the data set, and the directory if nothing else is in it."""
    _clear(directory)
    if not any(directory.iterdir()):
        directory.rmdir()


def _write_all(
    directory: Path, parameters: YsbParameters, progress: Callable[[int], None] | None
) -> None:
    """Write every file, then the manifest that declares them complete."""
    sizes: dict[str, int] = {}
    for file in range(parameters.files):
        path = directory / f"ysb-{file:05d}.parquet"
        _write_file(path, parameters, parameters.file_rows(file), progress)
        sizes[path.name] = path.stat().st_size
    manifest = {"version": FORMAT_VERSION, "parameters": asdict(parameters), "files": sizes}
    with _replacing(directory / MANIFEST) as temporary:
        temporary.write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


def _write_file(
    path: Path,
    parameters: YsbParameters,
    rows: range,
    progress: Callable[[int], None] | None,
) -> None:
    """Write one Parquet file of row groups of about a million rows."""
    with (
        _replacing(path) as temporary,
        pq.ParquetWriter(
            temporary,
            _schema(dictionary=True),
            compression="snappy",
            # Every time is distinct: a dictionary would be built, found too large and dropped.
            use_dictionary=["event_type", "campaign_id", "value"],
            # Files look as Spark's do: readers see a string unless they ask for the dictionary.
            store_schema=False,
        ) as writer,
    ):
        for start in range(rows.start, rows.stop, ROW_GROUP_ROWS):
            count = min(ROW_GROUP_ROWS, rows.stop - start)
            writer.write_batch(_part(parameters, start, count), row_group_size=ROW_GROUP_ROWS)
            if progress is not None:
                progress(start + count)


def _part(parameters: YsbParameters, start: int, count: int) -> pa.RecordBatch:
    """The rows start .. start + count of the data set."""
    rate = parameters.rows_per_second
    start_us = START_US + start * 1_000_000 // rate
    return ysb_batch(count, parameters.keys, parameters.seed, True, start_us, rate)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary path that takes the place of `path` on success and vanishes on failure.

    The name starts with a dot, so Spark does not list a file that is still being written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _is_complete(directory: Path, parameters: YsbParameters) -> bool:
    """Does the manifest promise these parameters, and are its files still there?"""
    try:
        manifest = json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
        if manifest["version"] != FORMAT_VERSION or manifest["parameters"] != asdict(parameters):
            return False
        sizes = manifest["files"].items()
        return all((directory / name).stat().st_size == size for name, size in sizes)
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _clear(directory: Path) -> None:
    """Remove what an earlier or interrupted run left, the manifest first."""
    (directory / MANIFEST).unlink(missing_ok=True)
    for pattern in ("ysb-*.parquet", ".ysb-*.parquet.*.tmp", f".{MANIFEST}.*.tmp"):
        for path in directory.glob(pattern):
            path.unlink(missing_ok=True)


def _require_usable(directory: Path) -> None:
    """Make the directory; refuse one whose other Parquet files would mix into the data."""
    if directory.exists() and not directory.is_dir():
        raise NotADirectoryError(f"{directory} is a file; give a directory for the data set")
    directory.mkdir(parents=True, exist_ok=True)
    for path in _foreign_files(directory):
        raise FileExistsError(
            f"{directory} holds {path.name}, which is not part of this data set; "
            "give an empty directory"
        )


def _foreign_files(directory: Path) -> Iterator[Path]:
    """Parquet files that `generate` did not write."""
    return (p for p in directory.glob("*.parquet") if not p.name.startswith("ysb-"))


def _require_space(directory: Path, rows: int) -> None:
    if shutil.disk_usage(directory).free < rows * BYTES_PER_ROW:
        raise _disk_full(directory, rows)


def _disk_full(directory: Path, rows: int) -> OSError:
    """The error that says where space is missing and how much."""
    free = shutil.disk_usage(directory).free
    return OSError(
        errno.ENOSPC,
        f"not enough disk space in {directory}: {rows:,} rows need about "
        f"{rows * BYTES_PER_ROW:,} bytes, {free:,} are free",
    )


def _require_positive(name: str, value: int) -> None:
    if value <= 0:
        raise ValueError(f"{name} must be positive, got {value}")


def _schema(dictionary: bool) -> pa.Schema:
    """The schema, with event_type as dictionary codes when asked for."""
    if not dictionary:
        return SCHEMA
    coded = pa.field("event_type", pa.dictionary(pa.int32(), pa.string()))
    return SCHEMA.set(0, coded)
