"""Results of users' aggregates: the result expression, compiled, over the columns of the states."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from adaptive.runtime.binding import arrow_type
from adaptive.runtime.projection import Projection
from ir import BOOL, DataType, Field, Literal, Named, ProjectionProgram, Schema, UserAggregate

_RESULT = "result"


def user_results(definition: UserAggregate, states: list[pa.Array]) -> pa.Array:
    """What a definition makes of states, given column by column."""
    made = [pa.field(field.name, arrow_type(field.type)) for field in definition.state]
    batch = pa.RecordBatch.from_arrays(states, schema=pa.schema(made))
    return Projection(_program(definition)).run(batch).column(0)


def initial_state(definition: UserAggregate) -> list[pa.Array]:
    """The state of one group without rows, column by column."""
    return [_single(field.type, value) for field, value in _pairs(definition)]


@lru_cache(maxsize=64)
def _program(definition: UserAggregate) -> ProjectionProgram:
    read = definition.result.columns()
    result = Named(_RESULT, definition.result)
    return ProjectionProgram(
        Schema(tuple(field for field in definition.state if field.name in read)),
        (),
        (result,),
        Schema((result.field,)),
    )


def _pairs(definition: UserAggregate) -> list[tuple[Field, Literal]]:
    return list(zip(definition.state, definition.initial, strict=True))


def _single(type_: DataType, literal: Literal) -> pa.Array:
    """A constant of a fixed width as an array of one element."""
    value = literal.value
    if value is None:
        return pa.nulls(1, arrow_type(type_))
    if type_.is_float:
        bytes_ = np.array([value], f"f{type_.bits // 8}").tobytes()
    else:
        assert isinstance(value, int)
        width = 1 if type_ == BOOL else type_.bits // 8
        bytes_ = value.to_bytes(width, "little", signed=True)
    return pa.Array.from_buffers(arrow_type(type_), 1, [None, pa.py_buffer(bytes_)])
