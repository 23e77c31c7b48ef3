"""Turning groups into Arrow: the rows that a state stands for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from adaptive.runtime.binding import arrow_schema, arrow_type
from adaptive.runtime.decimal_export import decimal_averages, decimal_sums
from adaptive.runtime.groups import Groups, SlotGroups, pooled
from adaptive.runtime.holistic_export import GroupLists
from adaptive.runtime.plain_export import plain_batch
from adaptive.runtime.state import GroupState, Table
from adaptive.runtime.user_export import initial_state, user_results
from codegen_llvm import SlotLayout, gather_strings
from codegen_llvm.layout import MOMENTS, is_decimal_sum, list_position
from ir import (
    BOOL,
    FLOAT64,
    INT64,
    STRING,
    TIMESTAMP,
    WINDOW_START,
    DataType,
    EvalMode,
    EvaluationError,
    NamedAggregate,
    UserAggregate,
)
from ir.arithmetic import wrap
from ir.operators import empty_null
from ir.pipelines import RowProgram

# The start and the end of the window: of all groups, or of each.
Bounds = tuple[int, int] | tuple[NDArray[np.int64], NDArray[np.int64]]

# Groups a batch: the consumer (Spark, a queue) gets pieces of some megabytes.
BATCH_GROUPS = 256 * 1024


def rows_of(table: Table) -> int:
    """How many rows the groups of a table have, where they are counted."""
    if table.layout.rows is None:
        return 0
    used = (table.slots["tag"] & 1) != 0
    return int(table.slots[table.layout.rows][used].sum())


def export_groups(program: RowProgram, state: GroupState) -> Iterator[pa.RecordBatch]:
    """The output rows of a program, slice by slice, in batches."""
    if is_global(program) and not state.groups:
        yield empty_group(program)
        return
    pending: list[Table] = []
    for table in state.tables.values():
        if table.groups:
            pending.append(table)
        if sum(t.groups for t in pending) >= BATCH_GROUPS:
            yield from _batches(program, Groups(state.layout, pending))
            pending = []
    if pending:
        yield from _batches(program, Groups(state.layout, pending))


def export_table(
    program: RowProgram, table: Table, start: int | None = None, end: int | None = None
) -> pa.RecordBatch:
    """The output rows of one table, with these bounds of the window where they are given."""
    if is_global(program) and not table.live:
        return empty_group(program)
    if start is None or end is None:
        return _batch(program, Groups(table.layout, [table]))
    plain = plain_batch(program, table, start, end)
    return _batch(program, Groups(table.layout, [table]), (start, end)) if plain is None else plain


def export_slots(
    program: RowProgram, layout: SlotLayout, slots: NDArray[np.void], bounds: Bounds
) -> Iterator[pa.RecordBatch]:
    """The output rows of groups in slots, with the bounds of the window of each, in batches."""
    whole = _batch(program, SlotGroups(layout, slots), bounds)
    for begin in range(0, len(slots), BATCH_GROUPS):
        yield whole.slice(begin, BATCH_GROUPS)


def _batch(program: RowProgram, groups: Groups, bounds: Bounds | None = None) -> pa.RecordBatch:
    columns = list(_columns(program, groups, bounds))
    return pa.RecordBatch.from_arrays(columns, schema=arrow_schema(program.output))


def _batches(program: RowProgram, groups: Groups) -> Iterator[pa.RecordBatch]:
    """The groups in batches of a size that consumers can take."""
    whole = _batch(program, groups)
    for begin in range(0, len(groups), BATCH_GROUPS):
        yield whole.slice(begin, BATCH_GROUPS)


def _columns(program: RowProgram, groups: Groups, bounds: Bounds | None) -> Iterator[pa.Array]:
    if bounds is not None and WINDOW_START in program.output:
        type_ = program.output[WINDOW_START].type  # numbers of rows, for windows of those
        for at in bounds:
            yield _fixed(_repeated(at, len(groups)) if isinstance(at, int) else at, type_, None)
    elif program.slices is not None:
        starts = groups.slice_starts()
        yield _fixed(starts, TIMESTAMP, None)
        ends = pooled(len(groups), starts.dtype)
        yield _fixed(np.add(starts, program.slices.size_us, out=ends), TIMESTAMP, None)
    for position, key in enumerate(program.keys):
        null = groups.nulls(groups.layout.key_null_bit(position), set_means_null=True)
        if groups.layout.dense and key.expr.type == STRING:
            yield groups.dense_strings(position)
        elif groups.layout.dense:
            yield _fixed(groups.dense_key(position, key.expr.type), key.expr.type, null)
        else:
            yield _values(groups, f"key{position}", key.expr.type, null)
    for position, aggregate in enumerate(program.aggregates):
        kept = list_position(program, position)
        if kept is None:
            yield _aggregate(groups, position, aggregate)
        else:
            yield _holistic(groups, f"agg{kept}", aggregate, _empty(groups, position))


def _repeated(value: int, count: int) -> NDArray[np.int64]:
    made = pooled(count, np.dtype(np.int64))
    made.fill(wrap(value, INT64))  # beyond the year 294247, an end wraps
    return made


def _aggregate(groups: Groups, position: int, aggregate: NamedAggregate) -> pa.Array:
    empty, field = _empty(groups, position), f"agg{position}"
    if aggregate.call.definition is not None:
        return _user_defined(groups, field, aggregate.call.definition)
    if groups.layout.has(f"{field}.high"):
        return _wide_sum(groups, field, aggregate, empty)
    if is_decimal_sum(aggregate.call):
        return _decimal_sum(groups, field, aggregate, empty)
    if aggregate.call.function == "avg":
        count = groups.column(f"{field}.count")
        with np.errstate(invalid="ignore", divide="ignore"):
            return _fixed(groups.column(field) / count, FLOAT64, empty)
    if aggregate.call.function in MOMENTS:
        return _moment(groups, field, aggregate.call.function)
    return _values(groups, field, aggregate.call.type, empty)


def _user_defined(groups: Groups, field: str, definition: UserAggregate) -> pa.Array:
    """What the user makes of the states."""
    states = []
    for position, column in enumerate(definition.state):
        part, null = f"{field}.{position}", None
        if column.nullable:
            null = groups.column(f"{part}.null") != 0
        states.append(_fixed(groups.column(part), column.type, null))
    return user_results(definition, states)


def _holistic(
    groups: Groups, field: str, aggregate: NamedAggregate, empty: NDArray[np.bool_] | None
) -> pa.Array:
    """What all values of each group give."""
    call = aggregate.call
    assert call.argument is not None
    nexts, ends = groups.column(f"{field}.next"), groups.column(f"{field}.end")
    lists = GroupLists(nexts, ends, call.argument.type)
    if call.function == "count_distinct":
        return _fixed(lists.distinct(), INT64, None)
    if call.function != "mode":
        fraction = call.parameters[0] if call.parameters else 0.5
        return _fixed(lists.percentiles(float(fraction or 0.0)), FLOAT64, empty)
    if call.type.is_bytes:
        return _string_array(*lists.string_modes(), call.type, empty)
    return _fixed(lists.modes(), call.type, empty)


def _decimal_sum(
    groups: Groups, field: str, aggregate: NamedAggregate, empty: NDArray[np.bool_] | None
) -> pa.Array:
    if aggregate.call.function == "avg":
        counts = groups.column(f"{field}.count")
        values, null = decimal_averages(aggregate, groups.column(field), counts, empty)
    else:
        values, null = decimal_sums(aggregate, groups.column(field), empty)
    return _fixed(values, aggregate.call.type, null)


def _moment(groups: Groups, field: str, function: str) -> pa.Array:
    """The variance, or its root; of a sample, it needs two values."""
    divisor = groups.column(f"{field}.n") - (1.0 if function.endswith("_samp") else 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        made = groups.column(f"{field}.m2") / divisor
        if function.startswith("stddev"):
            made = np.sqrt(made)
    missing = divisor <= 0.0
    return _fixed(made, FLOAT64, missing if missing.any() else None)


def _empty(groups: Groups, position: int) -> NDArray[np.bool_] | None:
    """Which groups have no value for an aggregate; None where all have one."""
    layout = groups.layout
    if layout.has(f"agg{position}.null"):
        null = groups.column(f"agg{position}.null") != 0
        return null if null.any() else None
    if not layout.tracks_seen(position):
        return None
    if layout.has(f"agg{position}.count"):
        empty = groups.column(f"agg{position}.count") == 0
        return empty if empty.any() else None
    return groups.nulls(layout.seen_bit(position), set_means_null=False)


def _wide_sum(
    groups: Groups, field: str, aggregate: NamedAggregate, empty: NDArray[np.bool_] | None
) -> pa.Array:
    """The low half of a sum in 128 bits, where the upper one is only its sign."""
    low = groups.column(f"{field}.low").view(np.int64)
    lost = (low >> 63) != groups.column(f"{field}.high")
    if lost.any():
        match aggregate.call.mode:
            case EvalMode.ANSI:
                raise EvaluationError("ARITHMETIC_OVERFLOW", f"sum as {aggregate.name}")
            case EvalMode.TRY:
                empty = lost if empty is None else empty | lost
    return _fixed(low, INT64, empty)


def _values(
    groups: Groups, field: str, type_: DataType, null: NDArray[np.bool_] | None
) -> pa.Array:
    if type_.is_bytes:
        return _strings(groups, field, type_, null)
    return _fixed(groups.column(field), type_, null)


def _fixed(values: NDArray[Any], type_: DataType, null: NDArray[np.bool_] | None) -> pa.Array:
    """Numbers as an Arrow array, without a copy; booleans are packed into bits."""
    rows = len(values)
    if type_ == BOOL:
        values = np.packbits(values.astype(bool), bitorder="little")
    data = np.ascontiguousarray(values).view(np.uint8)  # numpy has no type for 16-byte integers
    buffers = [_validity(null), pa.py_buffer(data)]
    return pa.Array.from_buffers(arrow_type(type_), rows, buffers)


def _validity(null: NDArray[np.bool_] | None) -> pa.Buffer | None:
    return None if null is None else pa.py_buffer(np.packbits(~null, bitorder="little"))


def _strings(
    groups: Groups, field: str, type_: DataType, null: NDArray[np.bool_] | None
) -> pa.Array:
    addresses, lengths = groups.column(f"{field}.data"), groups.column(f"{field}.length")
    return _string_array(addresses, lengths, type_, null)


def _string_array(
    addresses: NDArray[np.uint64],
    lengths: NDArray[np.int32],
    type_: DataType,
    null: NDArray[np.bool_] | None,
) -> pa.Array:
    rows = len(addresses)
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    data = np.empty(max(1, int(offsets[-1])), np.uint8)
    gather_strings(addresses.ctypes.data, lengths.ctypes.data, rows, data.ctypes.data)
    # 64-bit offsets first: many long keys may exceed the two gigabytes of a string array.
    buffers = [_validity(null), pa.py_buffer(offsets), pa.py_buffer(data)]
    large = pa.large_string() if type_ == STRING else pa.large_binary()
    return pa.Array.from_buffers(large, rows, buffers).cast(arrow_type(type_))


def is_global(program: RowProgram) -> bool:
    """Whether there is one group, even of no rows."""
    return program.window is None and not program.keys


def empty_group(program: RowProgram) -> pa.RecordBatch:
    """The one group of a global aggregate that has seen no row."""
    schema = arrow_schema(program.output)
    arrays = [_of_no_rows(a, f.type) for a, f in zip(program.aggregates, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _of_no_rows(aggregate: NamedAggregate, type_: pa.DataType) -> pa.Array:
    definition = aggregate.call.definition
    if definition is not None:
        return user_results(definition, initial_state(definition))
    return pa.array([None if empty_null(aggregate) else 0], type_)
