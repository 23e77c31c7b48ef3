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
# So are dates, which are days in an INT32.
_READABLE: dict[ir.DataType, tuple[pa.DataType, ...]] = {
    ir.INT8: (*_SIGNED, *_UNSIGNED, pa.date32()),
    ir.INT16: (*_SIGNED, *_UNSIGNED, pa.date32()),
    ir.INT32: (*_SIGNED, *_UNSIGNED, pa.date32()),
    ir.INT64: (*_SIGNED, *_UNSIGNED, pa.int64(), pa.date32()),
    ir.FLOAT64: (*_SIGNED, pa.uint8(), pa.uint16(), pa.float32(), pa.date32()),
    ir.DATE: (*_SIGNED, pa.uint8(), pa.uint16()),
    ir.STRING: _TEXT,
    ir.BINARY: _TEXT,
}
# The digits before the point that a decimal must have to be read from an integer.
_DIGITS = {pa.int8(): 10, pa.int16(): 10, pa.int32(): 10, pa.int64(): 20}


def can_read(there: pa.DataType, wanted: ir.DataType) -> bool:
    """Whether a file's column of this type may be read as the type that the query declares."""
    if pa.types.is_dictionary(there):
        there = there.value_type
    if wanted is ir.TIMESTAMP:
        # Nanoseconds are refused, as in Spark. Without a zone, the value counts as UTC.
        return pa.types.is_timestamp(there) and there.unit in ("us", "ms")
    if isinstance(wanted, ir.DecimalType):
        return _fits_decimal(there, wanted)
    if wanted is ir.BINARY and pa.types.is_fixed_size_binary(there):
        return True
    return there == arrow_type(wanted) or there in _READABLE.get(wanted, ())


def _fits_decimal(there: pa.DataType, wanted: ir.DecimalType) -> bool:
    """Whether there are digits enough, on both sides of the point."""
    digits = wanted.precision - wanted.scale
    if pa.types.is_decimal(there):
        return bool(there.scale <= wanted.scale and there.precision - there.scale <= digits)
    return there in _DIGITS and digits >= _DIGITS[there]


def can_widen(there: pa.DataType, wanted: ir.DataType) -> bool:
    """Whether every value of an Arrow column has the same value in the type of the query."""
    if there == pa.date32() or wanted is ir.DATE:
        return bool(there == arrow_type(wanted))
    if wanted in (ir.INT8, ir.INT16, ir.INT32):
        narrower = {f"{sign}int{w}" for sign in ("", "u") for w in (8, 16) if w < wanted.bits}
        return there == arrow_type(wanted) or str(there) in narrower
    if wanted is ir.TIMESTAMP and pa.types.is_timestamp(there):
        return bool(there.unit != "ns")
    return can_read(there, wanted)


def is_same_number(there: pa.DataType, wanted: ir.DataType) -> bool:
    """Whether a file's whole numbers, days or microseconds are those of the query."""
    if wanted is ir.TIMESTAMP:
        return bool(pa.types.is_timestamp(there) and there.unit == "us")
    return bool(there == arrow_type(wanted) or (wanted is ir.INT64 and there in _SIGNED))


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
    if pa.types.is_date(array.type) or wanted is ir.DATE:
        array = array.cast(pa.int32())  # Arrow casts between days and no other integers
    return array.cast(target, safe=wanted not in (ir.INT8, ir.INT16, ir.INT32, ir.STRING))
