"""Readers for lines of one shape give what the exact reader gives, whatever the lines are."""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path

import pyarrow as pa
import pytest

import ir
from adaptive.scan import JsonScan, Piece, json_lines
from adaptive.scan.json_records import read_record
from adaptive.scan.json_shapes import LEAST_BYTES, ShapeBet, shape_of
from adaptive.scan.text_blocks import Block
from adaptive.scan.text_rows import TextRows, rows_batch
from codegen_llvm import CompiledReader, Shape, ShapeField, TimeForm, compile_json_reader
from codegen_llvm.text_abi import PADDING, TextArgs
from tests.json_texts import random_line

SCHEMA = ir.Schema(
    (
        ir.Field("kind", ir.STRING),
        ir.Field("big", ir.INT64),
        ir.Field("time", ir.TIMESTAMP),
        ir.Field("number", ir.INT32),
        ir.Field("flag", ir.BOOL),
        ir.Field("ratio", ir.FLOAT64),
        ir.Field("day", ir.DATE),
        ir.Field("price", ir.decimal(9, 2)),
    )
)
NAMES = frozenset(SCHEMA.names)
LINE = (
    b'{"kind":"view","big":12,"other":"x","time":"2026-01-02T03:04:05.123Z",'
    b'"number":-7,"flag":true,"ratio":1.5,"day":"2026-01-02"}'
)
# What takes the place of a value of that line, in the same column.
OTHERS: dict[bytes, Sequence[bytes]] = {
    b'"view"': [
        *(b'""', b'"a"', b'"12345678"', b'"123456789"', b'"' + 31 * b"x" + b'"'),
        *(b'"' + 32 * b"y" + b'"', b'"' + 33 * b"z" + b'"', b'"' + 100 * b"w" + b'"'),
        *('"größe"'.encode(), b'"a\\"b"', b'"a\\u0041"', b'"a\tb"', b'"\xff"', b"7", b'"open'),
    ],
    b"12": [
        *(b"0", b"7", b"-0", b"00", b"012", b"-", b"-12", b"1234567", b"12345678", b"123456789"),
        *(b"1234567890123456", b"12345678901234567", b"123456789012345678", b"9" * 19, b"1" * 20),
        *(b"-9223372036854775808", b"1.5", b"1e2", b"1/", b"1:", b'"5"', b"1 ", b"true"),
    ],
    b'"x"': [
        *(b"1", b"-1.5e3", b"{}", b'{"a":[1,"\\n"]}', b'"\\q"', b'"a\\"b"', b"tru", b'"\xc3\xa9"'),
    ],
    b'"2026-01-02T03:04:05.123Z"': [
        b'"%s"' % text
        for text in (
            *(b"2026-01-02T03:04:05Z", b"2026-01-02 23:59:59.999Z", b"2026-01-02T24:00:00.000Z"),
            *(
                b"2026-01-02T03:60:05.123Z",
                b"2026-01-02T03:04:60.123Z",
                b"0000-01-02T03:04:05.1Z",
            ),
            *(
                b"2026-02-29T03:04:05.123Z",
                b"2024-02-29T03:04:05.123Z",
                b"1969-12-31T23:59:59.9Z",
            ),
            *(b"2026-01-02T03:04:05.%sZ" % (b"987654321"[:n] + n // 10 * b"0") for n in range(12)),
            *(b"2026-01-02T03:04:05.123", b"2026-01-02T03:04:05.123+05:30", b"5", b"", b"x"),
            *(b"2026-01-02T03:04:05.123-18:00", b"2026-01-02T03:04:05.12:Z", b"2026-01-02"),
            *(b"2026-01-02T03;04:05.123Z", b"2026-01-02T03:0/:05.123Z", b"2026-01-02T3:04:05.1Z"),
            *(b"2026-01-02T03:04:05,123Z", b"2026-01-02T03:04:05.123z", b"2026-01-02X03:04:05.1Z"),
            bytes(24),
        )
    ],
    b"-7": [b"2147483647", b"2147483648", b"-2147483649", b"1.0"],
    b"true": [b"false", b"tru", b"truex", b"0"],
    b"1.5": [b"7", b"-0", b"1e400", b'"NaN"', b"NaN", b"1."],
    b'"2026-01-02"}': [
        *(b'"2026-02-30"}', b'"2026-1-2"}', b'"2024-02-29"} ', b'"5"}}', b'"5"} x', b"null}"),
    ],
}


def _exact(line: bytes) -> list[dict[str, object]]:
    return list(read_record(line, SCHEMA).rows)


def _block(text: bytes) -> Block:
    return Block(bytearray(text) + bytes(PADDING), len(text), True)


class _Always:
    """A bet that is never dropped."""

    def __init__(self, reader: CompiledReader) -> None:
        self._reader, self.records, self.missed = reader, 0, 0

    def reader(self, block: Block) -> CompiledReader | None:
        return self._reader

    def judge(self, records: int, missed: int) -> None:
        self.records, self.missed = self.records + records, self.missed + missed


@lru_cache
def _reader(shape: Shape | None) -> CompiledReader:
    return compile_json_reader(SCHEMA, shape=shape)


def _check(lines: Sequence[bytes], shape: Shape, ending: bytes = b"\n", last: bytes = b"") -> int:
    """Compare with the exact reader, in batches of three rows; how many lines had no such shape."""
    bet = _Always(_reader(shape))
    rows = TextRows(SCHEMA, _reader(None), _exact, 3, bet)
    block = _block(ending.join(lines) + last)
    found = [row for batch in rows.batches([block]) for row in _plain(batch)]
    exact = [row for line in lines for row in _exact(line)]
    expected = _plain(rows_batch(exact, SCHEMA))
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    assert bet.records >= len([line for line in lines if line])
    return bet.missed


def _plain(batch: pa.RecordBatch) -> list[dict[str, object]]:
    """Rows with times as numbers: Python has not all of them."""
    numbers = {"time": pa.int64(), "day": pa.int32()}
    columns = [
        batch.column(name).cast(numbers[name]) if name in numbers else batch.column(name)
        for name in SCHEMA.names
    ]
    return list(pa.record_batch(columns, names=list(SCHEMA.names)).to_pylist())


def _shape(*lines: bytes) -> Shape:
    shape = shape_of(lines, NAMES)
    assert shape is not None
    return shape


def test_lines_of_the_shape_are_not_missed() -> None:
    lines = [LINE.replace(b"12,", b"%d," % n) for n in range(0, 2000, 7)]
    assert _check(lines, _shape(LINE)) == 0
    assert _check(lines, _shape(LINE), b"\r\n", b"\r\n") == 0


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_values_of_all_kinds_between_lines_of_the_shape(ending: bytes) -> None:
    """First, last and in between; each value alone, so that the others cannot hide it."""
    odd = [LINE.replace(value, other, 1) for value in OTHERS for other in OTHERS[value]]
    odd += [LINE.replace(value, b"null", 1) for value in OTHERS if not value.endswith(b"}")]
    odd = [line for line in odd if _is_sure(line)]
    lines = [line for one in odd for line in (one, LINE)]
    missed = _check(lines, _shape(LINE), ending)
    assert len(odd) / 2 < missed <= len(odd)
    _check(lines[1:], _shape(LINE), ending, ending)


def test_nulls_that_the_shape_knows() -> None:
    nulls = [LINE.replace(value, b"null", 1) for value in (b'"view"', b"12", b"true", b"1.5")]
    nulls.append(LINE.replace(b'"2026-01-02T03:04:05.123Z"', b"null"))
    shape = _shape(LINE, *nulls)
    assert _check([LINE, *nulls, LINE], shape) == 0


@pytest.mark.parametrize("seed", range(3))
def test_random_lines_and_a_shape_that_some_have(seed: int) -> None:
    rng = random.Random(seed)
    lines = [line for line in (random_line(rng, 0.1) for _ in range(900)) if _is_sure(line)]
    kinds = [line for line in lines if shape_of([line], NAMES) is not None and _is_good(line)]
    for model in rng.sample(kinds, 1):
        mixed = [line for line in lines for line in (line, model) if rng.random() < 0.7]
        missed = _check(mixed, _shape(model), rng.choice([b"\n", b"\r\n"]))
        assert missed > 0


def _is_sure(line: bytes) -> bool:
    try:
        read_record(line, SCHEMA)
    except ValueError:
        return False
    return b"\r" not in line and b"\n" not in line


def _is_good(line: bytes) -> bool:
    return not read_record(line, SCHEMA).is_bad


def test_damage_of_one_byte() -> None:
    """Any byte left out, doubled or replaced, in a line between two that are whole."""
    shape = _shape(LINE)
    for odd in (b"", b'"', b"\\", b"}", b" ", b"0", b"\x00", b"\x80", b"-"):
        lines = [LINE[:n] + odd + LINE[n + 1 :] for n in range(len(LINE))]
        lines = [line for line in lines if _is_sure(line)]
        _check([part for line in lines for part in (LINE, line)], shape)


def test_nothing_is_read_behind_the_padding() -> None:
    """A text that ends anywhere, right before memory that must not be touched."""
    reader, size = _reader(_shape(LINE)), 2 * mmap.PAGESIZE
    memory = mmap.mmap(-1, size)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    libc = ctypes.CDLL(None, use_errno=True)
    guard = ctypes.c_void_p(base + mmap.PAGESIZE)
    assert libc.mprotect(guard, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0
    rows = TextRows(SCHEMA, _reader(None), _exact)
    args: TextArgs = rows._args
    scratch = ctypes.create_string_buffer(mmap.PAGESIZE)
    args.scratch = ctypes.addressof(scratch)
    for cut in range(len(LINE) + 1):
        text = LINE + b"\n" + LINE[:cut]
        begin = mmap.PAGESIZE - PADDING - len(text)
        memory[begin : mmap.PAGESIZE] = text + b"\n" + b'"' * (PADDING - 1)
        args.at, args.end, args.row, args.odd_count = base + begin, base + begin + len(text), 0, 0
        reader.run(args)
        assert args.row + args.odd_count == 1 + (cut > 0), cut
    assert args.row == 2
    assert libc.mprotect(guard, ctypes.c_size_t(mmap.PAGESIZE), 3) == 0


def test_the_shape_of_lines() -> None:
    spaced = b' { "kind" : "a\\"b" ,\t"other": [1, {"x": 2}], "time":"2026-01-02 03:04:05"} '
    assert _shape(spaced) == Shape(
        (
            ShapeField(b' { "kind" : ', "kind"),
            ShapeField(b' ,\t"other": ', None),
            ShapeField(b', "time":', "time", TimeForm(0, False)),
        ),
        b"} ",
    )
    one, other = b'{"big":1}', b'{"big":null}'
    assert _shape(one, other, b"x").fields == (ShapeField(b'{"big":', "big", None, True),)
    assert shape_of([one, b'{"flag":true}', b"x", b"{}"], NAMES) is None  # no shape of the half
    for line in (b"", b"{}", b"[]", b"x", b'{"big":1', b'{"big":1,"big":2}', b"{'big':1}"):
        assert shape_of([line], NAMES) is None
    for line in (b'{"b\\u0069g":1}', b'{"big":1} x', b'{"big":1}{"big":2}', b'{"\xff":1}'):
        assert shape_of([line], NAMES) is None
    assert _shape(b'{"x":1,"x":2,"big":3}').fields[1].column is None


def _bet() -> ShapeBet:
    def at_once(work: Callable[[], None]) -> None:
        work()

    return ShapeBet(SCHEMA, frozenset(), at_once)


def test_a_bet_is_made_after_some_megabytes_and_dropped_after_misses() -> None:
    bet, block = _bet(), _block((LINE + b"\n") * 10_000)
    blocks = LEAST_BYTES // block.size
    assert all(bet.reader(block) is None for _ in range(blocks))
    reader = bet.reader(block)
    assert reader is not None
    bet.judge(1000, 250)
    assert bet.reader(block) is reader
    bet.judge(1000, 251)
    assert all(bet.reader(block) is None for _ in range(4 * blocks))
    assert any(bet.reader(block) is not None for _ in range(8))


def test_lines_that_have_no_shape_are_no_bet() -> None:
    bet, block = _bet(), _block(b"x\n" * 1_000_000)
    assert all(bet.reader(block) is None for _ in range(LEAST_BYTES // block.size + 2))


def test_files_of_another_shape(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A scan that bets on the first file, and reads others right."""
    bet = ShapeBet(SCHEMA, frozenset(), lambda work: work())
    bet._due = 1
    monkeypatch.setattr(json_lines, "_readers", lambda *_: (_reader(None), bet))
    other = b'{"big": 5, "kind": "click"}'
    found = []
    for number, line in enumerate((LINE, other, LINE)):
        path = tmp_path / f"{number}.json"
        path.write_bytes((line + b"\n") * 100)
        for batch in JsonScan(SCHEMA).read(Piece(str(path))):
            found += batch.column("big").to_pylist()
    assert found == [12] * 100 + [5] * 100 + [12] * 100
