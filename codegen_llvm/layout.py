"""Physical layouts: how input columns arrive, and how a group lies in a table slot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from ir import (
    BOOL,
    FLOAT64,
    INT64,
    STRING,
    AggregateCall,
    Column,
    CountWindow,
    DataType,
    DecimalType,
    Expr,
    SessionWindow,
    UserAggregate,
)
from ir.operators import NamedAggregate
from ir.pipelines import RowProgram


class Encoding(Enum):
    """How the values of an input column lie in memory."""

    PLAIN = "plain"
    DICTIONARY = "dictionary"  # int32 codes into a dictionary of strings


@dataclass(frozen=True, slots=True)
class InputLayout:
    """How a batch lies in memory: a fact that kernels are chosen by, not a bet.

    `encodings` are in the order of the program's input schema. `has_nulls` is
    for all columns together, because each subset would be another kernel.
    """

    encodings: tuple[Encoding, ...]
    has_nulls: bool = True

    def describe(self) -> str:
        """The layout in a few words."""
        coded = sum(encoding is Encoding.DICTIONARY for encoding in self.encodings)
        nulls = "with nulls" if self.has_nulls else "without nulls"
        return f"{nulls}, {coded} of {len(self.encodings)} columns as codes"


@dataclass(frozen=True, slots=True)
class SlotField:
    """A piece of a slot; `numpy` is the type that the host reads it with."""

    name: str
    offset: int
    numpy: str


@dataclass(frozen=True, slots=True)
class DirectKey:
    """Two keys of which unused slots hold one that a row with that key would not look for there.

    So the first look-up of a row need not ask whether the slot is used: if the
    key is the row's, it is. `unused` fills all slots but its own home, which
    holds `unused_at_home`; their hashes differ in the highest bit, so their
    homes differ in a table of any size. Rows with these very keys just take
    the longer way. Without the test of the tag, the YSB kernel ran 1.06 times
    as fast.
    """

    unused: int
    unused_at_home: int


# For keys of 64 and of 32 bits; the hash of a narrower key is too small to choose from.
DIRECT_KEYS = {
    64: DirectKey(-(2**63) + 1, -(2**63)),
    32: DirectKey(-(2**31) + 1, -(2**31)),
}


@dataclass(frozen=True, slots=True)
class SlotLayout:
    """A slot: a tag word, the keys, the accumulators.

    The tag's bit 0 says that the slot is used; then one bit a key (it is null)
    and one bit an aggregate (it has seen a value); the upper half is the hash.
    So one masked comparison rejects empty, null-different and most other slots.
    """

    fields: tuple[SlotField, ...]
    size: int
    keys: int
    seen: frozenset[int]  # the aggregates whose seen bit is kept: the others always have a value
    slice_is_key: bool  # all slices share one table
    direct: DirectKey | None  # how an unused slot is told from a used one by its key alone
    rows: str | None = None  # the field that counts the rows of a group, where one does
    wide: bool = False  # of a window table: integer sums have 128 bits
    shared: bool = False  # threads update it at the same time: integer sums have 128 bits
    dense: bool = False  # a slot for each key of a range, found by the key, which it does not hold
    listed: bool = False  # of windows by the order of a key's rows: which rows to add is listed

    @property
    def locked(self) -> bool:
        """Whether threads update a group one after another, not word by word."""
        return self.has(LOCK)

    def has(self, name: str) -> bool:
        """Whether there is such a field."""
        return any(field.name == name for field in self.fields)

    def offset(self, name: str) -> int:
        """Where a field starts in the slot."""
        return next(field.offset for field in self.fields if field.name == name)

    def key_null_bit(self, key: int) -> int:
        """The tag bit that says that this key is null."""
        return 1 << (1 + key)

    def seen_bit(self, aggregate: int) -> int:
        """The tag bit that says that this aggregate has seen a value."""
        return 1 << (1 + self.keys + aggregate)

    def tracks_seen(self, aggregate: int) -> bool:
        """Whether the seen bit of an aggregate is kept."""
        return aggregate in self.seen


ROWS = "rows"  # the field that counts the rows of a group, where no aggregate does
LOCK = "lock"  # the byte that is 1 while a thread updates a group that several share
MAX_TAG_BITS = 31  # of the tag's lower half, after the used bit

_NUMPY = {
    "bool": "u1",
    "int8": "i1",
    "int16": "i2",
    "int32": "i4",
    "int64": "i8",
    "float32": "f4",
    "float64": "f8",
    "date": "i4",
    "timestamp": "i8",
}


def value_fields(name: str, type_: DataType) -> Iterator[tuple[str, str]]:
    """The pieces of one stored value; a string lies in the arena, with room to grow in place."""
    if type_.is_bytes:
        yield f"{name}.data", "u8"
        yield f"{name}.length", "i4"
        yield f"{name}.capacity", "i4"
    else:
        yield name, "V16" if type_.is_decimal else _NUMPY[type_.name]


MOMENTS = frozenset(("var_pop", "var_samp", "stddev_pop", "stddev_samp"))


# They keep all values of a group, in lists.
HOLISTIC = frozenset(("median", "percentile", "mode", "count_distinct"))


def list_position(program: RowProgram, position: int) -> int | None:
    """The aggregate whose list of values an aggregate uses: the first with the same argument."""
    wanted = program.aggregates[position].call
    if wanted.function not in HOLISTIC:
        return None
    return next(
        other
        for other, aggregate in enumerate(program.aggregates)
        if aggregate.call.function in HOLISTIC and aggregate.call.argument == wanted.argument
    )


def element_bytes(type_: DataType) -> int:
    """The width of a value in a list; of a string, that of its address and length."""
    return 16 if type_.is_bytes else max(8, type_.bits) // 8


def accumulator_type(aggregate: NamedAggregate) -> DataType:
    """The type in which an aggregate accumulates; for the bits of decimals see below."""
    call = aggregate.call
    if call.function in MOMENTS:
        return FLOAT64
    return FLOAT64 if call.function == "avg" and not call.type.is_decimal else call.type


def is_decimal_sum(call: AggregateCall) -> bool:
    """Whether an aggregate adds up decimals."""
    return call.function in ("sum", "avg") and call.type.is_decimal


def decimal_sum_bits(call: AggregateCall) -> int:
    """As many as any number of rows needs: 10^19 times 2^63 rows are less than 2^127."""
    assert call.argument is not None
    assert isinstance(call.argument.type, DecimalType)
    return 128 if call.argument.type.precision <= 19 else 256


def slot_layout(
    program: RowProgram,
    slice_is_key: bool,
    counts_rows: bool = False,
    *,
    wide: bool = False,
    shared: bool = False,
    dense: bool = False,
    fields: tuple[tuple[str, str], ...] = (),
) -> SlotLayout:
    """Lay out a slot for a program's keys and aggregates, widest pieces first.

    It follows the declared schema only, never what a variant assumes about the
    data, so that all variants of a program work on the same state. With
    `counts_rows`, groups can be taken out of a window table again: it is known
    when a group, or an aggregate of it, has no rows left. `wide` is the layout
    of window tables; it counts rows too. `shared` is that of tables which several
    threads update: sums in 128 bits have no overflow that would have to be undone.
    `dense` is that of tables where a group's place is its key. `fields` are further pieces
    of a slot.
    """
    counts_rows = counts_rows or wide
    rows = _rows_field(program, counts_rows)
    pieces: list[tuple[str, str]] = [(ROWS, "i8"), *fields] if rows == ROWS else [*fields]
    for position, key in enumerate(() if dense else program.keys):
        pieces += value_fields(f"key{position}", key.expr.type)
    for position, aggregate in enumerate(program.aggregates):
        if list_position(program, position) in (None, position):
            pieces += _state_fields(f"agg{position}", aggregate, counts_rows, wide or shared)
    if shared and not _is_one_word(program, pieces):
        pieces.append((LOCK, "u1"))
    pieces.sort(key=lambda piece: -int(piece[1][1:]))
    if slice_is_key:
        pieces.insert(0, ("slice", "i8"))  # behind the tag, whatever follows: see `build_migrate`
    placed, size = _placed(pieces)
    seen = frozenset(i for i, a in enumerate(program.aggregates) if _may_be_empty(a))
    direct = None if slice_is_key or wide or shared or dense else _direct_key(program)
    return SlotLayout(
        placed, size, len(program.keys), seen, slice_is_key, direct, rows, wide, shared, dense
    )


MOST_DENSE_KEYS = 3


def can_be_dense(program: RowProgram, layout: InputLayout) -> bool:
    """Whether a group's place can be its key: for few keys, which are integers of any kind.

    The code of a string is one, where a batch has codes.
    """
    if isinstance(program.window, SessionWindow | CountWindow):
        return False  # their state is of its own kind
    if not 1 <= len(program.keys) <= MOST_DENSE_KEYS:
        return False
    for key in program.keys:
        type_ = key.expr.type
        if type_ == STRING:
            if not _has_codes(key.expr, program, layout):
                return False
        elif type_.is_float or type_.is_bytes or type_.is_decimal:
            return False
    return True


def _has_codes(expr: Expr, program: RowProgram, layout: InputLayout) -> bool:
    if not isinstance(expr, Column):
        return False
    return layout.encodings[program.input.index(expr.name)] is Encoding.DICTIONARY


def columns_of_codes(program: RowProgram) -> frozenset[str]:
    """The string columns that are keys: a dense table has groups by their codes."""
    keys = (key.expr for key in program.keys)
    return frozenset(k.name for k in keys if isinstance(k, Column) and k.type == STRING)


_JOINED = frozenset(("count", "sum", "bit_and", "bit_or", "bit_xor"))
_EXTREMES = frozenset(("min", "max", "bool_and", "bool_or"))


def _is_one_word(program: RowProgram, pieces: list[tuple[str, str]]) -> bool:
    """Whether a row writes at most one word of a group, so that no lock is needed.

    An atomic addition costs as much as a lock: with 10,000 groups and 2 threads,
    avg ran at 132 M rows/s under a lock and at 95 with two atomic additions, but
    the sum of one contended group at 34 and at 51. An extreme is mostly only read.
    """
    written = sum(name == ROWS or name.endswith(".count") for name, _ in pieces)
    for aggregate in program.aggregates:
        call = aggregate.call
        if call.type.is_bytes or call.type.is_decimal:
            return False
        if call.function not in _JOINED | _EXTREMES:
            return False
        written += call.function in _JOINED
    return written <= 1


def _rows_field(program: RowProgram, needed: bool) -> str | None:
    """Where a group's rows are counted: by a count of rows, if the program has one anyway."""
    for position, aggregate in enumerate(program.aggregates):
        if aggregate.call.function == "count" and aggregate.call.argument is None:
            return f"agg{position}"
    return ROWS if needed else None


