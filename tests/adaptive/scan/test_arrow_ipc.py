"""The scan of Arrow IPC files: both formats, columns by name, pieces by record batches."""

from __future__ import annotations

import itertools
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest

import ir
from adaptive.scan import ArrowScan, Piece, ScanError
from ir import Field, Schema

CODES = pa.dictionary(pa.int32(), pa.string())


def schema(**types: ir.DataType) -> Schema:
    return Schema(tuple(Field(name, type_) for name, type_ in types.items()))


def write(
    path: Path, table: pa.Table, rows: int | None = None, format_: str = "file", **options: str
) -> str:
    make = pa.ipc.new_file if format_ == "file" else pa.ipc.new_stream
    with make(path, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, max_chunksize=rows)
    return f"file:{path}"


def read(scan: ArrowScan, path: str) -> pa.Table:
    return pa.Table.from_batches(scan.read(Piece(path)))


@pytest.mark.parametrize("format_", ["file", "stream"])
@pytest.mark.parametrize("compression", [None, "zstd"])
def test_columns_by_name(tmp_path: Path, format_: str, compression: str | None) -> None:
    table = pa.table({"A": [1, 2, None], "b": ["x", None, "y"], "extra": [[1], [2], [3]]})
    path = write(tmp_path / "f", table, 2, format_, compression=compression)
    found = read(ArrowScan(schema(b=ir.STRING, missing=ir.DATE, a=ir.INT64)), path)
    assert found.to_pydict() == {"b": ["x", None, "y"], "missing": [None] * 3, "a": [1, 2, None]}
    assert read(ArrowScan(schema(a=ir.INT64), case_sensitive=True), path).to_pydict() == {
        "a": [None] * 3
    }
    assert read(ArrowScan(schema()), path).num_rows == 3


@pytest.mark.parametrize(
    ("there", "wanted", "is_read"),
    [
        (pa.int8(), ir.INT16, True),
        (pa.uint16(), ir.INT32, True),
        (pa.uint32(), ir.INT64, True),
        (pa.int32(), ir.INT16, False),
        (pa.uint8(), ir.INT8, False),
        (pa.int64(), ir.INT32, False),
        (pa.uint64(), ir.INT64, False),
        (pa.float32(), ir.FLOAT64, True),
        (pa.float64(), ir.FLOAT32, False),
        (pa.large_string(), ir.STRING, True),
        (pa.dictionary(pa.int8(), pa.string()), ir.STRING, True),
        (pa.timestamp("s"), ir.TIMESTAMP, True),
        (pa.timestamp("ms", "Europe/Berlin"), ir.TIMESTAMP, True),
        (pa.timestamp("ns"), ir.TIMESTAMP, False),
        (pa.decimal128(5, 2), ir.decimal(9, 2), True),
        (pa.decimal128(9, 2), ir.decimal(5, 2), False),
    ],
)
def test_types_are_widened_only(
    tmp_path: Path, there: pa.DataType, wanted: ir.DataType, is_read: bool
) -> None:
    value = "a" if wanted is ir.STRING else Decimal(1) if wanted.is_decimal else 1
    column = pa.array([value, None]).cast(there)
    path = write(tmp_path / "f", pa.table({"x": column}))
    scan = ArrowScan(schema(x=wanted))
    if not is_read:
        with pytest.raises(ScanError, match="TYPE_MISMATCH"):
            read(scan, path)
        return
    found = read(scan, path).column("x")
    assert found.to_pylist()[1] is None
    expected = CODES if pa.types.is_dictionary(there) else None
    assert expected is None or found.type == expected


def test_pieces_have_each_row_once(tmp_path: Path) -> None:
    table = pa.table({"x": range(1_000)})
    for format_ in ("file", "stream"):
        path = write(tmp_path / format_, table, 64, format_)
        size = (tmp_path / format_).stat().st_size
        cuts = [0, 17, size // 3, size // 2, size]
        pieces = [Piece(path, low, high - low) for low, high in itertools.pairwise(cuts)]
        scan = ArrowScan(schema(x=ir.INT64), batch_rows=50)
        parts = [list(scan.read(piece)) for piece in (*pieces, Piece(path, size))]
        rows = [x for part in parts for batch in part for x in batch.column(0).to_pylist()]
        assert sorted(rows) == list(range(1_000))
        assert all(batch.num_rows <= 50 for part in parts for batch in part)
        assert sum(bool(part) for part in parts) == (4 if format_ == "file" else 1)


def test_what_is_not_arrow(tmp_path: Path) -> None:
    scan = ArrowScan(schema(x=ir.INT64))
    (tmp_path / "empty").touch()
    assert not list(scan.read(Piece(str(tmp_path / "empty"))))
    (tmp_path / "text").write_text("not at all")
    with pytest.raises(ScanError, match="cannot be read as Arrow"):
        list(scan.read(Piece(str(tmp_path / "text"))))
    with pytest.raises(FileNotFoundError):
        list(scan.read(Piece(str(tmp_path / "missing"))))
