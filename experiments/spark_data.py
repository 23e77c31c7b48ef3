"""The files of the experiment `spark`: Parquet and JSON lines, made once for each size."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from adaptive.demo.ysb_data import EVENT_TYPES, ROW_GROUP_ROWS, START_US, ysb_batch

SEED = 42
FILES = 10
CAMPAIGNS = 10_000
# Of the original benchmark: a hundred campaigns with ten advertisements each.
ADS, ADS_OF_A_CAMPAIGN = 1_000, 10
SLIDING_KEYS = 1_000
SLIDING_ROWS_PER_SECOND = 40_000  # 4 million rows are 100 s, so windows of 60 s fill up
TRIGGER_ROWS = 100_000
FILTER_COLUMNS = ("a", "b", "c", "d", "e")
FILTER_RANGE = 1_000  # values of each of these columns
VERSION = 1  # of what is written: another one makes all files anew

Parts = Iterator[pa.RecordBatch]


def data_folder() -> Path:
    """Where the files are kept for the next run."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "kodiak", "spark-experiment")


def kept(name: str, write: Callable[[Path], None]) -> Path:
    """The folder of a data set; one that was left unfinished is made again."""
    folder = data_folder() / f"{name}-v{VERSION}"
    if not folder.exists():
        unfinished = folder.with_name(f".{folder.name}.{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        write(unfinished)
        unfinished.rename(folder)
    return folder


def ids(kind: str, count: int) -> list[str]:
    """Texts of 36 characters, as the benchmark has them."""
    return [str(uuid.uuid5(uuid.NAMESPACE_URL, f"{kind}/{number}")) for number in range(count)]


def ad_campaigns() -> list[tuple[str, str]]:
    """The campaign of each advertisement."""
    campaigns = ids("campaign", ADS // ADS_OF_A_CAMPAIGN)
    return [(ad, campaigns[n // ADS_OF_A_CAMPAIGN]) for n, ad in enumerate(ids("ad", ADS))]


def ysb(rows: int) -> Path:
    """Events with numbers as keys."""
    return kept(f"ysb-{rows}", lambda folder: _write(folder, rows, ysb_batch))


def sliding(rows: int) -> Path:
    """The same, slower and with fewer keys."""

    def batch(count: int, start_us: int) -> pa.RecordBatch:
        return ysb_batch(
            count, SLIDING_KEYS, start_us=start_us, rows_per_second=SLIDING_ROWS_PER_SECOND
        )

    def write(folder: Path) -> None:
        _write(folder, rows, batch, rows_per_second=SLIDING_ROWS_PER_SECOND)

    return kept(f"sliding-{rows}", write)


def small_files(rows: int) -> Path:
    """Files of one micro-batch each."""
    files = max(1, rows // TRIGGER_ROWS)
    return kept(f"small-{rows}", lambda folder: _write(folder, rows, ysb_batch, files))


def texts(rows: int) -> Path:
    """Events with texts as keys."""
    return kept(
        f"texts-{rows}", lambda folder: _write(folder, rows, _text_batch("campaign", CAMPAIGNS))
    )


def ads(rows: int) -> Path:
    """Events of advertisements; their campaigns are elsewhere."""
    return kept(f"ads-{rows}", lambda folder: _write(folder, rows, _text_batch("ad", ADS)))


def numbers(rows: int) -> Path:
    """Five columns of numbers that do not depend on each other."""
    return kept(f"numbers-{rows}", lambda folder: _write(folder, rows, _number_batch))


def json_lines(rows: int) -> Path:
    """The events of `ysb` as text."""
    return kept(f"json-{rows}", lambda folder: _write_json(folder, rows))


def _text_batch(kind: str, count: int) -> Callable[[int, int], pa.RecordBatch]:
    """Events whose `campaign_id` is replaced by a text of that kind."""
    values = pa.array(ids(kind, count))

    def batch(rows: int, start_us: int) -> pa.RecordBatch:
        events = ysb_batch(rows, count, start_us=start_us)
        codes = events.column("campaign_id").cast(pa.int32())
        keys = pa.DictionaryArray.from_arrays(codes, values)
        return events.drop_columns(["campaign_id"]).append_column(f"{kind}_id", keys)

    return batch


def _number_batch(rows: int, start_us: int) -> pa.RecordBatch:
    random = np.random.default_rng([SEED, start_us])
    columns = [pa.array(random.integers(0, FILTER_RANGE, rows)) for _ in FILTER_COLUMNS]
    return pa.record_batch(columns, names=list(FILTER_COLUMNS))


def _file_rows(rows: int, files: int) -> Iterator[range]:
    files = min(files, rows)
    for number in range(files):
        yield range(number * rows // files, (number + 1) * rows // files)


def _write(
    folder: Path,
    rows: int,
    batch: Callable[..., pa.RecordBatch],
    files: int = FILES,
    rows_per_second: int = 400_000,
) -> None:
    """Parquet files as Spark writes them: row groups of a million rows, codes where they pay."""
    for number, part in enumerate(_file_rows(rows, files)):
        pieces = []
        for start in range(part.start, part.stop, ROW_GROUP_ROWS):
            count = min(ROW_GROUP_ROWS, part.stop - start)
            pieces.append(batch(count, start_us=START_US + start * 1_000_000 // rows_per_second))
        pq.write_table(
            pa.Table.from_batches(pieces),
            folder / f"part-{number:05d}.parquet",
            row_group_size=ROW_GROUP_ROWS,
            # Every time is distinct: a dictionary would be built, found too large and dropped.
            use_dictionary=[name for name in pieces[0].schema.names if name != "event_time"],
            store_schema=False,
        )


def _write_json(folder: Path, rows: int) -> None:
    for number, part in enumerate(_file_rows(rows, FILES)):
        start_us = START_US + part.start * 1_000_000 // 400_000
        events = ysb_batch(len(part), CAMPAIGNS, start_us=start_us, dictionary=False)
        # The values of the lines, one behind the other, are the texts as they are to be written.
        data = _json_texts(events).buffers()[2]
        (folder / f"part-{number:05d}.json").write_bytes(data)


def _json_texts(events: pa.RecordBatch) -> pa.StringArray:
    """A line for each event; hundreds of events share a millisecond, which is made text once."""
    kind, key, time, value = (
        events.column(name) for name in ("event_type", "campaign_id", "event_time", "value")
    )
    coded = time.cast(pa.timestamp("ms"), safe=False).dictionary_encode()
    moments = pc.strftime(coded.dictionary, "%Y-%m-%dT%H:%M:%S").take(coded.indices)
    return pc.binary_join_element_wise(
        '{"event_type":"',
        kind,
        '","campaign_id":',
        key.cast(pa.string()),
        ',"event_time":"',
        moments,
        'Z","value":',
        value.cast(pa.string()),
        "}\n",
        "",
    )


assert EVENT_TYPES[0] == "view"  # what the queries select, a third of the events
