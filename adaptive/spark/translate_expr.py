"""Catalyst expressions as IR expressions: a table for the regular ones, a function for the rest.

Whatever is not known raises `StaysInSpark` with the SQL text and what to change.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from py4j.protocol import Py4JError

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, seq, sql_text, walk
from adaptive.spark.translate_cast import translated_cast
from adaptive.spark.translate_text import TEXT_PLAIN, letter_case, like, locate
from adaptive.spark.translate_time import TIME_TRANSLATIONS, WITHOUT_ZONE
from adaptive.spark.types import ir_type
from ir import Call, EvalMode, Expr, Literal
from ir.parsing_times import needs_today

PLAIN: dict[str, str] = {
    "EqualTo": "eq",
    "LessThan": "lt",
    "LessThanOrEqual": "le",
    "GreaterThan": "gt",
    "GreaterThanOrEqual": "ge",
    "EqualNullSafe": "eq_null_safe",
    "And": "and",
    "Or": "or",
    "Not": "not",
    "IsNull": "is_null",
    "IsNotNull": "is_not_null",
    "In": "in",
    "Coalesce": "coalesce",
    "Greatest": "greatest",
    "Least": "least",
    "BitwiseAnd": "bit_and",
    "BitwiseOr": "bit_or",
    "BitwiseXor": "bit_xor",
    "BitwiseNot": "bit_not",
    "Sqrt": "sqrt",
    "Exp": "exp",
    "Log": "ln",
    "Log2": "log2",
    "Log10": "log10",
    "Log1p": "log1p",
    "Expm1": "expm1",
    "Cbrt": "cbrt",
    "Sin": "sin",
    "Cos": "cos",
    "Tan": "tan",
    "Asin": "asin",
    "Acos": "acos",
    "Atan": "atan",
    "Sinh": "sinh",
    "Cosh": "cosh",
    "Tanh": "tanh",
    "ToDegrees": "degrees",
    "ToRadians": "radians",
    "ShiftLeft": "shiftleft",
    "ShiftRight": "shiftright",
    "ShiftRightUnsigned": "shiftrightunsigned",
    "Pow": "pow",
    "Signum": "sign",
    **TEXT_PLAIN,
    **WITHOUT_ZONE,
}
ARITHMETIC: dict[str, str] = {
    "Add": "add",
    "Subtract": "subtract",
    "Multiply": "multiply",
    "Divide": "divide",
    "IntegralDivide": "int_divide",
    "Remainder": "remainder",
    "Pmod": "pmod",
}
# These have a flag in place of an evaluation mode.
FLAGGED: dict[str, str] = {"UnaryMinus": "negate", "Abs": "abs", "Ceil": "ceil", "Floor": "floor"}
# Markers that change nothing about the value.
TRANSPARENT = frozenset({"Alias", "KnownNotNull", "KnownNullable", "UnaryPositive"})
# A tree of only these is a constant that the JVM may compute now. Not every
# foldable expression is: current_timestamp() is another value in each batch.
CONSTANT = frozenset(
    {
        *ARITHMETIC,
        *FLAGGED,
        "Cast",
        "DateAdd",
        "DateSub",
        "Literal",
        "MicrosToTimestamp",
        "MillisToTimestamp",
        "SecondsToTimestamp",
        "TimestampAddInterval",
    }
)
ADVICE: dict[str, str] = {
    "PythonUDF": "rewrite the Python function with column expressions",
    "ScalaUDF": "rewrite the function with column expressions",
    "LikeAny": "join several LIKE with OR",
    "LikeAll": "join several LIKE with AND",
    "Logarithm": "write ln(x) / ln(base)",
    "CurrentTimestamp": "pass the time as a literal",
    "CurrentBatchTimestamp": "pass the time as a literal",
    "GetStructField": "flatten the struct when the files are written",
}
# Substituting projections into one another can grow exponentially.
MAX_NODES = 2_000


class ExprTranslator:
    """Translates expressions over attributes that `lookup` resolves by expression id."""

    def __init__(self, lookup: Callable[[JavaObject], Expr]) -> None:
        self._lookup = lookup
        self._shared: dict[str, Expr] = {}  # common subexpressions of `With`, by id

    def translate(self, node: JavaObject) -> Expr:
        """The IR expression of a Catalyst expression, or the reason why there is none."""
        try:
            made = self._dispatch(node)
        except ir.IrError as error:
            raise StaysInSpark(f"`{sql_text(node)}`: {error}") from None
        if made.type.is_decimal and made.type != ir_type(node.dataType(), f"`{sql_text(node)}`"):
            raise StaysInSpark(
                f"`{sql_text(node)}` has another type here than {made.type}: a setting changes"
                " the digits of decimals; set spark.sql.decimalOperations.allowPrecisionLoss"
            )
        if sum(1 for _ in made.walk()) > MAX_NODES:
            raise StaysInSpark(
                f"`{sql_text(node)}` has more than {MAX_NODES} parts once its columns are"
                " expanded; split the query"
            )
        return made

    def _dispatch(self, node: JavaObject) -> Expr:
        kind = class_name(node)
        if kind in IRREGULAR:
            return IRREGULAR[kind](self, node)
        if kind in ARITHMETIC and not _is_constant(node):
            return Call(ARITHMETIC[kind], self._operands(node), eval_mode(node.evalContext()))
        if kind in PLAIN:
            return Call(PLAIN[kind], self._operands(node))
        if kind in TRANSPARENT:
            return self.translate(children(node)[0])
        if kind in CONSTANT and _is_constant(node):
            return _folded(node)
        if kind in TIME_TRANSLATIONS:
            return TIME_TRANSLATIONS[kind](self, node)
        return self._replacement(node, kind)

    def computed(self, node: JavaObject) -> Any:
        """The JVM's value of a constant expression of any type; None of one that is no constant."""
        return node.eval(None) if _is_constant(node) else None

    def _operands(self, node: JavaObject) -> tuple[Expr, ...]:
        return tuple(self.translate(child) for child in children(node))

    def _replacement(self, node: JavaObject, kind: str) -> Expr:
        """Some functions are shorthand, and their only child is what Spark runs instead."""
        instead = replacement(node)
        if instead is not None:
            return self.translate(instead)
        advice = ADVICE.get(kind, "aggregate in Spark first, or leave it out of this query")
        raise StaysInSpark(f"`{sql_text(node)}`: {kind} has no native form; {advice}")

    def attribute(self, node: JavaObject) -> Expr:
        """A column of the input, or the expression that a projection gave this id."""
        return self._lookup(node)

    def cast(self, node: JavaObject) -> Expr:
        """A conversion; one to the same type is nothing, one of a constant is a constant."""
        if _is_constant(node):
            return _folded(node)
        target = ir_type(node.dataType(), f"`{sql_text(node)}`")
        child = self.translate(children(node)[0])
        if child.type is target:
            return child
        return translated_cast(node, child, target)

    def flagged(self, node: JavaObject) -> Expr:
        """What wraps around or saturates unless it is told to fail."""
        if _is_constant(node):
            return _folded(node)
        mode = EvalMode.ANSI if node.failOnError() else EvalMode.LEGACY
        return Call(FLAGGED[class_name(node)], self._operands(node), mode)

    def rounding(self, node: JavaObject) -> Expr:
        """CEIL and FLOOR, which leave a bigint as it is."""
        child = self.translate(children(node)[0])
        return child if child.type is ir.INT64 else self.flagged(node)

    def logarithm(self, node: JavaObject) -> Expr:
        """LOG without a base has Euler's number there, whose logarithm is exactly 1."""
        base, value = children(node)
        if class_name(base) == "EulerNumber":
            return Call("ln", (self.translate(value),))
        return self._replacement(node, "Logarithm")

    def case_when(self, node: JavaObject) -> Expr:
        """CASE without ELSE gives null."""
        parts = self._operands(node)
        if len(parts) % 2 == 0:
            parts = (*parts, Literal(None, parts[1].type))
        return Call("case_when", parts)

    def if_else(self, node: JavaObject) -> Expr:
        """IF is a CASE with one branch."""
        return Call("case_when", self._operands(node))

    def with_shared(self, node: JavaObject) -> Expr:
        """Common subexpressions are substituted: `between` uses its first argument twice."""
        for definition in seq(node.defs()):
            made = self.translate(children(definition)[0])
            self._shared[str(definition.id().toString())] = made
        return self.translate(node.child())

    def shared_reference(self, node: JavaObject) -> Expr:
        """A use of a common subexpression."""
        return self._shared[str(node.id().toString())]

    def literal(self, node: JavaObject) -> Expr:
        """A constant."""
        return _literal(node.value(), node)


