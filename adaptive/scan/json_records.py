"""JSON records as rows, exactly as Spark's reader makes them; slow, for what is odd.

Names are those of Spark's JacksonParser: a bad field is null, a record that cannot be read to its
end is a row of nulls, and what becomes of either is the reader's mode.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import ir
from adaptive.scan.json_encodings import narrowed
from adaptive.scan.json_tokens import JsonTokens, Malformed, Token
from adaptive.scan.pushed_filters import PushedFilters, Skips
from adaptive.scan.record_modes import Record, Row, text_or_bytes
from adaptive.scan.text_values import BadField, date_of, decimal_of, timestamp_of
from ir.parsing import parse_float
from ir.regions import WrittenTimes

_NAN_WORDS = {
    "NaN": math.nan,
    **dict.fromkeys(("+INF", "+Infinity", "Infinity"), math.inf),
    **dict.fromkeys(("-INF", "-Infinity"), -math.inf),
}
# Jackson takes an unsigned byte for a byte.
_JAVA_BYTE = range(-128, 256)
_LONG_DIGITS = 18  # of an integer that Jackson reads as one before it makes a float of it


def read_record(
    data: bytes,
    schema: ir.Schema,
    pushed: PushedFilters | None = None,
    times: WrittenTimes | None = None,
) -> Record:
    """The rows of one line, and whether it is a corrupt record.

    Times without a zone and in regions are those of `times`, or in UTC and of this machine.
    """
    try:
        wide = narrowed(data)
        tokens = JsonTokens(data if wide is None else wide, has_places=wide is None)
        first = tokens.next()
        if first is None:
            return Record(())
        if first is Token.START_OBJECT:
            return _object(tokens, schema, None if pushed is None else pushed.begin(), times)
        if first is Token.START_ARRAY:
            return _array(tokens, schema, times)
    except Malformed:
        pass
    return Record(({},), True)


def _object(
    tokens: JsonTokens, schema: ir.Schema, skips: Skips | None, times: WrittenTimes | None
) -> Record:
    """The fields of an object; what stands behind it is not looked at."""
    row: Row = {}
    is_bad = False
    types = {field.name: field.type for field in schema}
    while tokens.next_until(Token.END_OBJECT):
        type_ = types.get(tokens.name)
        if type_ is None:
            tokens.next()
            tokens.skip_children()
            continue
        name = tokens.name
        try:
            row[name] = _value(tokens, type_, times)
            if skips is not None and skips(row, name):
                return Record(())
        except (BadField, Malformed):
            is_bad = True
            tokens.skip_children()
    return Record((row,), is_bad)


def _array(tokens: JsonTokens, schema: ir.Schema, times: WrittenTimes | None) -> Record:
    """The objects of an array are rows of their own; anything else in it spoils them all."""
    records = []
    while tokens.next_until(Token.END_ARRAY):
        if tokens.token is not Token.START_OBJECT:
            raise Malformed("an array has more than objects")
        records.append(_object(tokens, schema, None, times))
    rows = tuple(row for record in records for row in record.rows)
    return Record(rows, any(record.is_bad for record in records))


def _value(tokens: JsonTokens, type_: ir.DataType, times: WrittenTimes | None) -> object:
    token = tokens.next()
    if token is Token.NULL:
        return None
    if token is Token.STRING:
        tokens.text()  # Spark asks for its length, whatever the type is
    if type_ is ir.STRING:
        return _string(tokens)
    if isinstance(type_, ir.DecimalType):
        return _decimal(tokens, type_)
    if type_ is ir.TIMESTAMP:
        return _timestamp(tokens, times)
    return _CONVERTERS[type_](tokens, type_)


def _string(tokens: JsonTokens) -> str | bytes:
    """A string, or of anything else the source as it is written."""
    if tokens.token is Token.STRING:
        return tokens.text().encode("utf-8", "replace").decode()
    begin = tokens.begin
    tokens.skip_children()
    if not tokens.has_places:
        return ""
    return text_or_bytes(tokens.data[begin : tokens.at])


def _boolean(tokens: JsonTokens, type_: ir.DataType) -> bool:
    if tokens.token not in (Token.TRUE, Token.FALSE):
        raise BadField("no boolean")
    return tokens.token is Token.TRUE


def _integer(tokens: JsonTokens, type_: ir.DataType) -> int:
    if tokens.token is not Token.INTEGER:
        raise BadField(f"no {type_}")
    value = int(tokens.text())
    if type_ is ir.INT8 and value in _JAVA_BYTE:
        return value - 256 if value > type_.high else value
    if not type_.low <= value <= type_.high:
        raise BadField(f"{value} is no {type_}")
    return value


def _float(tokens: JsonTokens, type_: ir.DataType) -> float:
    text = tokens.text()
    if tokens.token is Token.STRING:
        if text not in _NAN_WORDS:
            raise BadField(f"{text!r} is no {type_}")
        return _NAN_WORDS[text]
    if tokens.token not in (Token.INTEGER, Token.FLOAT):
        raise BadField(f"no {type_}")
    if text in _NAN_WORDS:
        return _NAN_WORDS[text]
    if tokens.token is Token.INTEGER:
        text = text.removeprefix("-") if text.strip("-0") == "" else text  # -0 is an integer
        if len(text.removeprefix("-")) > _LONG_DIGITS:
            text = repr(parse_float(text, ir.FLOAT64))  # by way of a double
    value = parse_float(text, type_)
    assert value is not None
    return value


def _timestamp(tokens: JsonTokens, times: WrittenTimes | None) -> int:
    """A text, or an integer of seconds whose microseconds wrap around."""
    if tokens.token is Token.STRING:
        return timestamp_of(_nonempty(tokens), times)
    seconds = _integer(tokens, ir.INT64)
    return (seconds * 1_000_000 + 2**63) % 2**64 - 2**63


def _date(tokens: JsonTokens, type_: ir.DataType) -> int:
    if tokens.token is not Token.STRING:
        raise BadField("no date")
    return date_of(_nonempty(tokens))


def _decimal(tokens: JsonTokens, type_: ir.DecimalType) -> int:
    if tokens.token not in (Token.STRING, Token.INTEGER, Token.FLOAT):
        raise BadField(f"no {type_}")
    return decimal_of(_nonempty(tokens), type_)


def _nonempty(tokens: JsonTokens) -> str:
    text = tokens.text()
    if not text:
        raise BadField("an empty string")
    return text


_CONVERTERS: dict[ir.DataType, Callable[[JsonTokens, ir.DataType], object]] = {
    ir.BOOL: _boolean,
    **dict.fromkeys((ir.INT8, ir.INT16, ir.INT32, ir.INT64), _integer),
    **dict.fromkeys((ir.FLOAT32, ir.FLOAT64), _float),
    ir.DATE: _date,
}