def _state_fields(
    name: str, aggregate: NamedAggregate, counts_rows: bool, wide: bool
) -> Iterator[tuple[str, str]]:
    """The pieces that an aggregate accumulates in."""
    call = aggregate.call
    if call.definition is not None:
        yield from _user_fields(name, call.definition)
    elif call.function in HOLISTIC:
        yield f"{name}.next", "u8"
        yield f"{name}.end", "u8"
    elif call.function == "sum" and call.type == INT64 and wide:
        yield f"{name}.low", "u8"
        yield f"{name}.high", "i8"
    elif is_decimal_sum(call):
        yield name, f"V{decimal_sum_bits(call) // 8}"
    else:
        yield from value_fields(name, accumulator_type(aggregate))
    if call.function in MOMENTS:  # the first piece is the mean
        yield from value_fields(f"{name}.n", FLOAT64)
        yield from value_fields(f"{name}.m2", FLOAT64)
    if call.function in ("first", "last"):
        yield from value_fields(f"{name}.row", INT64)
        if keeps_null(aggregate):
            yield from value_fields(f"{name}.null", BOOL)
    # Once values can be taken out again, a bit does not tell whether one is left.
    counts_values = counts_rows and call.invertible and _may_be_empty(aggregate)
    if call.function == "avg" or counts_values:
        yield from value_fields(f"{name}.count", INT64)


