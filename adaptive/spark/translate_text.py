"""Catalyst's functions of strings as IR expressions; all of the collation UTF8_BINARY.

A string of another collation has another type, which `ir_type` refuses.
"""

from __future__ import annotations

from typing import Protocol

from pyspark.sql import SparkSession

import ir
from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import JavaObject, children, class_name, sql_text
from ir import Call, Expr, Literal
from ir.patterns import ESCAPE, BadPattern, with_backslash

TEXT_PLAIN: dict[str, str] = {
    "Ascii": "ascii",
    "BitLength": "bit_length",
    "Concat": "concat",
    "ConcatWs": "concat_ws",
    "Contains": "contains",
    "EndsWith": "endswith",
    "Left": "left",
    "Length": "length",
    "OctetLength": "octet_length",
    "Reverse": "reverse",
    "Right": "right",
    "StartsWith": "startswith",
    "StringInstr": "instr",
    "StringLPad": "lpad",
    "StringRPad": "rpad",
    "StringRepeat": "repeat",
    "StringReplace": "replace",
    "StringTranslate": "translate",
    "StringTrim": "trim",
    "StringTrimLeft": "ltrim",
    "StringTrimRight": "rtrim",
    "Substring": "substring",
    "SubstringIndex": "substring_index",
}
# Languages for which ICU has its own mappings of letters.
_OWN_LETTERS = frozenset({"az", "el", "hy", "lt", "nl", "tr"})


class Translates(Protocol):
    """What translates operands."""

    def translate(self, node: JavaObject) -> Expr:
        """The IR expression of a Catalyst expression."""


def letter_case(translator: Translates, node: JavaObject) -> Expr:
    """LOWER and UPPER, unless the JVM maps letters in its own way."""
    if not node.useICU():
        raise StaysInSpark(
            f"`{sql_text(node)}` maps letters as Java does; set spark.sql.icu.caseMappings.enabled"
        )
    spark = SparkSession.getActiveSession()
    language = spark and str(spark._jvm.java.util.Locale.getDefault().getLanguage())  # type: ignore[union-attr]
    if language in _OWN_LETTERS:
        raise StaysInSpark(
            f"`{sql_text(node)}` follows the rules of the JVM's language {language};"
            " start it with -Duser.language=en"
        )
    operands = tuple(map(translator.translate, children(node)))
    return Call(class_name(node).lower(), operands)


def locate(translator: Translates, node: JavaObject) -> Expr:
    """LOCATE looks at the start first, and gives 0 where that is null."""
    part, text, start = map(translator.translate, children(node))
    found = Call("locate_from", (part, text, start))
    if not start.nullable and not start.can_fail:
        return found
    return Call("case_when", (Call("is_null", (start,)), Literal(0, ir.INT32), found))


def like(translator: Translates, node: JavaObject) -> Expr:
    """LIKE with any pattern; one that is a constant may have any escape."""
    text, pattern = map(translator.translate, children(node))
    escape = str(node.escapeChar())
    if pattern.columns() or pattern.can_fail:
        if escape != ESCAPE:
            raise StaysInSpark(
                f"`{sql_text(node)}`: a pattern that is no constant has a native form only with"
                " the escape \\; leave ESCAPE out"
            )
        return Call("like", (text, pattern))
    known = ir.evaluate_expr(pattern, {})
    if known is None:
        return Call("like", (text, Literal(None, ir.STRING)))
    try:
        written = with_backslash(str(known), escape)
    except BadPattern as error:
        raise StaysInSpark(f"`{sql_text(node)}` fails in Spark: {error.condition}") from None
    return Call("like", (text, Literal(written, ir.STRING)))
