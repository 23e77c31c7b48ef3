"""Look-ups in small tables: batches get the table's columns before a kernel sees them.

For a key that comes as dictionary codes, each distinct value is looked up once, and
a row costs a gather for each column of the table: 0.35 ns (256 Ki rows, 1,000 distinct
keys, one core of an AMD EPYC). A plain int64 key takes 9 to 21 ns a row, by size of the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from adaptive.runtime.binding import CODES, arrow_type, column_of
from adaptive.runtime.projection import Projection
from ir import Column, Field, LookUp, Named, ProjectionProgram, Schema, key_name

_MOST_DICTIONARIES = 8  # translations that are kept: of the columns of a file, or of a few files


class LookUpTable:
    """The rows of a table by their keys; made once, then used for many batches."""

    def __init__(self, node: LookUp, table: pa.Table) -> None:
        self.node = node
        self.table = table  # as it came
        rows = _with_keys(table, len(node.keys))
        self._keys = _Keys([_plain(rows.column(key_name(k))) for k in range(len(node.keys))])
        order = np.argsort(self._keys.groups, kind="stable")
        counts = np.bincount(self._keys.groups, minlength=self._keys.count)
        self._starts = np.concatenate(([0], np.cumsum(counts)))
        self._is_unique = node.once or bool((counts <= 1).all())
        # By partner, or by group where each group has one.
        firsts = order[self._starts[:-1]] if node.once else order
        taken = pa.array(firsts, pa.int64())
        self._columns = [
            _Values(field, _plain(rows.column(field.name)).take(taken)) for field in node.columns
        ]
        self._key_maker = _key_maker(node)
        self._translations: dict[tuple[int, ...], _Translation] = {}

    def join(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch with the columns of the look-up behind its own; rows may come several times."""
        keys = self._key_arrays(batch)
        if self._is_unique and len(keys) == 1 and pa.types.is_dictionary(keys[0].type):
            added = self._translation(keys[0].dictionary).columns(keys[0].indices)
            return self._added(batch, added)
        partners = self._keys.find([self._codes(k, key) for k, key in enumerate(keys)])
        if not self._is_unique:
            batch, partners = self._multiplied(batch, partners)
        return self._added(batch, self._joined(partners))

    def _key_arrays(self, batch: pa.RecordBatch) -> list[pa.Array]:
        """The keys of a batch in the types that kernels read."""
        if self._key_maker is not None:
            return list(self._key_maker.run(batch).columns)
        there, source = batch.schema, self.node.source.schema
        return [
            column_of(batch, there, source[key.name])
            for key in self.node.keys
            if isinstance(key, Column)
        ]

    def _codes(self, position: int, key: pa.Array) -> pa.Array:
        """The number of each key among the distinct ones of the table; null if it is not there."""
        if not pa.types.is_dictionary(key.type):
            return self._keys.codes(position, key)
        return self._keys.codes(position, key.dictionary).take(key.indices)

    def _translation(self, dictionary: pa.Array) -> _Translation:
        """What the table has for each value of a dictionary."""
        identity = tuple(0 if b is None else b.address for b in dictionary.buffers())
        identity = (*identity, dictionary.offset, len(dictionary))
        made = self._translations.get(identity)
        if made is None:
            if len(self._translations) >= _MOST_DICTIONARIES:
                self._translations.clear()
            partners = self._keys.find([self._keys.codes(0, dictionary)])
            made = _Translation(dictionary, self._joined(partners), not partners.null_count)
            self._translations[identity] = made
        return made

    def _joined(self, partners: pa.Array) -> list[pa.Array]:
        """The columns of the table's rows with these numbers, and whether there is such a row."""
        return [*(column.taken(partners) for column in self._columns), _found(partners)]

    def _multiplied(
        self, batch: pa.RecordBatch, groups: pa.Array
    ) -> tuple[pa.RecordBatch, pa.Array]:
        """Each row once for each row of its group in the table, and the number of that row."""
        found = _found(groups).to_numpy(zero_copy_only=False)
        group = groups.fill_null(0).to_numpy()
        first = np.where(found, self._starts[group], 0)
        count = np.where(found, self._starts[group + 1] - first, 1)
        rows = np.repeat(np.arange(len(group)), count)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
        partners = pa.array(first[rows] + within, pa.int64(), mask=~found[rows])
        return batch.take(pa.array(rows)), partners

    def _added(self, batch: pa.RecordBatch, columns: list[pa.Array]) -> pa.RecordBatch:
        names = [*batch.schema.names, *self.node.columns.names, self.node.found]
        return pa.RecordBatch.from_arrays([*batch.columns, *columns], names=names)


@dataclass(frozen=True)
class _Translation:
    """What a table has for each value of a dictionary, which is kept alive for its address."""

    dictionary: pa.Array
    by_code: list[pa.Array]
    all_found: bool

    def columns(self, codes: pa.Array) -> list[pa.Array]:
        """The columns of rows with these codes."""
        *columns, found = self.by_code
        return [*(_taken(column, codes) for column in columns), self._found(found, codes)]

    def _found(self, found: pa.Array, codes: pa.Array) -> pa.Array:
        """Which rows were found; mostly all of them, which is known without a look at each."""
        if not codes.null_count and self.all_found:
            return _all_true(len(codes))
        return _taken(found, codes).fill_null(False)