IRREGULAR: dict[str, Callable[[ExprTranslator, JavaObject], Expr]] = {
    "AttributeReference": ExprTranslator.attribute,
    "Literal": ExprTranslator.literal,
    "Cast": ExprTranslator.cast,
    **dict.fromkeys(FLAGGED, ExprTranslator.flagged),
    "Ceil": ExprTranslator.rounding,
    "Floor": ExprTranslator.rounding,
    "Logarithm": ExprTranslator.logarithm,
    "Like": like,
    "Lower": letter_case,
    "Upper": letter_case,
    "StringLocate": locate,
    "CaseWhen": ExprTranslator.case_when,
    "If": ExprTranslator.if_else,
    "With": ExprTranslator.with_shared,
    "CommonExpressionRef": ExprTranslator.shared_reference,
}


def eval_mode(context: JavaObject) -> EvalMode:
    """The mode inside `NumericEvalContext(ANSI,true)`: fixed at analysis, whatever the session."""
    text = str(context.toString())
    return EvalMode(text.partition("(")[2].partition(",")[0].lower())


def replacement(node: JavaObject) -> JavaObject | None:
    """What Spark runs in place of a function that is only shorthand."""
    try:
        return node.replacement()
    except Py4JError:  # an ordinary function has no such method
        return None


