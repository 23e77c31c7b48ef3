"""Functions of texts whose arguments differ from those of `ir.FUNCTIONS`."""

from __future__ import annotations

import ir
from adaptive.api.expression import Apply, Constant, Expression, column_of, value_of
from ir.patterns import BadPattern, with_backslash


def locate(part: object, text: object, start: object = 1) -> Expression:
    """The position of a text (a constant) in a column, from a position on; 0 where it is not."""
    return _located(value_of(part), column_of(text), column_of(start))


def position(part: object, text: object, start: object = 1) -> Expression:
    """The position of a column's text in another's, from a position on; 0 where it is not."""
    return _located(column_of(part), column_of(text), column_of(start))


def _located(part: Expression, text: Expression, start: Expression) -> Expression:
    """As in Spark, 0 where the start is null."""
    found = Apply("locate_from", (part, text, start))
    if isinstance(start, Constant) and start.value is not None:
        return found
    return Apply("case_when", (Apply("is_null", (start,)), Constant(0), found))


def replace(text: object, search: object, instead: object | None = None) -> Expression:
    """Every occurrence of a column's text as another's; left out where there is no other."""
    other = Constant("") if instead is None else column_of(instead)
    return Apply("replace", (column_of(text), column_of(search), other))


def lpad(text: object, length: object, pad: object = " ") -> Expression:
    """The text with exactly `length` characters, filled up in front or cut off."""
    return Apply("lpad", (column_of(text), column_of(length), value_of(pad)))


def rpad(text: object, length: object, pad: object = " ") -> Expression:
    """The text with exactly `length` characters, filled up behind or cut off."""
    return Apply("rpad", (column_of(text), column_of(length), value_of(pad)))


def like(text: object, pattern: object, escape: str | None = None) -> Expression:
    """Whether a column's text matches an SQL pattern: % is any text, _ any character."""
    return column_of(text).like(_with_backslash(column_of(pattern), escape))


def ilike(text: object, pattern: object, escape: str | None = None) -> Expression:
    """Whether a column's text matches an SQL pattern, in whatever case."""
    return column_of(text).ilike(_with_backslash(column_of(pattern), escape))


def _with_backslash(pattern: Expression, escape: str | None) -> Expression:
    """The pattern with a backslash as its escape; another needs a constant pattern."""
    if escape is None:
        return pattern
    if len(escape) != 1:
        raise ir.IrError(f"an escape is one character, got {escape!r}")
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        raise ir.IrError("an escape needs a constant pattern; write the pattern with a backslash")
    try:
        return Constant(with_backslash(pattern.value, escape))
    except BadPattern as error:
        raise ir.IrError(
            f"the pattern {pattern.value!r} is wrong ({error.condition}): {escape!r} only stands"
            " before %, _ and itself"
        ) from None
