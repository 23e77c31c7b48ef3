"""Errors of the IR: what is not legal, and what fails while a row is evaluated."""

from __future__ import annotations


class IrError(ValueError):
    """A plan, expression or schema that is not legal IR."""


class IrTypeError(IrError):
    """An expression or operator was given operands of the wrong type."""


class IrSchemaError(IrError):
    """A column name is missing, duplicated or does not match its schema."""


class Unrepresentable(ArithmeticError):
    """There is no such value; the mode of the expression decides what becomes of it."""

    def __init__(self, condition: str) -> None:
        super().__init__(condition)
        self.condition = condition


class EvaluationError(ArithmeticError):
    """A row made an expression fail, as Spark's ANSI mode defines it.

    `condition` is Spark's error condition (for example DIVIDE_BY_ZERO), so that
    users find the same name whether the native code or the JVM raised it. `row` is
    the number of the row in its batch, from 0, where it is known, and `values` are what the
    columns of the expression have there, as text.
    """

    def __init__(
        self, condition: str, expression: str, row: int | None = None, values: str = ""
    ) -> None:
        where = "" if row is None else f" at row {row} of the batch"
        there = f", where {values}" if values else ""
        super().__init__(f"[{condition}] in `{expression}`{where}{there}. {REMEDIES[condition]}")
        self.condition = condition
        self.expression = expression
        self.row = row
        self.values = values

    def __reduce__(self) -> tuple[type[EvaluationError], tuple[str, str, int | None, str]]:
        return (EvaluationError, (self.condition, self.expression, self.row, self.values))


REMEDIES: dict[str, str] = {
    "ARITHMETIC_OVERFLOW": "Cast to a wider type, or use the try_ form of the operation.",
    "DIVIDE_BY_ZERO": "Use try_divide to get NULL instead.",
    "REMAINDER_BY_ZERO": "Use try_mod to get NULL instead.",
    "NUMERIC_VALUE_OUT_OF_RANGE": "Use operands of fewer digits, or the try_ form.",
    "NUMERIC_OUT_OF_SUPPORTED_RANGE": "No decimal has so many digits; use try_cast to get NULL.",
    "DATETIME_OVERFLOW": "No timestamp is so far from 1970; use the try_ form to get NULL.",
    "DATETIME_FIELD_OUT_OF_BOUNDS": "Use try_make_date to get NULL instead.",
    "CAST_OVERFLOW": "Use try_cast to get NULL instead.",
    "INVALID_FORMAT.ESC_AT_THE_END": "Write a backslash at the end of the pattern twice.",
    "INVALID_FORMAT.ESC_IN_THE_MIDDLE": "Write a backslash twice unless it is before % or _.",
    "CAST_INVALID_INPUT": "Correct the value, or use try_cast to get NULL instead.",
    "TIME_ZONE_RULES_MISSING": (
        "A time is in the zone of a region, and this machine has no rules of time zones; install"
        " the package tzdata of the system, or of Python with `pip install tzdata`."
    ),
}
