"""The one table of scalar functions: types, nullability, purity, and what can fail.

Adding a function means one row here, its meaning in `ir.evaluate`, and its
lowering in `codegen_llvm`; nothing else in the project lists functions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

from ir.errors import IrTypeError
from ir.types import BOOL, FLOAT64, INT32, INT64, STRING, DataType


class EvalMode(Enum):
    """What happens when a value cannot be represented; fixed per expression, as in Spark."""

    ANSI = "ansi"  # raise
    LEGACY = "legacy"  # wrap around, or null for division by zero
    TRY = "try"  # null


class Nulls(Enum):
    """How a result's nullability follows from the arguments'."""

    ANY = "null if any argument may be null"
    ALL = "null if every argument may be null"
    NEVER = "never null"
    SOME = "null for some arguments that are not"
    BRANCHES = "null if a branch's value may be null"


class Failure(Enum):
    """Why a function can fail; the mode decides whether it raises, wraps or gives null."""

    NONE = "cannot fail"
    OVERFLOW = "the integer result may not fit"
    ZERO = "the divisor may be zero"
    ZERO_OR_OVERFLOW = "the divisor may be zero, or the quotient may not fit"


TypeRule = Callable[[str, Sequence[DataType]], DataType]


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

    def result_type(self, types: Sequence[DataType]) -> DataType:
        """The type of the result, or an error that names the function and its arguments."""
        least, most = self.arity
        if len(types) < least or (most is not None and len(types) > most):
            wanted = str(least) if least == most else f"{least} to {most or 'many'}"
            raise IrTypeError(f"{self.name} takes {wanted} arguments, got {len(types)}")
        return self.result(self.name, types)


def _same(name: str, types: Sequence[DataType]) -> DataType:
    """All arguments have one type: casts are explicit in the IR."""
    if len(set(types)) != 1:
        listed = ", ".join(map(str, types))
        raise IrTypeError(f"{name} needs arguments of one type, got ({listed}); add a cast")
    return types[0]


def _numeric(name: str, types: Sequence[DataType]) -> DataType:
    shared = _same(name, types)
    if not shared.is_numeric:
        raise IrTypeError(f"{name} needs numbers, got {shared}; cast to a numeric type")
    return shared


def _only(*allowed: DataType) -> TypeRule:
    def rule(name: str, types: Sequence[DataType]) -> DataType:
        shared = _same(name, types)
        if shared not in allowed:
            wanted = " or ".join(map(str, allowed))
            raise IrTypeError(f"{name} needs {wanted}, got {shared}; add a cast")
        return shared

    return rule


def _integer(name: str, types: Sequence[DataType]) -> DataType:
    shared = _same(name, types)
    if not shared.is_integer:
        raise IrTypeError(f"{name} needs integers, got {shared}; cast to an integer type")
    return shared


def _of(argument: DataType, result: DataType) -> TypeRule:
    """One type of arguments, and another of the result."""
    wanted = _only(argument)

    def rule(name: str, types: Sequence[DataType]) -> DataType:
        wanted(name, types)
        return result

    return rule


def _predicate(name: str, types: Sequence[DataType]) -> DataType:
    _same(name, types)
    return BOOL


def _test(name: str, types: Sequence[DataType]) -> DataType:
    return BOOL


def _branches(name: str, types: Sequence[DataType]) -> DataType:
    """condition, value, condition, value, ..., value of else."""
    if len(types) % 2 == 0:
        raise IrTypeError(f"{name} needs an else value; use a null literal for none")
    for position in range(0, len(types) - 1, 2):
        if types[position] is not BOOL:
            raise IrTypeError(f"{name} needs bool conditions, got {types[position]}")
    return _same(name, [*types[1:-1:2], types[-1]])


_ROWS = (
    Function("add", _numeric, (2, 2), failure=Failure.OVERFLOW, symbol="+"),
    Function("subtract", _numeric, (2, 2), failure=Failure.OVERFLOW, symbol="-"),
    Function("multiply", _numeric, (2, 2), failure=Failure.OVERFLOW, symbol="*"),
    Function("divide", _only(FLOAT64), (2, 2), failure=Failure.ZERO, symbol="/"),
    # Like Spark's: narrower operands are cast first, so int8 -128 div -1 is 128.
    Function("int_divide", _only(INT64), (2, 2), failure=Failure.ZERO_OR_OVERFLOW, symbol="div"),
    Function("remainder", _numeric, (2, 2), failure=Failure.ZERO, symbol="%"),
    Function("negate", _numeric, (1, 1), failure=Failure.OVERFLOW),
    Function("abs", _numeric, (1, 1), failure=Failure.OVERFLOW),
    Function("sign", _only(FLOAT64), (1, 1)),
    Function("bit_and", _integer, (2, 2)),
    Function("bit_or", _integer, (2, 2)),
    Function("bit_xor", _integer, (2, 2)),
    Function("bit_not", _integer, (1, 1)),
    Function("sqrt", _only(FLOAT64), (1, 1)),
    Function("exp", _only(FLOAT64), (1, 1)),
    Function("ln", _only(FLOAT64), (1, 1), nulls=Nulls.SOME),
    Function("pow", _only(FLOAT64), (2, 2)),
    # NaN does not overflow: it is 0 in every mode.
    Function("ceil", _of(FLOAT64, INT64), (1, 1), failure=Failure.OVERFLOW),
    Function("floor", _of(FLOAT64, INT64), (1, 1), failure=Failure.OVERFLOW),
    Function("greatest", _same, (2, None), nulls=Nulls.ALL),
    Function("least", _same, (2, None), nulls=Nulls.ALL),
    Function("eq", _predicate, (2, 2), symbol="="),
    Function("ne", _predicate, (2, 2), symbol="!="),
    Function("lt", _predicate, (2, 2), symbol="<"),
    Function("le", _predicate, (2, 2), symbol="<="),
    Function("gt", _predicate, (2, 2), symbol=">"),
    Function("ge", _predicate, (2, 2), symbol=">="),
    Function("eq_null_safe", _predicate, (2, 2), nulls=Nulls.NEVER, symbol="<=>"),
    Function("between", _predicate, (3, 3)),
    Function("in", _predicate, (2, None)),
    Function("and", _only(BOOL), (2, 2), symbol="and"),
    Function("or", _only(BOOL), (2, 2), symbol="or"),
    Function("not", _only(BOOL), (1, 1)),
    Function("is_null", _test, (1, 1), nulls=Nulls.NEVER),
    Function("is_not_null", _test, (1, 1), nulls=Nulls.NEVER),
    Function("coalesce", _same, (1, None), nulls=Nulls.ALL),
    Function("case_when", _branches, (3, None), nulls=Nulls.BRANCHES),
    Function("length", _of(STRING, INT32), (1, 1)),
    Function("octet_length", _of(STRING, INT32), (1, 1)),
    Function("startswith", _of(STRING, BOOL), (2, 2)),
    Function("endswith", _of(STRING, BOOL), (2, 2)),
    Function("contains", _of(STRING, BOOL), (2, 2)),
)

FUNCTIONS: dict[str, Function] = {row.name: row for row in _ROWS}


def function_named(name: str) -> Function:
    """The table's row for a function, or an error that lists the functions there are."""
    if name not in FUNCTIONS:
        raise IrTypeError(f"unknown function {name!r}; known: {', '.join(FUNCTIONS)}")
    return FUNCTIONS[name]


def can_cast(source: DataType, target: DataType) -> bool:
    """Whether a cast between these types is defined: numbers and booleans so far."""
    return all(t.is_numeric or t is BOOL for t in (source, target))


def cast_can_lose(source: DataType, target: DataType) -> bool:
    """Whether some value of `source` has no counterpart in the integer type `target`."""
    if not target.is_integer or source is BOOL:
        return False
    return source.is_float or source.bits > target.bits
