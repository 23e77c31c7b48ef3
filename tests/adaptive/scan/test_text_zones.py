"""Times in text that have no zone are in that of the reader, however they are read."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cache

import pytest

import ir
from adaptive.scan.csv_records import CsvLines
from adaptive.scan.json_records import read_record
from adaptive.scan.json_shapes import shape_of
from adaptive.scan.text_blocks import Block
from adaptive.scan.text_rows import TextRows
from codegen_llvm import CompiledReader, CsvForm, compile_csv_reader, compile_json_reader
from codegen_llvm.text_abi import PADDING
from ir.parsing_times import parse_timestamp
from ir.regions import SHORT_IDS, Regions, WrittenTimes, local_times
from ir.zones import Zone
from tests.time_texts import moments_of, time_text
from tests.zones import APIA, LORD_HOWE, NEW_YORK, ZONES

REGIONS = Regions({zone.name: zone for zone in ZONES}, SHORT_IDS)
SCHEMA = ir.Schema((ir.Field("time", ir.TIMESTAMP),))
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
ENDINGS = ("", "", "", ".5", ".123456", "Z", ".25Z", "+01:00")


@cache
def json_reader(zone: Zone, shaped: bool) -> CompiledReader:
    usual = [b'{"time":"2026-01-02T03:04:05"}'] * 4
    shape = shape_of(usual, frozenset(SCHEMA.names)) if shaped else None
    assert not shaped or shape is not None
    return compile_json_reader(SCHEMA, shape=shape, zone=zone)


def texts(zone: Zone) -> list[str]:
    """Times around the changes of a zone, and odd ones, which the host reads."""
    rng = random.Random(3)
    changes = [when for when in zone.changes_s if when > -60_000_000_000]
    changes += [when for when, _ in zone.by_rules(2040, 2050)] if zone.rules else []
    made = [
        "2026-1-2",
        "2026-01-02",
        "T3:4",
        "3:4:5 America/New_York",
        "2026-07-02 3:4",
        "2026-07-02 03:04:05 GMT",
        "",
    ]
    for change in changes * 6:
        local = EPOCH + timedelta(seconds=change + rng.randint(-100_000, 100_000))
        made.append(local.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + rng.choice(ENDINGS))
    made += [time_text(rng, moment, list(REGIONS.zones)) for moment in moments_of(rng, zone, 50)]
    return [text.replace("\t", " ").replace("\n", " ") for text in made]


def found(rows: TextRows, lines: Sequence[str]) -> list[int | None]:
    text = "\n".join(lines).encode()
    block = Block(bytearray(text) + bytes(PADDING), len(text), True)
    times: list[int | None] = []
    for batch in rows.batches([block]):
        times += batch.column(0).cast("int64").to_pylist()
    return sorted(times, key=lambda time: -(2**63) if time is None else time)


def moment(text: str, times: WrittenTimes) -> int | None:
    """Spark leaves GMT out of what is no time otherwise."""
    found = parse_timestamp(text, times)
    return parse_timestamp(text.replace("GMT", ""), times) if found is None else found


def wanted(zone: Zone) -> list[int | None]:
    times = [moment(text, WrittenTimes(zone, REGIONS)) for text in texts(zone)]
    return sorted(times, key=lambda time: -(2**63) if time is None else time)


@pytest.mark.parametrize("zone", [NEW_YORK, LORD_HOWE, APIA], ids=lambda zone: zone.name)
@pytest.mark.parametrize("shaped", [False, True])
def test_json(zone: Zone, shaped: bool) -> None:
    rows = TextRows(
        SCHEMA,
        json_reader(zone, shaped),
        lambda line: read_record(line, SCHEMA, times=WrittenTimes(zone, REGIONS)).rows,
    )
    assert found(rows, [f'{{"time":"{text}"}}' for text in texts(zone)]) == wanted(zone)


@pytest.mark.parametrize("zone", [NEW_YORK, LORD_HOWE, APIA], ids=lambda zone: zone.name)
def test_csv(zone: Zone) -> None:
    exact = CsvLines(SCHEMA, (1,), CsvForm(), 2, times=WrittenTimes(zone, REGIONS))
    reader = compile_csv_reader(SCHEMA, (1,), CsvForm(), 2, zone)
    rows = TextRows(SCHEMA, reader, lambda line: exact.read(line).rows)
    assert found(rows, [f"x,{text}" for text in texts(zone)]) == wanted(zone)


def test_a_gap_and_an_overlap() -> None:
    """Half past two does not come, and half past one comes twice."""
    times = WrittenTimes(NEW_YORK, REGIONS)
    for local, utc in (("03-10 02:30:00", "03-10 07:30:00"), ("11-03 01:30:00", "11-03 05:30:00")):
        moment = parse_timestamp(f"2024-{utc}Z", times)
        assert parse_timestamp(f"2024-{local}", times) == moment
        assert parse_timestamp(f"2024-{local} America/New_York", local_times()) == moment
