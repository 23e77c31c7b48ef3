"""What is known about a scalar function without evaluating it, and the rules for its types."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from ir import decimals
from ir.errors import IrTypeError
from ir.regions import written_times
from ir.time_units import step_unit, weekday_named
from ir.types import (
    BINARY,
    BOOL,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    DataType,
    DecimalType,
)
from ir.zones import zone_of


class EvalMode(Enum):
    """What happens when a value cannot be represented; fixed per expression, as in Spark."""

    ANSI = "ansi"  # raise
    LEGACY = "legacy"  # wrap around, or null for decimals and for division by zero
    TRY = "try"  # null
    EXACT = "exact"  # nothing: every value can be, as ir.intervals has proven


class Nulls(Enum):
    """How a result's nullability follows from the arguments'."""

    ANY = "null if any argument may be null"
    ALL = "null if every argument may be null"
    FIRST = "null if the first argument may be null"
    NEVER = "never null"
    SOME = "null for some arguments that are not"
    BRANCHES = "null if a branch's value may be null"


class Failure(Enum):
    """Why a function can fail; the mode decides whether it raises, wraps or gives null."""

    NONE = "cannot fail"
    OVERFLOW = "the integer or decimal result may not fit"
    ZERO = "the divisor may be zero"
    ZERO_OR_OVERFLOW = "the divisor may be zero, or the quotient may not fit"
    PATTERN = "the pattern may have an escape that escapes nothing"
    RANGE = "there may be no such date or timestamp"


TypeRule = Callable[[str, Sequence[DataType]], DataType]
# Also by the values of the arguments that are constants, by position.
ValueRule = Callable[[str, Sequence[DataType], Mapping[int, object]], DataType]


@dataclass(frozen=True, slots=True)
class Function:
    """What is known about a scalar function without evaluating it."""

    name: str
    result: TypeRule
    arity: tuple[int, int | None]
    nulls: Nulls = Nulls.ANY
    failure: Failure = Failure.NONE
    pure: bool = True
    symbol: str | None = None
    constants: tuple[int, ...] = ()  # positions of arguments that must be literals
    by_value: ValueRule | None = None  # the result's type, where these decide it

    def result_type(
        self, types: Sequence[DataType], values: Mapping[int, object] | None = None
    ) -> DataType:
        """The type of the result, or an error that names the function and its arguments."""
        least, most = self.arity
        if len(types) < least or (most is not None and len(types) > most):
            wanted = str(least) if least == most else f"{least} to {most or 'many'}"
            raise IrTypeError(f"{self.name} takes {wanted} arguments, got {len(types)}")
        made = self.result(self.name, types)
        if self.by_value is None or values is None:
            return made
        return self.by_value(self.name, types, values)


def same_type(name: str, types: Sequence[DataType]) -> DataType:
    """All arguments have one type: casts are explicit in the IR."""
    if len(set(types)) != 1:
        listed = ", ".join(map(str, types))
        raise IrTypeError(f"{name} needs arguments of one type, got ({listed}); add a cast")
    return types[0]


def numeric(name: str, types: Sequence[DataType]) -> DataType:
    """One type of numbers, which is the result's."""
    shared = same_type(name, types)
    if not shared.is_numeric:
        raise IrTypeError(f"{name} needs numbers, got {shared}; cast to a numeric type")
    return shared


def only(*allowed: DataType) -> TypeRule:
    """One of these types, which is the result's."""

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        shared = same_type(name, types)
        if shared not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise IrTypeError(f"{name} needs {wanted}, got {shared}; add a cast")
        return shared

    return rule


def integer(name: str, types: Sequence[DataType]) -> DataType:
    """One type of integers, which is the result's."""
    shared = same_type(name, types)
    if not shared.is_integer:
        raise IrTypeError(f"{name} needs integers, got {shared}; cast to an integer type")
    return shared


def decimal_or(other: TypeRule) -> TypeRule:
    """Decimals of any digits, whose result has its own; or another rule."""

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        if all(type_.is_decimal for type_ in types):
            return decimals.result_type(name, types)
        return other(name, types)

    return rule


