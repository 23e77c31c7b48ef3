"""The table of aggregate functions and the call of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ir.decimals import bounded
from ir.errors import IrTypeError
from ir.expr import Expr, Scalar
from ir.signatures import EvalMode
from ir.types import BOOL, FLOAT64, INT64, DataType, DecimalType
from ir.user_aggregates import UserAggregate


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """What is known about an aggregate without running it."""

    name: str
    result: Callable[[str, DataType | None], DataType]
    empty_is_null: bool = True  # the result of a group without any non-null argument
    can_overflow: bool = False
    few_is_null: bool = False  # whether some values do not suffice for a result
    defaults: tuple[Scalar, ...] = ()  # of the parameters
    keeps_values: bool = False  # whether a group has to remember every value
    check: Callable[[str, tuple[Scalar, ...]], None] | None = None  # whether parameters are legal


def _count(name: str, argument: DataType | None) -> DataType:
    return INT64


def _sum(name: str, argument: DataType | None) -> DataType:
    """Integers add up in int64, floats in float64, decimals in ten more digits, as in Spark."""
    if argument is None or not argument.is_numeric:
        raise IrTypeError(f"{name} needs a number, got {argument}; cast it first")
    if argument.is_decimal:
        return sum_type(argument)
    return INT64 if argument.is_integer else FLOAT64


def sum_type(argument: DataType) -> DecimalType:
    """The type of a sum of decimals, also of the sum in their average."""
    assert isinstance(argument, DecimalType)
    return bounded(argument.precision + 10, argument.scale)


def _average(name: str, argument: DataType | None) -> DataType:
    _sum(name, argument)
    if isinstance(argument, DecimalType):
        return bounded(argument.precision + 4, argument.scale + 4)
    return FLOAT64


def _moment(name: str, argument: DataType | None) -> DataType:
    if argument is not FLOAT64:
        raise IrTypeError(f"{name} needs float64, got {argument}; cast it first")
    return FLOAT64


def _value(name: str, argument: DataType | None) -> DataType:
    if argument is None:
        raise IrTypeError(f"{name} needs an argument")
    return argument


def _condition(name: str, argument: DataType | None) -> DataType:
    if argument is not BOOL:
        raise IrTypeError(f"{name} needs bool, got {argument}; compare or cast it first")
    return BOOL


def _as_float(name: str, argument: DataType | None) -> DataType:
    """Also of decimals, Spark's result is a float64: those are cast before."""
    if argument is None or not (argument.is_integer or argument.is_float):
        raise IrTypeError(f"{name} needs an integer or a float, got {argument}; cast it first")
    return FLOAT64


def _distinct(name: str, argument: DataType | None) -> DataType:
    _value(name, argument)
    return INT64


def _check_fraction(name: str, parameters: tuple[Scalar, ...]) -> None:
    (fraction,) = parameters
    if not (isinstance(fraction, float) and 0.0 <= fraction <= 1.0):
        raise IrTypeError(f"{name} needs a fraction from 0.0 to 1.0, got {fraction!r}")


def _bits(name: str, argument: DataType | None) -> DataType:
    if argument is None or not argument.is_integer:
        raise IrTypeError(f"{name} needs an integer, got {argument}; cast it first")
    return argument


_ROWS = (
    AggregateFunction("count", _count, empty_is_null=False),
    AggregateFunction("sum", _sum, can_overflow=True),
    AggregateFunction("min", _value),
    AggregateFunction("max", _value),
    AggregateFunction("avg", _average, can_overflow=True),
    AggregateFunction("var_pop", _moment),
    AggregateFunction("var_samp", _moment, few_is_null=True),
    AggregateFunction("stddev_pop", _moment),
    AggregateFunction("stddev_samp", _moment, few_is_null=True),
    # By order of arrival; the parameter says whether nulls are passed over.
    AggregateFunction("first", _value, defaults=(False,)),
    AggregateFunction("last", _value, defaults=(False,)),
    AggregateFunction("bool_and", _condition),
    AggregateFunction("bool_or", _condition),
    AggregateFunction("bit_and", _bits),
    AggregateFunction("bit_or", _bits),
    AggregateFunction("bit_xor", _bits),
    AggregateFunction("product", _as_float),
    # Holistic: they need all values of a group.
    AggregateFunction("median", _as_float, keeps_values=True),
    # The parameter is the fraction of the values that are less.
    AggregateFunction(
        "percentile", _as_float, defaults=(0.5,), check=_check_fraction, keeps_values=True
    ),
    AggregateFunction("mode", _value, keeps_values=True),
    AggregateFunction("count_distinct", _distinct, empty_is_null=False, keeps_values=True),
)
AGGREGATES: dict[str, AggregateFunction] = {row.name: row for row in _ROWS}

