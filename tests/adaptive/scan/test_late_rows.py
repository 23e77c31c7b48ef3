"""Reading Parquet late gives what pyarrow gives, whatever the file is like, or an error."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import settings as settings_of
from hypothesis import strategies as st

import ir
from adaptive.runtime import Projection, arrow_schema
from adaptive.scan import ParquetScan, Piece, ScanError
from adaptive.scan.code_filters import early_filters
from ir import (
    Call,
    Column,
    Expr,
    Field,
    Filter,
    Literal,
    Named,
    Project,
    ProjectionProgram,
    Schema,
    Sink,
    Source,
)

FIELDS = Schema(
    (
        Field("i", ir.INT64),
        Field("n", ir.INT32),
        Field("f", ir.FLOAT64),
        Field("t", ir.TIMESTAMP),
        Field("d", ir.DATE),
        Field("s", ir.STRING),
        Field("b", ir.BINARY),
        Field("o", ir.BOOL),
    )
)


def column(name: str) -> Column:
    return Column(name, FIELDS[name].type, FIELDS[name].nullable)


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Few or many different values, in runs or mixed, with nulls or without."""
    rows = draw(st.sampled_from([0, 1, 7, 8, 9, 100, 1000, 3000]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    nulls = draw(st.sampled_from([0.0, 0.0, 0.02, 0.5, 1.0]))
    distinct = draw(st.sampled_from([1, 2, 3, 200, 5000]))
    repeated = draw(st.sampled_from([1, 1, 3, 40]))

    def made(values: np.ndarray, type_: pa.DataType) -> pa.Array:
        codes = np.repeat(random.integers(0, distinct, rows // repeated + 1), repeated)[:rows]
        mask = random.random(rows) < nulls if draw(st.booleans()) else None
        return pa.array(values[codes], mask=mask).cast(type_)

    numbers = random.integers(-(2**40), 2**40, 5000)
    texts = np.array([f"text {n % 7}" * (n % 4) + str(n) for n in range(5000)], object)
    arrays = [
        made(numbers, pa.int64()),
        made(numbers % 2**20, pa.int32()),
        made(numbers / 7, pa.float64()),
        made(np.sort(numbers) + 2**50, pa.timestamp("us", "UTC")),
        made(numbers % 2**14, pa.int32()).cast(pa.date32()),
        made(texts, pa.string()),
        made(texts, pa.string()).cast(pa.binary()),
        made(numbers % 2 == 0, pa.bool_()),
    ]
    nullable = [draw(st.booleans()) or array.null_count > 0 for array in arrays]
    fields = zip(FIELDS, arrays, nullable, strict=True)
    there = [pa.field(f.name, a.type, nullable=null) for f, a, null in fields]
    return pa.Table.from_arrays(arrays, schema=pa.schema(there))


writing = st.fixed_dictionaries(
    {
        "compression": st.sampled_from(["snappy", "snappy", "none", "zstd", "gzip", "brotli"]),
        "data_page_version": st.sampled_from(["1.0", "2.0"]),
        "data_page_size": st.sampled_from([100, 1000, 2**20]),
        "max_rows_per_page": st.sampled_from([50, 20_000]),
        "row_group_size": st.sampled_from([64, 1000, 10_000]),
        "write_batch_size": st.sampled_from([16, 1024]),
        "dictionary_pagesize_limit": st.sampled_from([200, 2**20]),
        "write_statistics": st.booleans(),
    }
)
dictionaries = st.one_of(st.booleans(), st.sampled_from([["i", "s"], ["s", "t", "n"]]))


@st.composite
def filters(draw: st.DrawFn) -> tuple[Expr, ...]:
    """Predicates of one column and of two, with and without a quick form."""
    known: list[Expr] = [
        Call("ge", (column("i"), Literal(0, ir.INT64))),
        Call("lt", (column("n"), Literal(2**19, ir.INT32))),
        Call("is_null", (column("i"),)),
        Call("is_not_null", (column("s"),)),
        Call("eq", (column("s"), Literal("text 1" * 1 + "1", ir.STRING))),
        Call("startswith", (column("s"), Literal("text 2", ir.STRING))),
        Call("gt", (column("f"), Literal(1.5, ir.FLOAT64))),
        Call("le", (column("d"), Literal(9000, ir.DATE))),
        Call("ne", (column("t"), Literal(2**50, ir.TIMESTAMP))),
        Call(
            "lt", (column("i"), Call("add", (column("i"), Literal(1, ir.INT64)), ir.EvalMode.TRY))
        ),
    ]
    return tuple(draw(st.lists(st.sampled_from(known), max_size=3)))


def passing(table: pa.Table, predicates: tuple[Expr, ...]) -> pa.Table:
    """The rows that pass, as the plan behind a scan finds them."""
    named = tuple(Named(f.name, Column(f.name, f.type, f.nullable)) for f in FIELDS)
    projection = Projection(ProjectionProgram(FIELDS, predicates, named, FIELDS))
    batches = [projection.run(batch) for batch in table.to_batches()]
    return pa.Table.from_batches(batches, arrow_schema(FIELDS))


def read(path: Path, predicates: tuple[Expr, ...] = (), **more: object) -> pa.Table:
    scan = ParquetScan(FIELDS, filters=predicates, **more)  # type: ignore[arg-type]
    batches = [_plain(batch) for batch in scan.read(Piece(str(path)))]
    return pa.Table.from_batches(batches, arrow_schema(FIELDS))


def _plain(batch: pa.RecordBatch) -> pa.RecordBatch:
    batch.validate(full=True)
    arrays = [
        array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
        for array in batch.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(FIELDS))


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@settings_of(max_examples=120)
@given(tables(), writing, dictionaries, filters(), st.sampled_from([37, 1000, 2**18]))
def test_rows_are_those_of_pyarrow(
    folder: Path,
    table: pa.Table,
    options: dict[str, object],
    coded: bool | list[str],
    predicates: tuple[Expr, ...],
    batch_rows: int,
) -> None:
    path = folder / "random.parquet"
    pq.write_table(table, path, use_dictionary=coded, **options)
    wanted = read(path, is_late=False)
    assert read(path, batch_rows=batch_rows).equals(wanted)
    left_out: list[int] = []
    found = read(path, predicates, batch_rows=batch_rows, left_out=left_out.append)
    assert found.num_rows + sum(left_out) == wanted.num_rows
    assert passing(found, predicates).equals(passing(wanted, predicates))


@settings_of(max_examples=150)
@given(tables(), writing, filters(), st.data())
def test_broken_bytes_are_an_error_or_give_a_batch(
    folder: Path,
    table: pa.Table,
    options: dict[str, object],
    predicates: tuple[Expr, ...],
    data: st.DataObject,
) -> None:
    path = folder / "broken.parquet"
    pq.write_table(table, path, **options)
    content = bytearray(path.read_bytes())
    footer = int.from_bytes(content[-8:-4], "little") + 8
    pages = len(content) - footer
    for _ in range(data.draw(st.integers(1, 4)) if pages > 4 else 0):
        content[data.draw(st.integers(4, pages - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content)
    with suppress(ScanError):
        for batch in ParquetScan(FIELDS, filters=predicates).read(Piece(str(path))):
            batch.validate()


def test_a_broken_page_is_an_error_that_names_file_and_column(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"i": [1, 2, 3] * 100}), path, compression="snappy")
    content = bytearray(path.read_bytes())
    chunk = pq.read_metadata(path).row_group(0).column(0)
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    content[end - 5 : end] = b"\xff" * 5
    path.write_bytes(content)
    with pytest.raises(ScanError, match=f"{path}.*column 'i'"):
        list(ParquetScan(Schema((FIELDS["i"],))).read(Piece(str(path))))


def test_only_rows_that_may_pass_come_and_the_others_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    numbers = pa.array(np.arange(100_000) % 1000)
    pq.write_table(pa.table({"i": numbers, "n": numbers.cast(pa.int32())}), path)
    wanted = Schema((FIELDS["i"], FIELDS["n"]))
    left_out: list[int] = []
    predicates = (
        Call("ge", (column("i"), Literal(10, ir.INT64))),
        Call("lt", (column("n"), Literal(20, ir.INT32))),
    )
    scan = ParquetScan(wanted, filters=predicates, left_out=left_out.append)
    table = pa.Table.from_batches(scan.read(Piece(str(path))))
    assert table.column("i").to_pylist() == list(range(10, 20)) * 100
    assert sum(left_out) == 99_000


def test_a_filter_behind_one_that_can_fail_drops_nothing_early() -> None:
    fails = Call("eq", (Call("divide", (column("f"), column("f"))), Literal(1.0, ir.FLOAT64)))
    assert fails.can_fail
    first, last = (Call("ge", (column(name), Literal(0, FIELDS[name].type))) for name in "in")
    rows = Filter(Filter(Filter(Source("s", FIELDS), first), fails), last)
    plan = Sink(Project(rows, (Named("i", column("i")),)), "rows")
    assert early_filters(plan) == (first,)


def test_two_readers_at_once_do_not_share_memory(tmp_path: Path) -> None:
    for number in (1, 2):
        table = pa.table({"i": pa.array(np.arange(5000) * number)})
        pq.write_table(table, tmp_path / str(number), use_dictionary=False, compression="snappy")
    scan = ParquetScan(Schema((FIELDS["i"],)), batch_rows=1000)
    pairs = list(zip(*(scan.read(Piece(str(tmp_path / n))) for n in "12"), strict=True))
    for one, two in pairs:
        assert two.column(0).to_numpy().tolist() == (one.column(0).to_numpy() * 2).tolist()