def whole(name: str, types: Sequence[DataType]) -> DataType:
    """Rounding to an integer: of a float to int64, of a decimal to one without a scale."""
    (type_,) = types
    if isinstance(type_, DecimalType):
        return decimals.whole_type(type_)
    return of(FLOAT64, INT64)(name, types)


def of(argument: DataType, result: DataType) -> TypeRule:
    """One type of arguments, and another of the result."""
    wanted = only(argument)

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        wanted(name, types)
        return result

    return rule


def of_bytes(result: DataType) -> TypeRule:
    """Strings, or binaries, and another type of the result."""
    wanted = only(STRING, BINARY)

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        wanted(name, types)
        return result

    return rule


def predicate(name: str, types: Sequence[DataType]) -> DataType:
    """A bool of arguments of one type."""
    same_type(name, types)
    return BOOL


def test(name: str, types: Sequence[DataType]) -> DataType:
    """A bool of arguments of any type."""
    return BOOL


def branches(name: str, types: Sequence[DataType]) -> DataType:
    """condition, value, condition, value, ..., value of else."""
    if len(types) % 2 == 0:
        raise IrTypeError(f"{name} needs an else value; use a null literal for none")
    for position in range(0, len(types) - 1, 2):
        if types[position] is not BOOL:
            raise IrTypeError(f"{name} needs bool conditions, got {types[position]}")
    return same_type(name, [*types[1:-1:2], types[-1]])


def takes(result: DataType, *wanted: DataType) -> TypeRule:
    """Arguments of these types, in this order; those at the end may be left out."""

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        if tuple(types) != wanted[: len(types)]:
            listed, given = (", ".join(map(str, some)) for some in (wanted, types))
            raise IrTypeError(f"{name} needs ({listed}), got ({given}); add a cast")
        return result

    return rule


def either(*rules: TypeRule) -> TypeRule:
    """The first of these rules that holds; the error is that of the first."""

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        for other in rules[1:]:
            try:
                return other(name, types)
            except IrTypeError:
                continue
        return rules[0](name, types)

    return rule


def rounding(name: str, types: Sequence[DataType]) -> DataType:
    """A number, and how many digits behind the point to keep."""
    if types[1] is not INT32:
        raise IrTypeError(f"{name} needs int32 digits, got {types[1]}; add a cast")
    return numeric(name, types[:1])


def rounding_by_value(
    name: str, types: Sequence[DataType], values: Mapping[int, object]
) -> DataType:
    """The digits decide what a rounded decimal has."""
    digits = values[1]
    if not isinstance(digits, int):
        raise IrTypeError(f"{name} needs a number of digits, not null")
    if isinstance(types[0], DecimalType):
        return decimals.rounded_type(types[0], digits)
    return types[0]


def shift(name: str, types: Sequence[DataType]) -> DataType:
    """The bits of an int32 or int64, moved by an int32."""
    if types[1] is not INT32:
        raise IrTypeError(f"{name} needs an int32 to shift by, got {types[1]}; add a cast")
    return only(INT32, INT64)(name, types[:1])


def seconds(name: str, types: Sequence[DataType]) -> DataType:
    """Whole seconds since 1970, or with a fraction."""
    only(INT64, FLOAT64)(name, types)
    return TIMESTAMP


def with_step_unit(result: DataType) -> ValueRule:
    """The first argument is a unit of time."""

    def rule(name: str, types: Sequence[DataType], values: Mapping[int, object]) -> DataType:
        step_unit(name, values[0])
        return result

    return rule


def with_weekday(name: str, types: Sequence[DataType], values: Mapping[int, object]) -> DataType:
    """The second argument is a day of the week."""
    weekday_named(name, values[1])
    return types[0]


def with_zone(result: DataType) -> ValueRule:
    """The first argument is a time zone."""

    def rule(name: str, types: Sequence[DataType], values: Mapping[int, object]) -> DataType:
        zone_of(values[0])
        return result

    return rule


def with_written_times(result: DataType) -> ValueRule:
    """The first argument says what times mean that are written as text."""

    def rule(name: str, types: Sequence[DataType], values: Mapping[int, object]) -> DataType:
        written_times(values[0])
        return result

    return rule