class _Values:
    """A column of a table; strings as codes, so that kernels look each of them up once."""

    def __init__(self, field: Field, values: pa.Array) -> None:
        if field.type.name == "string":
            values = _encoded(values)
        elif values.type != arrow_type(field.type):
            values = values.cast(arrow_type(field.type))
        self._values = values

    def taken(self, rows: pa.Array) -> pa.Array:
        """The values at these rows; null where there is no row."""
        return _taken(self._values, rows)


class _Keys:
    """The distinct keys of a table, numbered; several columns are numbered one after the other."""

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        normal = [normalized(column) for column in columns]
        self._distinct = [column.unique() for column in normal]
        codes = [
            pc.index_in(column, value_set=distinct)
            for column, distinct in zip(normal, self._distinct, strict=True)
        ]
        self._pairs: list[pa.Array] = []
        numbers = codes[0].cast(pa.int64())
        for position, code in enumerate(codes[1:], 1):
            mixed = self._mixed(numbers, code, position)
            self._pairs.append(mixed.unique())
            numbers = pc.index_in(mixed, value_set=self._pairs[-1]).cast(pa.int64())
        self.count = len(self._pairs[-1] if self._pairs else self._distinct[0])
        self.groups: NDArray[np.int64] = numbers.to_numpy()

    def codes(self, position: int, values: pa.Array) -> pa.Array:
        """The number of each value among those of one key column; null where it has none."""
        return pc.index_in(normalized(values), value_set=self._distinct[position], skip_nulls=True)

    def find(self, codes: Sequence[pa.Array]) -> pa.Array:
        """The numbers of keys, given those of their columns."""
        numbers = codes[0]
        for position, (code, pairs) in enumerate(zip(codes[1:], self._pairs, strict=True), 1):
            mixed = self._mixed(numbers.cast(pa.int64()), code, position)
            numbers = pc.index_in(mixed, value_set=pairs, skip_nulls=True)
        return numbers

    def _mixed(self, numbers: pa.Array, code: pa.Array, position: int) -> pa.Array:
        """Two numbers as one; both tables are small, so it fits."""
        radix = max(1, len(self._distinct[position]))
        return pc.add(pc.multiply(numbers, radix), code.cast(pa.int64()))


def normalized(values: pa.Array) -> pa.Array:
    """The values so that equal keys have equal bits: one zero, one NaN."""
    if not pa.types.is_floating(values.type):
        return values
    numbers = values.fill_null(0.0).to_numpy(zero_copy_only=False) + 0.0  # -0.0 + 0.0 is 0.0
    numbers = np.where(np.isnan(numbers), np.nan, numbers)
    missing = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    return pa.array(numbers, values.type, mask=missing, from_pandas=False)


def _with_keys(table: pa.Table, keys: int) -> pa.Table:
    """The rows that can have a partner: those without a null among their keys."""
    for position in range(keys):
        column = table.column(key_name(position))
        if column.null_count:
            table = table.filter(column.is_valid())
            return _with_keys(table, keys)
    return table


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """A column in one piece; the types are those that Spark sends."""
    made = column.combine_chunks()
    return pa.concat_arrays(made.chunks) if isinstance(made, pa.ChunkedArray) else made


def _key_maker(node: LookUp) -> Projection | None:
    """Computes the keys, unless all of them are columns already."""
    if all(isinstance(key, Column) for key in node.keys):
        return None
    named = tuple(Named(key_name(place), key) for place, key in enumerate(node.keys))
    read = frozenset().union(*(key.columns() for key in node.keys))
    schema = Schema(tuple(field for field in node.source.schema if field.name in read))
    output = Schema(tuple(one.field for one in named))
    return Projection(ProjectionProgram(schema, (), named, output))


def _encoded(values: pa.Array) -> pa.Array:
    """Strings as codes into a dictionary that is never empty, as kernels need it."""
    made = values.cast(pa.string()).dictionary_encode()
    if len(made.dictionary):
        return made.cast(CODES)
    return pa.DictionaryArray.from_arrays(made.indices.cast(pa.int32()), pa.array([""]))


def _found(rows: pa.Array) -> pa.Array:
    return rows.is_valid()


def _taken(values: pa.Array, rows: pa.Array) -> pa.Array:
    """The values at some rows, which are there; null at null.

    Without the test of bounds, and of codes rather than of an array with a dictionary.
    """
    if not isinstance(values, pa.DictionaryArray):
        return pc.take(values, rows, boundscheck=False)
    codes = pc.take(values.indices, rows, boundscheck=False)
    return pa.DictionaryArray.from_arrays(codes, values.dictionary, safe=False)


@lru_cache(maxsize=8)
def _all_true(rows: int) -> pa.Array:
    return pa.array(np.ones(rows, np.bool_))
