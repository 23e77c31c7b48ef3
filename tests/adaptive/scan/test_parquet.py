"""The Parquet scan: columns by name, Spark's widening, dictionary codes where the file has them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import ir
from adaptive.scan import ParquetScan, Piece, ScanError
from adaptive.scan.parquet import is_dictionary_encoded
from ir import Field, Schema

CODES = pa.dictionary(pa.int32(), pa.string())


def schema(**types: ir.DataType) -> Schema:
    return Schema(tuple(Field(name, type_) for name, type_ in types.items()))


def write(path: Path, **columns: pa.Array | list[object]) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


def read(scan: ParquetScan, path: str) -> pa.Table:
    return pa.Table.from_batches(scan.read(Piece(path)))


def test_columns_come_in_the_order_of_the_schema_and_no_others(tmp_path: Path) -> None:
    path = write(tmp_path / "f", a=[1], b=["x"], c=[True])
    table = read(ParquetScan(schema(c=ir.BOOL, a=ir.INT64)), path)
    assert table.to_pydict() == {"c": [True], "a": [1]}


def test_missing_columns_are_null(tmp_path: Path) -> None:
    path = write(tmp_path / "f", a=[1, 2])
    table = read(ParquetScan(schema(b=ir.STRING, t=ir.TIMESTAMP)), path)
    assert table.to_pydict() == {"b": [None, None], "t": [None, None]}
    assert table.schema.types == [pa.string(), pa.timestamp("us", "UTC")]


def test_names_match_whatever_their_case_unless_told(tmp_path: Path) -> None:
    path = write(tmp_path / "f", Größe=[1])
    wanted = schema(gröSSe=ir.INT64, größe=ir.INT64)
    assert read(ParquetScan(wanted), path).to_pydict() == {"gröSSe": [None], "größe": [1]}
    exact = ParquetScan(wanted, case_sensitive=True)
    assert read(exact, path).to_pydict() == {"gröSSe": [None], "größe": [None]}


def test_a_name_that_matches_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "f", a=[1], A=[2])
    with pytest.raises(ScanError, match="column 'a' matches a, A"):
        read(ParquetScan(schema(a=ir.INT64)), path)
    assert read(ParquetScan(schema(A=ir.INT64), case_sensitive=True), path).to_pydict() == {
        "A": [2]
    }


def test_without_columns_only_rows_are_counted(tmp_path: Path) -> None:
    path = write(tmp_path / "f", a=list(range(10)))
    batches = list(ParquetScan(schema(), batch_rows=4).read(Piece(path)))
    assert [batch.num_rows for batch in batches] == [4, 4, 2]


def test_batches_have_the_rows_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "f", a=list(range(10)))
    batches = list(ParquetScan(schema(a=ir.INT64), batch_rows=4).read(Piece(path)))
    assert [batch.num_rows for batch in batches] == [4, 4, 2]


def test_empty_files(tmp_path: Path) -> None:
    (tmp_path / "none").touch()
    path = write(tmp_path / "f", a=pa.array([], pa.int64()))
    scan = ParquetScan(schema(a=ir.INT64))
    assert not list(scan.read(Piece(str(tmp_path / "none"))))
    assert sum(batch.num_rows for batch in scan.read(Piece(path))) == 0


@pytest.mark.parametrize(
    ("there", "wanted", "values"),
    [
        (pa.array([-1, None], pa.int8()), ir.INT64, [-1, None]),
        (pa.array([2**32 - 1], pa.uint32()), ir.INT64, [2**32 - 1]),
        (pa.array([300], pa.int32()), ir.INT8, [44]),
        (pa.array([0.5, None], pa.float32()), ir.FLOAT64, [0.5, None]),
        (pa.array([3], pa.int32()), ir.FLOAT64, [3.0]),
        (pa.array([-3, None], pa.int8()), ir.DATE, [date(1969, 12, 29), None]),
        (pa.array([10], pa.date32()), ir.INT64, [10]),
        (pa.array([300], pa.int16()), ir.decimal(12, 2), [Decimal("300.00")]),
        (pa.array([5_000_000_000], pa.int64()), ir.decimal(22, 2), [Decimal("5000000000.00")]),
        (
            pa.array([Decimal("123.45")], pa.decimal128(5, 2)),
            ir.decimal(9, 4),
            [Decimal("123.4500")],
        ),
        (pa.array([b"x"], pa.binary()), ir.STRING, ["x"]),
        (pa.array(["x", None], pa.large_string()), ir.STRING, ["x", None]),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_widening(tmp_path: Path, there: pa.Array, wanted: ir.DataType, values: object) -> None:
    path = write(tmp_path / "f", a=there)
    assert read(ParquetScan(schema(a=wanted)), path).to_pydict() == {"a": values}


@pytest.mark.parametrize(
    ("there", "wanted"),
    [
        (pa.array([1], pa.int64()), ir.INT32),
        (pa.array([1.0]), ir.FLOAT32),
        (pa.array(["1"]), ir.INT64),
        (pa.array([1], pa.uint64()), ir.INT64),
        (pa.array([1], pa.int32()), ir.decimal(11, 2)),
        (pa.array([1], pa.int64()), ir.decimal(19, 0)),
        (pa.array([Decimal("1.25")], pa.decimal128(5, 2)), ir.decimal(5, 3)),
        (pa.array([1], pa.timestamp("ns", "UTC")), ir.TIMESTAMP),
        (pa.array([{"x": 1}]), ir.STRING),
    ],
    ids=lambda value: str(getattr(value, "type", value)),
)
def test_other_types_name_file_column_and_both_types(
    tmp_path: Path, there: pa.Array, wanted: ir.DataType
) -> None:
    path = write(tmp_path / "f", a=there)
    with pytest.raises(ScanError) as caught:
        read(ParquetScan(schema(a=wanted)), path)
    for part in (path, "'a'", str(there.type), str(wanted), "DATA_TYPE_MISMATCH"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    "there", [pa.timestamp("ms", "UTC"), pa.timestamp("us"), pa.timestamp("us", "Asia/Tokyo")]
)
def test_timestamps_are_microseconds_in_utc(tmp_path: Path, there: pa.DataType) -> None:
    scale = 1_000 if there.unit == "ms" else 1
    path = write(tmp_path / "f", t=pa.array([7, -7, None], there))
    column = read(ParquetScan(schema(t=ir.TIMESTAMP)), path).column("t")
    assert column.type == pa.timestamp("us", "UTC")
    assert column.cast(pa.int64()).to_pylist() == [7 * scale, -7 * scale, None]


def test_int96_timestamps(tmp_path: Path) -> None:
    """Also those outside the years 1677 to 2262 that nanoseconds can hold."""
    times = pa.array([0, -(10**16), 2 * 10**16, None], pa.timestamp("us"))
    path = str(tmp_path / "f")
    pq.write_table(pa.table({"t": times}), path, use_deprecated_int96_timestamps=True)
    table = read(ParquetScan(schema(t=ir.TIMESTAMP)), path)
    assert table.column("t").cast(pa.int64()).to_pylist() == times.cast(pa.int64()).to_pylist()


def test_repeated_strings_come_as_codes_and_distinct_ones_do_not(tmp_path: Path) -> None:
    rows = 200_000
    repeated = [f"kind-{n % 5}" for n in range(rows)]
    distinct = [f"a user with the number {n}" for n in range(rows)]
    path = write(tmp_path / "f", repeated=repeated, distinct=distinct)
    batch = next(ParquetScan(schema(repeated=ir.STRING, distinct=ir.STRING)).read(Piece(path)))
    assert batch.schema.types == [CODES, pa.string()]
    assert batch.column("repeated").to_pylist()[:7] == repeated[:7]
    metadata = pq.read_metadata(path)
    assert is_dictionary_encoded(metadata, "repeated")
    assert not is_dictionary_encoded(metadata, "distinct")
    assert not is_dictionary_encoded(metadata, "missing")


def test_a_column_that_gave_up_its_dictionary_is_read_as_it_is(tmp_path: Path) -> None:
    """The writer's dictionary overflows in the second row group only."""
    values = ["x"] * 100_000 + [f"{n:09}" for n in range(400_000)]
    path = str(tmp_path / "f")
    pq.write_table(pa.table({"s": values}), path, row_group_size=100_000)
    table = read(ParquetScan(schema(s=ir.STRING)), path)
    assert table.schema.types == [pa.string()]
    assert table.column("s").to_pylist() == values


