"""Column types of files as the types that a query declares: what Spark's reader permits."""

from __future__ import annotations

import pyarrow as pa

import ir
from adaptive.runtime.binding import CODES, arrow_type

_SIGNED = (pa.int8(), pa.int16(), pa.int32())
_UNSIGNED = (pa.uint8(), pa.uint16(), pa.uint32())
_TEXT = (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary())
# Parquet keeps all integers up to 32 bits as INT32, and Spark reads them as any
# integer type that the schema asks for: a narrower one takes the low bits.
_READABLE: dict[ir.DataType, tuple[pa.DataType, ...]] = {
    ir.INT8: _SIGNED + _UNSIGNED,
    ir.INT16: _SIGNED + _UNSIGNED,
    ir.INT32: _SIGNED + _UNSIGNED,
    ir.INT64: (*_SIGNED, *_UNSIGNED, pa.int64()),
    ir.FLOAT64: (*_SIGNED, pa.uint8(), pa.uint16(), pa.float32()),
    ir.STRING: _TEXT,
}


def can_read(there: pa.DataType, wanted: ir.DataType) -> bool:
    """Whether a file's column of this type may be read as the type that the query declares."""
    if pa.types.is_dictionary(there):
        there = there.value_type
    if wanted is ir.TIMESTAMP:
        # Nanoseconds are refused, as in Spark. Without a zone, the value counts as UTC.
        return pa.types.is_timestamp(there) and there.unit in ("us", "ms")
    if isinstance(wanted, ir.DecimalType) and pa.types.is_decimal(there):
        return bool(there.scale == wanted.scale and there.precision <= wanted.precision)
    return there == arrow_type(wanted) or there in _READABLE.get(wanted, ())


def can_widen(there: pa.DataType, wanted: ir.DataType) -> bool:
    """Whether every value of an Arrow column has the same value in the type of the query."""
    if wanted in (ir.INT8, ir.INT16, ir.INT32):
        narrower = {f"{sign}int{w}" for sign in ("", "u") for w in (8, 16) if w < wanted.bits}
        return there == arrow_type(wanted) or str(there) in narrower
    if wanted is ir.TIMESTAMP and pa.types.is_timestamp(there):
        return bool(there.unit != "ns")
    return can_read(there, wanted)


def converted(array: pa.Array, wanted: ir.DataType) -> pa.Array:
    """The column in the Arrow type of `wanted`; string dictionaries stay dictionaries."""
    target = arrow_type(wanted)
    if array.type == target or (wanted is ir.STRING and array.type == CODES):
        return array
    if pa.types.is_dictionary(array.type):
        if wanted is ir.STRING:
            codes = array.indices.cast(CODES.index_type)
            return pa.DictionaryArray.from_arrays(codes, array.dictionary.cast(target, safe=False))
        array = array.dictionary_decode()
    return array.cast(target, safe=wanted not in (ir.INT8, ir.INT16, ir.INT32, ir.STRING))
