"""Lines of CSV as rows, exactly as Spark's reader makes them; slow, for what is odd."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import ir
from adaptive.scan.record_modes import Record, Row
from adaptive.scan.text_values import (
    BadField,
    Unsure,
    decimal_of,
    integer_of,
    plain_date_of,
    timestamp_of,
)
from codegen_llvm import CsvForm
from ir.parsing import parse_float
from ir.regions import WrittenTimes

_JAVA_SPACES = "".join(map(chr, range(0x21)))
_WORDS = {"NaN": math.nan, "Inf": math.inf, "-Inf": -math.inf}
_JAVA_WORDS = re.compile(r"([+-]?)(NaN|Infinity)")
_HALF = re.compile(b"\xed[\xa0-\xbf]")


@dataclass(frozen=True)
class CsvLines:
    """Reads the fields of a schema from lines; `fields` is how many a line must have, if it must.

    `filters` are those that Spark applies while it converts fields: a row that one drops is not
    looked at any further.
    """

    schema: ir.Schema
    positions: tuple[int, ...]
    form: CsvForm
    fields: int | None = None
    filters: Sequence[ir.Expr] = ()
    times: WrittenTimes | None = None  # those of this machine, in UTC, where none are told

    def read(self, line: bytes) -> Record:
        """The row of one line, and whether it is a corrupt record."""
        text = _decoded(line)
        if not text.strip(_JAVA_SPACES):
            return Record(())
        if not len(self.schema):
            return Record(({},))
        tokens = split(text, self.form)
        is_bad = self.fields is not None and len(tokens) != self.fields
        row: Row = {}
        done: list[str] = []
        for field, position in zip(self.schema, self.positions, strict=True):
            try:
                if position >= len(tokens) and self.fields is not None:
                    raise BadField("a field is missing")
                token = tokens[position] if position < len(tokens) else None
                row[field.name] = self._value(token, field.type)
            except BadField:
                is_bad = True
                row[field.name] = None
                done.append(field.name)
                continue
            done.append(field.name)
            if self._drops(row, done):
                return Record(())
        return Record((row,), is_bad)

    def _value(self, token: str | None, type_: ir.DataType) -> object:
        if token is None or token == self.form.null:
            return None
        if isinstance(type_, ir.DecimalType):
            return decimal_of(token, type_)
        if type_ is ir.TIMESTAMP:
            return timestamp_of(token, self.times)
        return _CONVERTERS[type_](token, type_)

    def _drops(self, row: Row, done: list[str]) -> bool:
        """Filters whose last column was just read."""
        return any(
            ir.evaluate_expr(predicate, row) is not True  # type: ignore[arg-type]
            for predicate in self.filters
            if done[-1] in predicate.columns() and predicate.columns() <= set(done)
        )


def split(text: str, form: CsvForm) -> list[str | None]:
    """The fields of a line; an empty one is None, a quoted empty one is empty."""
    tokens: list[str | None] = []
    at = 0
    while True:
        if text[at : at + 1] == form.quote:
            token, at = _quoted(text, at + 1, form)
            tokens.append(token)
        else:
            end = text.find(form.separator, at)
            end = len(text) if end < 0 else end
            tokens.append(text[at:end] or None)
            at = end
        if at >= len(text):
            return tokens
        at += 1


def _quoted(text: str, at: int, form: CsvForm) -> tuple[str, int]:
    """The content of a quoted field, and where the separator behind it is."""
    content = []
    while True:
        char = text[at : at + 1]
        if not char:
            raise Unsure("a quoted field does not end")
        following = text[at + 1 : at + 2]
        if char == form.escape and following == form.quote:
            content.append(form.quote)
            at += 2
        elif char == form.escape and following == form.escape:
            content.append(form.escape)
            at += 2
        elif char == form.quote:
            break
        else:
            content.append(char)
            at += 1
    behind = at + 1
    while text[behind : behind + 1] == " " and form.separator != " ":
        behind += 1
    if text[behind : behind + 1] not in ("", form.separator):
        raise Unsure("a quote within a quoted field is not escaped")
    return "".join(content), behind


def _decoded(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as problem:
        if _HALF.search(line):
            raise Unsure("half a character of UTF-16 as UTF-8") from problem
        return line.decode(errors="replace")


def _boolean(text: str, type_: ir.DataType) -> bool:
    if text.lower() not in ("true", "false"):
        raise BadField(f"{text!r} is no boolean")
    return text.lower() == "true"


def _float(text: str, type_: ir.DataType) -> float:
    """The words of the reader's options, and what Java reads as a float."""
    if text in _WORDS:
        return _WORDS[text]
    core = text.strip(_JAVA_SPACES)
    if found := _JAVA_WORDS.fullmatch(core):
        sign = -1.0 if found.group(1) == "-" else 1.0
        return math.nan if found.group(2) == "NaN" else sign * math.inf
    value = parse_float(text, type_) if any(char.isdigit() for char in core) else None
    if value is None:
        raise BadField(f"{text!r} is no {type_}")
    return value


_CONVERTERS: dict[ir.DataType, Callable[[str, ir.DataType], object]] = {
    ir.BOOL: _boolean,
    **dict.fromkeys((ir.INT8, ir.INT16, ir.INT32, ir.INT64), integer_of),
    **dict.fromkeys((ir.FLOAT32, ir.FLOAT64), _float),
    ir.STRING: lambda text, type_: text,
    ir.DATE: lambda text, type_: plain_date_of(text),
}
