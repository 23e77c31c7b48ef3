"""The executable definition of a legal plan: every invariant, checked again from the leaves up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from ir.errors import IrError, IrTypeError
from ir.expr import Call
from ir.operators import Operator, Sink
from ir.types import DataType, type_named


def verify(plan: Operator) -> None:
    """Raise an IrError with the path to the first illegal node.

    Constructors check what they are given, but a plan may also have been changed
    behind their back, or have been read from elsewhere.
    """
    if not isinstance(plan, Sink):
        raise IrError(f"the root of a plan is a Sink, got {type(plan).__name__}; wrap it in Sink")
    for below in plan.source.walk() if isinstance(plan.source, Operator) else ():
        if isinstance(below, Sink):
            raise IrError("a plan has one sink, its root; drop the one below it")
    _verify(plan, "sink")


def _verify(node: Any, path: str) -> None:
    """Parts have the declared types and are legal; rebuilt from them, the node is the same."""
    _check_parts(node, path)
    for step, part in _parts(node):
        _verify(part, f"{path}.{step}")
    try:
        rebuilt = type(node)(**{f.name: getattr(node, f.name) for f in fields(node) if f.init})
    except IrError as error:
        raise type(error)(f"{path}: {error}") from error
    for derived in (f.name for f in fields(node) if not f.init):
        there, now = getattr(node, derived), getattr(rebuilt, derived)
        if there != now:
            raise IrError(f"{path}: {derived} is {there}, but follows as {now}; rebuild the node")


def _check_parts(node: Any, path: str) -> None:
    cls: Any = type(node)
    hints = _hints(cls)
    for name in (f.name for f in fields(node) if f.init):
        value = getattr(node, name)
        if not _is_a(value, hints[name]):
            got = type(value).__name__
            raise IrTypeError(f"{path}.{name}: expected {_hint_text(hints[name])}, got {got}")
        if isinstance(value, DataType) and not _is_known(value):
            raise IrTypeError(f"{path}.{name}: {value} is not a type of ir.types; use type_named")


def _is_known(type_: DataType) -> bool:
    try:
        return type_named(type_.name) is type_
    except IrTypeError:
        return False


def _parts(node: Any) -> Iterator[tuple[str, Any]]:
    """The nodes directly inside a node, with how to get to them."""
    for name in (f.name for f in fields(node) if f.init):
        value = getattr(node, name)
        if isinstance(value, tuple):
            parts = ((i, part) for i, part in enumerate(value) if is_dataclass(part))
            yield from ((_step(node, name, i), part) for i, part in parts)
        elif is_dataclass(value) and not isinstance(value, DataType):
            yield _kind(name, value), value


def _step(node: Any, name: str, index: int) -> str:
    return f"{node.function}[{index}]" if isinstance(node, Call) else f"{name}[{index}]"


def _kind(name: str, value: Any) -> str:
    """A plan reads best as its operators: `sink.aggregate.filter`."""
    return type(value).__name__.lower() if isinstance(value, Operator) else name


@cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(cls)


def _is_a(value: object, hint: Any) -> bool:
    """Whether a value has an annotated type: a class, a union, or a tuple of one type."""
    if get_origin(hint) is tuple:
        (part, _) = get_args(hint)
        return isinstance(value, tuple) and all(_is_a(one, part) for one in value)
    if isinstance(hint, UnionType):
        return any(_is_a(value, option) for option in get_args(hint))
    return isinstance(value, hint)


def _hint_text(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint)
