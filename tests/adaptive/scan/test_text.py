"""Scans of text without Spark: what generated code takes, pieces, blocks and broken files."""

from __future__ import annotations

import bz2
import gzip
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import ir
from adaptive.scan import CsvScan, JsonScan, Piece, ScanError
from adaptive.scan.storage import LOCAL
from adaptive.scan.text_blocks import line_blocks
from adaptive.scan.text_rows import TextRows
from codegen_llvm import CsvForm, compile_csv_reader, compile_json_reader

SCHEMA = ir.Schema(
    (
        ir.Field("kind", ir.STRING),
        ir.Field("big", ir.INT64),
        ir.Field("ratio", ir.FLOAT64),
        ir.Field("time", ir.TIMESTAMP),
        ir.Field("flag", ir.BOOL),
    )
)
NAMES = SCHEMA.names


def _never(line: bytes) -> Sequence[dict[str, object]]:
    raise AssertionError(f"left to the host: {line!r}")


def _rows(batches: Any) -> list[tuple[Any, ...]]:
    rows = []
    for batch in batches:
        columns = [batch.column(name) for name in NAMES]
        columns[3] = columns[3].cast(pa.int64())
        rows += zip(*(column.to_pylist() for column in columns), strict=True)
    return rows


def test_plain_json_is_read_by_generated_code(tmp_path: Path) -> None:
    """In any order, with spaces, nulls, further fields, nested values, escapes."""
    lines = [
        '{"kind":"view","big":-12,"ratio":1.5,"time":"1970-01-01T00:00:01.5Z","flag":true}',
        '{ "flag" : false , "big" : 0 , "other" : {"a":[1,{"b":"\\u0041"}]} , "ratio":2e-3 }',
        '{"kind":"größe \\"x\\" \\u00e9\\u20ac\\n","ratio":7,"time":5,"big":null}',
        '{"kind":{"a": [1, 2]},"time":"1970-01-01 00:00:00+00:01","z":"\\\\"}',
        "{}",
    ]
    path = tmp_path / "x.json"
    path.write_text("\n".join(lines))
    rows = TextRows(SCHEMA, compile_json_reader(SCHEMA), _never)
    assert _rows(rows.batches(line_blocks(LOCAL, Piece(str(path))))) == [
        ("view", -12, 1.5, 1_500_000, True),
        (None, 0, 0.002, None, False),
        ('größe "x" é€\n', None, 7.0, 5_000_000, None),
        ('{"a": [1, 2]}', None, None, -60_000_000, None),
        (None, None, None, None, None),
    ]


def test_plain_csv_is_read_by_generated_code(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text(
        'view,x,-12,1.5,1970-01-01T00:00:01Z,true\n"a,b","x","7","0.5",,false\nNA,,,,,\n'
    )
    reader = compile_csv_reader(SCHEMA, (0, 2, 3, 4, 5), CsvForm(null="NA"))
    rows = TextRows(SCHEMA, reader, _never)
    assert _rows(rows.batches(line_blocks(LOCAL, Piece(str(path))))) == [
        ("view", -12, 1.5, 1_000_000, True),
        ("a,b", 7, 0.5, None, False),
        (None, None, None, None, None),
    ]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_any_two_pieces_have_each_row_once(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(ending.join(f'{{"big":{n}}}' for n in (1, 22, 333)) + ending)
    scan = JsonScan(SCHEMA)
    for middle in range(path.stat().st_size + 1):
        pieces = [Piece(str(path), 0, middle), Piece(str(path), middle, None)]
        found = [row[1] for piece in pieces for row in _rows(scan.read(piece))]
        assert found == [1, 22, 333], middle


def test_a_header_is_left_out_once(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("\n \nkind,big,ratio,time,flag\na,1,,,\nb,2,,,\n")
    scan = CsvScan(SCHEMA, NAMES, has_header=True)
    pieces = [Piece(str(path), 0, 40), Piece(str(path), 40, None)]
    assert [row[0] for piece in pieces for row in _rows(scan.read(piece))] == ["a", "b"]


def test_many_different_strings_and_long_lines(tmp_path: Path) -> None:
    """More than a dictionary holds, and a line that is longer than a block."""
    path = tmp_path / "x.json"
    long = "x" * 5_000_000
    texts = [f"text-{n}" for n in range(70_000)] + [long]
    path.write_text("\n".join(f'{{"kind":"{text}","big":1}}' for text in texts))
    schema = ir.Schema((ir.Field("kind", ir.STRING),))
    batches = list(JsonScan(schema).read(Piece(str(path))))
    assert [text for batch in batches for text in batch.column(0).to_pylist()] == texts
    assert batches[0].column(0).type != batches[-1].column(0).type


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
def test_compressed_files_of_several_parts(tmp_path: Path, suffix: str) -> None:
    """A file may be made of compressed files, one behind the other."""
    pack: dict[str, Callable[[bytes], bytes]] = {
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".zst": lambda data: bytes(pa.Codec("zstd").compress(data)),
    }
    path = tmp_path / f"x.json{suffix}"
    path.write_bytes(b"".join(pack[suffix](b'{"big":%d}\n' % n * 3) for n in (1, 2)))
    pieces = [Piece(str(path), 0, 10), Piece(str(path), 10, None)]
    found = [row[1] for piece in pieces for row in _rows(JsonScan(SCHEMA).read(piece))]
    assert found == [1, 1, 1, 2, 2, 2]


def test_broken_and_unknown_compression(tmp_path: Path) -> None:
    whole = gzip.compress(b'{"big":1}\n' * 100_000)
    (tmp_path / "cut.json.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ScanError, match="cannot be decompressed"):
        list(JsonScan(SCHEMA).read(Piece(str(tmp_path / "cut.json.gz"))))
    (tmp_path / "x.json.lz4").write_bytes(b"")
    with pytest.raises(ScanError, match=r"\.lz4"):
        list(JsonScan(SCHEMA).read(Piece(str(tmp_path / "x.json.lz4"))))
    with pytest.raises(FileNotFoundError):
        list(JsonScan(SCHEMA).read(Piece(str(tmp_path / "gone.json.gz"))))
