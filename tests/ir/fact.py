"""The form of facts about Spark, and short ways to write many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ir import Call, Cast, Column, DataType, EvalMode, Expr, Scalar

ANSI, LEGACY, TRY = EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY


@dataclass(frozen=True)
class Fails:
    """The expected outcome is an error with this condition."""

    condition: str


Outcome = Scalar | Fails


@dataclass(frozen=True)
class Fact:
    """A function of values, and what comes out in each mode."""

    function: str
    type: DataType
    values: tuple[Scalar, ...]
    expected: dict[EvalMode, Outcome]
    target: DataType | None = None  # of a cast
    types: tuple[DataType, ...] = ()  # of the values, where they are not all of one

    def __str__(self) -> str:
        listed = ",".join(repr(value) for value in self.values)
        to = f"->{self.target}" if self.target else ""
        return f"{self.function}-{self.type}{to}({listed})"

    def columns(self, prefix: str = "c") -> list[Column]:
        """A column for each value: Spark would fold literals, and skip what is null."""
        types = self.types or (self.type,) * len(self.values)
        return [Column(f"{prefix}{i}", types[i]) for i in range(len(self.values))]

    def row(self, prefix: str = "c") -> dict[str, Scalar]:
        """The row that holds the values."""
        return {c.name: v for c, v in zip(self.columns(prefix), self.values, strict=True)}

    def expr(self, mode: EvalMode, prefix: str = "c") -> Expr:
        """The function of the columns."""
        args = tuple(self.columns(prefix))
        return Cast(args[0], self.target, mode) if self.target else Call(self.function, args, mode)


def same(left: Scalar, right: Scalar) -> bool:
    """Equal to the bit: NaN is NaN, and -0.0 is not 0.0."""
    return type(left) is type(right) and repr(left) == repr(right)


def always(function: str, type_: DataType, *rows: tuple[Scalar, ...]) -> Iterable[Fact]:
    """Rows of arguments and the result, the same in every mode."""
    for *args, result in rows:
        yield Fact(function, type_, tuple(args), dict.fromkeys(EvalMode, result))


def lossy(
    function: str, type_: DataType, condition: str, *rows: tuple[Scalar, ...]
) -> Iterable[Fact]:
    """Rows of arguments and the LEGACY result; ANSI fails and TRY gives null."""
    for *args, legacy in rows:
        expected: dict[EvalMode, Outcome] = {ANSI: Fails(condition), LEGACY: legacy, TRY: None}
        yield Fact(function, type_, tuple(args), expected)


def mixed(function: str, types: tuple[DataType, ...], *rows: tuple[Scalar, ...]) -> Iterable[Fact]:
    """Rows of arguments of several types and the result, the same in every mode."""
    for *args, result in rows:
        expected: dict[EvalMode, Outcome] = dict.fromkeys(EvalMode, result)
        yield Fact(function, types[0], tuple(args), expected, types=types)