def _user_fields(name: str, definition: UserAggregate) -> Iterator[tuple[str, str]]:
    """A piece for each column of the state, and one that says whether it is null."""
    for position, field in enumerate(definition.state):
        yield from value_fields(f"{name}.{position}", field.type)
        if field.nullable:
            yield from value_fields(f"{name}.{position}.null", BOOL)


def _direct_key(program: RowProgram) -> DirectKey | None:
    """A program with one integer key of a sufficient width can compare it directly."""
    if len(program.keys) != 1:
        return None
    type_ = program.keys[0].expr.type
    if type_.is_float or type_.is_bytes:
        return None
    return DIRECT_KEYS.get(type_.bits)


def _may_be_empty(aggregate: NamedAggregate) -> bool:
    """Whether a group may have rows but no value for the aggregate."""
    call = aggregate.call
    if call.takes_nulls or call.definition is not None:
        return False
    needs_value = call.function not in ("count", "count_distinct") and call.argument is not None
    if call.type.is_bytes:
        return True  # the first string of a group is recognised by the bit
    return needs_value and call.argument is not None and call.argument.nullable


def keeps_null(aggregate: NamedAggregate) -> bool:
    """Whether the value that a group has for the aggregate may be null."""
    call = aggregate.call
    return call.takes_nulls and call.argument is not None and call.argument.nullable


def _placed(pieces: list[tuple[str, str]]) -> tuple[tuple[SlotField, ...], int]:
    fields = [SlotField("tag", 0, "u8")]
    end = 8
    for name, numpy in pieces:
        fields.append(SlotField(name, end, numpy))
        end += int(numpy[1:])
    return tuple(fields), -(-end // 8) * 8