def test_files_in_the_legacy_calendar_are_refused_where_it_matters(tmp_path: Path) -> None:
    for key, value in [
        ("org.apache.spark.version", "2.4.8"),
        ("org.apache.spark.legacyDateTime", ""),
        ("org.apache.spark.legacyINT96", ""),
    ]:
        table = pa.table({"d": pa.array([0], pa.date32()), "n": [1]})
        path = str(tmp_path / "f")
        pq.write_table(table.replace_schema_metadata({key: value}), path)
        with pytest.raises(ScanError, match=r'rewrite the file .* or use mode="off"'):
            read(ParquetScan(schema(d=ir.DATE)), path)
        assert read(ParquetScan(schema(n=ir.INT64)), path).to_pydict() == {"n": [1]}


def test_files_of_today_are_not(tmp_path: Path) -> None:
    table = pa.table({"d": pa.array([0], pa.date32())})
    path = str(tmp_path / "f")
    pq.write_table(table.replace_schema_metadata({"org.apache.spark.version": "4.3.0"}), path)
    assert read(ParquetScan(schema(d=ir.DATE)), path).num_rows == 1


def test_what_is_not_parquet_says_so(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no Parquet file at all")
    with pytest.raises(ScanError, match="cannot be read as Parquet"):
        read(ParquetScan(schema(a=ir.INT64)), str(tmp_path / "text"))
    with pytest.raises(FileNotFoundError):
        read(ParquetScan(schema(a=ir.INT64)), str(tmp_path / "missing"))


@pytest.mark.parametrize("size", [1, 700, 4_000, 10**6])
def test_pieces_of_a_file_have_each_row_once(tmp_path: Path, size: int) -> None:
    path = tmp_path / "f"
    pq.write_table(pa.table({"a": range(5_000)}), path, row_group_size=512)
    starts = range(0, path.stat().st_size, size) if size > 1 else range(1, 2)
    pieces = [Piece(str(path), start, size) for start in starts]
    pieces += [Piece(str(path), pieces[-1].start + size), Piece(str(path), 0, pieces[0].start)]
    scan = ParquetScan(schema(a=ir.INT64))
    parts = [read_piece(scan, piece) for piece in pieces]
    assert sorted(a for part in parts for a in part) == list(range(5_000))
    if size == 4_000:
        assert sum(bool(part) for part in parts) > 5


def read_piece(scan: ParquetScan, piece: Piece) -> list[int]:
    return [a for batch in scan.read(piece) for a in batch.column("a").to_pylist()]


def test_a_piece_without_row_groups_checks_the_file_all_the_same(tmp_path: Path) -> None:
    path = write(tmp_path / "f", a=["x"])
    with pytest.raises(ScanError, match="TYPE_MISMATCH"):
        list(ParquetScan(schema(a=ir.INT64)).read(Piece(path, 0, 1)))