def _is_constant(node: JavaObject) -> bool:
    """Whether the JVM may compute it now; a time without a date is of the day of each row."""
    parts = list(walk(node))
    if not all(class_name(part) in CONSTANT for part in parts):
        return False
    return not any(class_name(part) == "Cast" and _needs_today(part) for part in parts)


def _needs_today(cast: JavaObject) -> bool:
    """Whether a constant text is cast to a timestamp, and is not one that has a date for sure."""
    child = children(cast)[0]
    types = [str(one.dataType().typeName()) for one in (child, cast)]
    if types[0] != "string" or not types[1].startswith("timestamp"):
        return False
    if class_name(child) != "Literal" or child.value() is None:
        return class_name(child) != "Literal"
    return needs_today(str(child.value().toString()))


def _folded(node: JavaObject) -> Literal:
    """The value of a constant expression, computed by the JVM as Spark would."""
    try:
        value = node.eval(None)
    except Exception as error:  # py4j wraps whatever the JVM throws
        first_line = str(error).splitlines()[0]
        raise StaysInSpark(f"`{sql_text(node)}` fails when computed: {first_line}") from None
    return _literal(value, node)


def _literal(value: Any, node: JavaObject) -> Literal:
    type_ = ir_type(node.dataType(), f"`{sql_text(node)}`")
    if value is not None and type_ is ir.STRING:
        value = str(value.toString())
    elif value is not None and type_ is ir.FLOAT32:
        # py4j sends a float as its shortest decimal text, which is another double.
        value = struct.unpack("f", struct.pack("f", value))[0]
    elif value is not None and isinstance(type_, ir.DecimalType):
        value = int(Fraction(value.toJavaBigDecimal()) * 10**type_.scale)
    return Literal(value, type_)
