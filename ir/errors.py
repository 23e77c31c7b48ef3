"""Errors of the IR: what is not legal, and what fails while a row is evaluated."""

from __future__ import annotations


class IrError(ValueError):
    """A plan, expression or schema that is not legal IR."""


class IrTypeError(IrError):
    """An expression or operator was given operands of the wrong type."""


class IrSchemaError(IrError):
    """A column name is missing, duplicated or does not match its schema."""


class EvaluationError(ArithmeticError):
    """A row made an expression fail, as Spark's ANSI mode defines it.

    `condition` is Spark's error condition (for example DIVIDE_BY_ZERO), so that
    users find the same name whether the native code or the JVM raised it.
    """

    def __init__(self, condition: str, expression: str) -> None:
        super().__init__(f"[{condition}] in `{expression}`. {REMEDIES[condition]}")
        self.condition = condition
        self.expression = expression

    def __reduce__(self) -> tuple[type[EvaluationError], tuple[str, str]]:
        return (EvaluationError, (self.condition, self.expression))


REMEDIES: dict[str, str] = {
    "ARITHMETIC_OVERFLOW": "Cast to a wider type, or use the try_ form of the operation.",
    "DIVIDE_BY_ZERO": "Use try_divide to get NULL instead.",
    "REMAINDER_BY_ZERO": "Use try_mod to get NULL instead.",
    "CAST_OVERFLOW": "Use try_cast to get NULL instead.",
}
