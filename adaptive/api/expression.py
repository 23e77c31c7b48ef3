"""Expressions that are not bound to a stream yet: columns are names until they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from difflib import get_close_matches
from typing import Any

import ir
from adaptive.api.coercion import call, explicit
from adaptive.api.column_types import TypeLike, type_of
from adaptive.api.literals import UNTYPED, literal_of


class Expression:
    """A value of each row; operators and methods make larger ones, as in PySpark."""

    __slots__ = ()

    @property
    def operands(self) -> tuple[Expression, ...]:
        """The expressions that this one is made of."""
        return ()

    def with_operands(self, operands: tuple[Expression, ...]) -> Expression:
        """The same over other operands."""
        return self

    def bind(self, schema: ir.Schema) -> ir.Expr:
        """The typed expression over the columns of a schema."""
        raise NotImplementedError

    @property
    def label(self) -> str | None:
        """The name that the user gave to the result, if any."""
        return None

    def walk(self) -> Iterator[Expression]:
        """This expression and all below it, parents first."""
        yield self
        for operand in self.operands:
            yield from operand.walk()

    def alias(self, name: str) -> Expression:
        """The same value under a name."""
        return Alias(self, name)

    def cast(self, type_: TypeLike) -> Expression:
        """The value as another type; one that does not fit is an error."""
        return Convert(self, type_of(type_))

    def try_cast(self, type_: TypeLike) -> Expression:
        """The value as another type; one that does not fit is null."""
        return Convert(self, type_of(type_), ir.EvalMode.TRY)

    def is_null(self) -> Expression:
        """Whether the value is null."""
        return Apply("is_null", (self,))

    def is_not_null(self) -> Expression:
        """Whether the value is not null."""
        return Apply("is_not_null", (self,))

    def eq_null_safe(self, other: object) -> Expression:
        """Whether two values are equal, where null equals null."""
        return Apply("eq_null_safe", (self, value_of(other)))

    def isin(self, *values: Any) -> Expression:
        """Whether the value is one of these; a list may be given as well."""
        listed: Sequence[object] = values
        if len(values) == 1 and isinstance(values[0], list | tuple | set | frozenset):
            listed = list(values[0])
        if not listed:
            raise ir.IrError("isin needs at least one value")
        return Apply("in", (self, *map(value_of, listed)))

    def between(self, low: object, high: object) -> Expression:
        """Whether low <= value <= high."""
        return Apply("between", (self, value_of(low), value_of(high)))

    def startswith(self, other: object) -> Expression:
        """Whether the text begins with another."""
        return Apply("startswith", (self, value_of(other)))

    def endswith(self, other: object) -> Expression:
        """Whether the text ends with another."""
        return Apply("endswith", (self, value_of(other)))

    def contains(self, other: object) -> Expression:
        """Whether the text contains another."""
        return Apply("contains", (self, value_of(other)))

    def like(self, pattern: object) -> Expression:
        """Whether the text matches an SQL pattern: % is any text, _ any character, \\ plain."""
        return Apply("like", (self, value_of(pattern)))

    def ilike(self, pattern: object) -> Expression:
        """Whether the text matches an SQL pattern, in whatever case."""
        lowered = (Apply("lower", (text,)) for text in (self, value_of(pattern)))
        return Apply("like", tuple(lowered))

    def substr(self, start: object, length: object) -> Expression:
        """The characters from `start` (the first is 1) on, at most `length` of them."""
        return Apply("substring", (self, value_of(start), value_of(length)))

    def bitwise_and(self, other: object) -> Expression:
        """The bits that both integers have; `&` is for conditions."""
        return Apply("bit_and", (self, value_of(other)))

    def bitwise_or(self, other: object) -> Expression:
        """The bits that either integer has; `|` is for conditions."""
        return Apply("bit_or", (self, value_of(other)))

    def bitwise_xor(self, other: object) -> Expression:
        """The bits that one of the integers has."""
        return Apply("bit_xor", (self, value_of(other)))

    def __add__(self, other: object) -> Expression:
        if isinstance(other, timedelta):
            return _later(self, other)
        return Apply("add", (self, value_of(other)))

    def __radd__(self, other: object) -> Expression:
        if isinstance(other, timedelta):
            return _later(self, other)
        return Apply("add", (value_of(other), self))

    def __sub__(self, other: object) -> Expression:
        if isinstance(other, timedelta):
            return _later(self, -other)
        return Apply("subtract", (self, value_of(other)))

    def __rsub__(self, other: object) -> Expression:
        return Apply("subtract", (value_of(other), self))

    def __mul__(self, other: object) -> Expression:
        return Apply("multiply", (self, value_of(other)))

    def __rmul__(self, other: object) -> Expression:
        return Apply("multiply", (value_of(other), self))

    def __truediv__(self, other: object) -> Expression:
        return Apply("divide", (self, value_of(other)))

    def __rtruediv__(self, other: object) -> Expression:
        return Apply("divide", (value_of(other), self))

    def __floordiv__(self, other: object) -> Expression:
        return Apply("int_divide", (self, value_of(other)))

    def __rfloordiv__(self, other: object) -> Expression:
        return Apply("int_divide", (value_of(other), self))

    def __mod__(self, other: object) -> Expression:
        return Apply("remainder", (self, value_of(other)))

    def __rmod__(self, other: object) -> Expression:
        return Apply("remainder", (value_of(other), self))

    def __neg__(self) -> Expression:
        return Apply("negate", (self,))

    def __eq__(self, other: object) -> Expression:  # type: ignore[override]
        return Apply("eq", (self, value_of(other)))

    def __ne__(self, other: object) -> Expression:  # type: ignore[override]
        return Apply("ne", (self, value_of(other)))

    def __lt__(self, other: object) -> Expression:
        return Apply("lt", (self, value_of(other)))

    def __le__(self, other: object) -> Expression:
        return Apply("le", (self, value_of(other)))

    def __gt__(self, other: object) -> Expression:
        return Apply("gt", (self, value_of(other)))

    def __ge__(self, other: object) -> Expression:
        return Apply("ge", (self, value_of(other)))

    def __and__(self, other: object) -> Expression:
        return Apply("and", (self, value_of(other)))

    def __rand__(self, other: object) -> Expression:
        return Apply("and", (value_of(other), self))

    def __or__(self, other: object) -> Expression:
        return Apply("or", (self, value_of(other)))

    def __ror__(self, other: object) -> Expression:
        return Apply("or", (value_of(other), self))

    def __invert__(self) -> Expression:
        return Apply("not", (self,))

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        raise ir.IrTypeError(
            "a condition over columns is not true or false by itself: join conditions with"
            " & and | and negate with ~, each in parentheses, and use .between for a < b < c"
        )


@dataclass(frozen=True, slots=True, eq=False)
class ColumnName(Expression):
    """A column, looked up by name when the expression is bound."""

    name: str

    def bind(self, schema: ir.Schema) -> ir.Expr:
        if self.name not in schema:
            raise ir.IrSchemaError(unknown_column(self.name, schema.names))
        field = schema[self.name]
        return ir.Column(field.name, field.type, field.nullable)

    @property
    def label(self) -> str | None:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class Constant(Expression):
    """A Python value."""

    value: object

    def __post_init__(self) -> None:
        literal_of(self.value)  # a wrong constant is an error where it is written

    def bind(self, schema: ir.Schema) -> ir.Expr:
        return literal_of(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Expression):
    """A function of `ir.FUNCTIONS` of some operands."""

    function: str
    operands: tuple[Expression, ...]
    mode: ir.EvalMode = ir.EvalMode.ANSI

    def with_operands(self, operands: tuple[Expression, ...]) -> Expression:
        return replace(self, operands=operands)

    def bind(self, schema: ir.Schema) -> ir.Expr:
        args = [operand.bind(schema) for operand in self.operands]
        return call(self.function, args, self.mode)


@dataclass(frozen=True, slots=True, eq=False)
class Convert(Expression):
    """An explicit cast."""

    child: Expression
    type: ir.DataType
    mode: ir.EvalMode = ir.EvalMode.ANSI

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.child,)

    def with_operands(self, operands: tuple[Expression, ...]) -> Expression:
        return replace(self, child=operands[0])

    def bind(self, schema: ir.Schema) -> ir.Expr:
        return explicit(self.child.bind(schema), self.type, self.mode)

    @property
    def label(self) -> str | None:
        return self.child.label  # a cast column keeps its name, as in Spark


@dataclass(frozen=True, slots=True, eq=False)
class Alias(Expression):
    """A value under another name."""

    child: Expression
    name: str

    @property
    def operands(self) -> tuple[Expression, ...]:
        return (self.child,)

    def with_operands(self, operands: tuple[Expression, ...]) -> Expression:
        return replace(self, child=operands[0])

    def bind(self, schema: ir.Schema) -> ir.Expr:
        return self.child.bind(schema)

    @property
    def label(self) -> str | None:
        return self.name


@dataclass(frozen=True, slots=True, eq=False)
class When(Expression):
    """The value of the first condition that is true; null where none is."""

    branches: tuple[Expression, ...]

    @property
    def operands(self) -> tuple[Expression, ...]:
        return self.branches

    def with_operands(self, operands: tuple[Expression, ...]) -> Expression:
        return replace(self, branches=operands)

    def when(self, condition: Expression, value: object) -> When:
        """Another branch, for rows that no earlier one took."""
        return When((*self.branches, condition, value_of(value)))

    def otherwise(self, value: object) -> Expression:
        """The value where no condition is true."""
        return Apply("case_when", (*self.branches, value_of(value)))

    def bind(self, schema: ir.Schema) -> ir.Expr:
        return self.otherwise(None).bind(schema)


def _later(time: Expression, length: timedelta) -> Expression:
    """A time moved by a length that is the same everywhere."""
    micros = length // timedelta(microseconds=1)
    return Apply("timestamp_add", (Constant("microsecond"), Constant(micros), time))


def value_of(value: object) -> Expression:
    """An operand: an expression as it is, any other value as a constant."""
    return value if isinstance(value, Expression) else Constant(value)


def column_of(value: object) -> Expression:
    """An argument: text is the name of a column, another value a constant."""
    return ColumnName(value) if isinstance(value, str) else value_of(value)


def bound(expression: Expression, schema: ir.Schema) -> ir.Expr:
    """The typed expression that a plan can have."""
    made = expression.bind(schema)
    if made.type == UNTYPED:
        raise ir.IrTypeError("this null has no type; write f.lit(None).cast('string') or the like")
    return made


def named(expression: Expression, schema: ir.Schema) -> ir.Named:
    """The expression and its name: the user's, or its text."""
    made = bound(expression, schema)
    return ir.Named(expression.label or ir.expr_text(made), made)


def rewrite(
    expression: Expression, change: Callable[[Expression], Expression | None]
) -> Expression:
    """The expression with those parts replaced for which `change` gives something."""
    changed = change(expression)
    if changed is not None:
        return changed
    operands = tuple(rewrite(operand, change) for operand in expression.operands)
    return expression.with_operands(operands) if operands else expression


def unknown_column(name: str, names: Sequence[str]) -> str:
    """What to say about a column that is not there."""
    close = get_close_matches(name, names, n=1)
    meant = f" did you mean {close[0]!r}?" if close else ""
    listed = ", ".join(names) or "none"
    return f"no column {name!r};{meant} there are: {listed}. For the text itself write f.lit"