# Other names for the same function.
ALIASES = {
    "mean": "avg",
    "variance": "var_samp",
    "stddev": "stddev_samp",
    "std": "stddev_samp",
    "first_value": "first",
    "any_value": "first",
    "last_value": "last",
    "every": "bool_and",
    "some": "bool_or",
    "any": "bool_or",
}


@dataclass(frozen=True, slots=True)
class AggregateCall:
    """An aggregate of one argument over the rows of a group; `count` may have none.

    One that a user has defined may have any number, the first in `argument` and
    `more` of them; its name is that of its definition.

    Nulls in the argument are skipped, unless a parameter says otherwise. `mode`
    says what an integer sum does whose total does not fit, in whatever order:
    raise (ANSI), wrap (LEGACY) or give null (TRY). `parameters` are constants
    that follow the argument; those left out are the function's defaults.
    """

    function: str
    argument: Expr | None = None
    mode: EvalMode = EvalMode.ANSI
    parameters: tuple[Scalar, ...] = ()
    more: tuple[Expr, ...] = ()
    definition: UserAggregate | None = None
    type: DataType = field(init=False, repr=False, compare=False)
    nullable: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.definition is not None:
            self._check_definition(self.definition)
            object.__setattr__(self, "type", self.definition.result.type)
            object.__setattr__(self, "nullable", self.definition.result.nullable)
            return
        if self.mode is EvalMode.EXACT:
            raise IrTypeError(f"{self.function}: nothing proves how large a sum becomes; use ANSI")
        object.__setattr__(self, "function", ALIASES.get(self.function, self.function))
        if self.more:
            raise IrTypeError(f"{self.function} takes one argument, got {1 + len(self.more)}")
        row = AGGREGATES.get(self.function)
        if row is None:
            known = ", ".join([*AGGREGATES, *ALIASES])
            raise IrTypeError(f"unknown aggregate {self.function!r}; known: {known}")
        object.__setattr__(self, "parameters", _with_defaults(row, self.parameters))
        argument = self.argument
        object.__setattr__(self, "type", row.result(self.function, _type_of(argument)))
        loses = row.can_overflow and self.type is INT64 and self.mode is EvalMode.TRY
        loses |= row.can_overflow and self.type.is_decimal and self.mode is not EvalMode.ANSI
        empty = row.empty_is_null and argument is not None and argument.nullable
        object.__setattr__(self, "nullable", empty or loses or row.few_is_null)

    @property
    def invertible(self) -> bool:
        """Whether values can be taken out again exactly; rounded sums and extremes cannot."""
        if self.definition is not None:
            return bool(self.definition.inverse)
        if self.function == "sum":
            return not self.type.is_float
        return self.function in ("count", "bit_xor")

    @property
    def takes_nulls(self) -> bool:
        """Whether a null is a value for it."""
        if self.definition is not None:
            return False
        return self.function in ("first", "last") and not self.parameters[0]

    @property
    def keeps_values(self) -> bool:
        """Whether a group has to remember every value."""
        return self.definition is None and AGGREGATES[self.function].keeps_values

    @property
    def arguments(self) -> tuple[Expr, ...]:
        """All arguments."""
        return self.more if self.argument is None else (self.argument, *self.more)

    def map_arguments(self, change: Callable[[Expr], Expr]) -> AggregateCall:
        """The same aggregate of changed arguments."""
        first = None if self.argument is None else change(self.argument)
        return replace(self, argument=first, more=tuple(map(change, self.more)))

    def _check_definition(self, definition: UserAggregate) -> None:
        """The arguments are what the definition wants, and nothing else is given."""
        if self.function != definition.name or self.function in {*AGGREGATES, *ALIASES}:
            raise IrTypeError(
                f"a user's aggregate {definition.name!r} is called as {self.function!r};"
                " use its name, which must not be that of a built-in one"
            )
        if self.parameters or (self.more and self.argument is None):
            raise IrTypeError(f"{self.function} has no parameters, only arguments")
        wanted = [field.type for field in definition.inputs]
        if [argument.type for argument in self.arguments] != wanted:
            got = ", ".join(str(argument.type) for argument in self.arguments)
            listed = ", ".join(map(str, wanted))
            raise IrTypeError(f"{self.function} needs ({listed}), got ({got}); cast them first")


def _with_defaults(row: AggregateFunction, given: tuple[Scalar, ...]) -> tuple[Scalar, ...]:
    if len(given) > len(row.defaults):
        raise IrTypeError(
            f"{row.name} takes {len(row.defaults)} parameters, got {len(given)}; leave some out"
        )
    made = (*given, *row.defaults[len(given) :])
    for value, default in zip(made, row.defaults, strict=True):
        if type(value) is not type(default):
            wanted = type(default).__name__
            raise IrTypeError(f"{row.name} needs a {wanted} as parameter, got {value!r}")
    if row.check is not None:
        row.check(row.name, made)
    return made


def _type_of(argument: Expr | None) -> DataType | None:
    return None if argument is None else argument.type
