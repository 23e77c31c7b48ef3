"""The one table of scalar functions: types, nullability, purity, and what can fail.

Adding a function means one row here, its meaning in `ir.evaluate`, and its
lowering in `codegen_llvm`; nothing else in the project lists functions.
"""

from __future__ import annotations

from ir.errors import IrTypeError
from ir.signatures import (
    Failure,
    Function,
    Nulls,
    branches,
    decimal_or,
    either,
    integer,
    numeric,
    of,
    of_bytes,
    only,
    predicate,
    same_type,
    takes,
    test,
    whole,
)
from ir.types import BINARY, BOOL, FLOAT64, INT32, INT64, STRING

_PART_OF_STRING = takes(STRING, STRING, INT32, INT32)

_ROWS = (
    Function("add", decimal_or(numeric), (2, 2), failure=Failure.OVERFLOW, symbol="+"),
    Function("subtract", decimal_or(numeric), (2, 2), failure=Failure.OVERFLOW, symbol="-"),
    Function("multiply", decimal_or(numeric), (2, 2), failure=Failure.OVERFLOW, symbol="*"),
    Function("divide", decimal_or(only(FLOAT64)), (2, 2), failure=Failure.ZERO, symbol="/"),
    # Like Spark's: narrower operands are cast first, so int8 -128 div -1 is 128.
    Function(
        "int_divide",
        decimal_or(only(INT64)),
        (2, 2),
        failure=Failure.ZERO_OR_OVERFLOW,
        symbol="div",
    ),
    Function("remainder", decimal_or(numeric), (2, 2), failure=Failure.ZERO, symbol="%"),
    Function("negate", numeric, (1, 1), failure=Failure.OVERFLOW),
    Function("abs", numeric, (1, 1), failure=Failure.OVERFLOW),
    Function("sign", only(FLOAT64), (1, 1)),
    Function("bit_and", integer, (2, 2)),
    Function("bit_or", integer, (2, 2)),
    Function("bit_xor", integer, (2, 2)),
    Function("bit_not", integer, (1, 1)),
    Function("sqrt", only(FLOAT64), (1, 1)),
    Function("exp", only(FLOAT64), (1, 1)),
    Function("ln", only(FLOAT64), (1, 1), nulls=Nulls.SOME),
    Function("pow", only(FLOAT64), (2, 2)),
    # NaN does not overflow: it is 0 in every mode.
    Function("ceil", whole, (1, 1), failure=Failure.OVERFLOW),
    Function("floor", whole, (1, 1), failure=Failure.OVERFLOW),
    Function("greatest", same_type, (2, None), nulls=Nulls.ALL),
    Function("least", same_type, (2, None), nulls=Nulls.ALL),
    Function("eq", predicate, (2, 2), symbol="="),
    Function("ne", predicate, (2, 2), symbol="!="),
    Function("lt", predicate, (2, 2), symbol="<"),
    Function("le", predicate, (2, 2), symbol="<="),
    Function("gt", predicate, (2, 2), symbol=">"),
    Function("ge", predicate, (2, 2), symbol=">="),
    Function("eq_null_safe", predicate, (2, 2), nulls=Nulls.NEVER, symbol="<=>"),
    Function("between", predicate, (3, 3)),
    Function("in", predicate, (2, None)),
    Function("and", only(BOOL), (2, 2), symbol="and"),
    Function("or", only(BOOL), (2, 2), symbol="or"),
    Function("not", only(BOOL), (1, 1)),
    Function("is_null", test, (1, 1), nulls=Nulls.NEVER),
    Function("is_not_null", test, (1, 1), nulls=Nulls.NEVER),
    Function("coalesce", same_type, (1, None), nulls=Nulls.ALL),
    Function("case_when", branches, (3, None), nulls=Nulls.BRANCHES),
    Function("concat", only(STRING, BINARY), (1, None)),
    Function("concat_ws", only(STRING), (1, None), nulls=Nulls.FIRST),
    Function("length", of_bytes(INT32), (1, 1)),
    Function("octet_length", of_bytes(INT32), (1, 1)),
    Function("bit_length", of_bytes(INT32), (1, 1)),
    Function("lower", only(STRING), (1, 1)),
    Function("upper", only(STRING), (1, 1)),
    Function("substring", either(_PART_OF_STRING, takes(BINARY, BINARY, INT32, INT32)), (2, 3)),
    Function("left", either(_PART_OF_STRING, takes(BINARY, BINARY, INT32)), (2, 2)),
    Function("right", takes(STRING, STRING, INT32), (2, 2)),
    Function("trim", only(STRING), (1, 2)),
    Function("ltrim", only(STRING), (1, 2)),
    Function("rtrim", only(STRING), (1, 2)),
    Function("reverse", only(STRING), (1, 1)),
    Function("repeat", takes(STRING, STRING, INT32), (2, 2)),
    Function("lpad", takes(STRING, STRING, INT32, STRING), (3, 3)),
    Function("rpad", takes(STRING, STRING, INT32, STRING), (3, 3)),
    Function("replace", only(STRING), (3, 3)),
    Function("translate", only(STRING), (3, 3)),
    Function("substring_index", takes(STRING, STRING, STRING, INT32), (3, 3)),
    Function("startswith", of_bytes(BOOL), (2, 2)),
    Function("endswith", of_bytes(BOOL), (2, 2)),
    Function("contains", of_bytes(BOOL), (2, 2)),
    # The escape is a backslash. Not in ANSI mode, a wrong pattern gives null.
    Function("like", of(STRING, BOOL), (2, 2), failure=Failure.PATTERN),
    Function("instr", of(STRING, INT32), (2, 2)),
    Function("locate", takes(INT32, STRING, STRING, INT32), (3, 3)),
    Function("ascii", of(STRING, INT32), (1, 1)),
)

FUNCTIONS: dict[str, Function] = {row.name: row for row in _ROWS}


def function_named(name: str) -> Function:
    """The table's row for a function, or an error that lists the functions there are."""
    if name not in FUNCTIONS:
        raise IrTypeError(f"unknown function {name!r}; known: {', '.join(FUNCTIONS)}")
    return FUNCTIONS[name]
