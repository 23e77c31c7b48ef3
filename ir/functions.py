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
    rounding,
    rounding_by_value,
    same_type,
    seconds,
    shift,
    takes,
    test,
    whole,
    with_step_unit,
    with_weekday,
    with_written_times,
    with_zone,
)
from ir.types import (
    BINARY,
    BOOL,
    DATE,
    FLOAT64,
    INT32,
    INT64,
    STRING,
    TIMESTAMP,
    decimal,
)

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
    Function("pmod", decimal_or(numeric), (2, 2), failure=Failure.ZERO),
    Function("negate", numeric, (1, 1), failure=Failure.OVERFLOW),
    Function("abs", numeric, (1, 1), failure=Failure.OVERFLOW),
    Function("sign", only(FLOAT64), (1, 1)),
    Function("bit_and", integer, (2, 2)),
    Function("bit_or", integer, (2, 2)),
    Function("bit_xor", integer, (2, 2)),
    Function("bit_not", integer, (1, 1)),
    Function("shiftleft", shift, (2, 2)),
    Function("shiftright", shift, (2, 2)),
    Function("shiftrightunsigned", shift, (2, 2)),
    Function("sqrt", only(FLOAT64), (1, 1)),
    Function("exp", only(FLOAT64), (1, 1)),
    Function("ln", only(FLOAT64), (1, 1), nulls=Nulls.SOME),
    Function("log2", only(FLOAT64), (1, 1), nulls=Nulls.SOME),
    Function("log10", only(FLOAT64), (1, 1), nulls=Nulls.SOME),
    Function("log1p", only(FLOAT64), (1, 1), nulls=Nulls.SOME),
    *(Function(name, only(FLOAT64), (1, 1)) for name in ("expm1", "cbrt", "sin", "cos", "tan")),
    *(Function(name, only(FLOAT64), (1, 1)) for name in ("asin", "acos", "atan", "sinh", "cosh")),
    *(Function(name, only(FLOAT64), (1, 1)) for name in ("tanh", "degrees", "radians")),
    Function("pow", only(FLOAT64), (2, 2)),
    # NaN does not overflow: it is 0 in every mode.
    Function("ceil", whole, (1, 1), failure=Failure.OVERFLOW),
    Function("floor", whole, (1, 1), failure=Failure.OVERFLOW),
    *(
        Function(
            name,
            rounding,
            (2, 2),
            failure=Failure.OVERFLOW,
            constants=(1,),
            by_value=rounding_by_value,
        )
        for name in ("round", "bround")
    ),
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
    # Spark's locate, but null where the start is.
    Function("locate_from", takes(INT32, STRING, STRING, INT32), (3, 3)),
    Function("ascii", of(STRING, INT32), (1, 1)),
)
_DATE_ROWS = (
    *(Function(name, of(DATE, INT32), (1, 1)) for name in ("year", "quarter", "month", "day")),
    *(Function(name, of(DATE, INT32), (1, 1)) for name in ("dayofyear", "dayofweek", "weekday")),
    *(Function(name, of(DATE, INT32), (1, 1)) for name in ("weekofyear", "yearofweek")),
    Function("last_day", only(DATE), (1, 1)),
    Function("next_day", takes(DATE, DATE, STRING), (2, 2), constants=(1,), by_value=with_weekday),
    Function("date_add", takes(DATE, DATE, INT32), (2, 2)),
    Function("date_sub", takes(DATE, DATE, INT32), (2, 2)),
    Function("datediff", of(DATE, INT32), (2, 2)),
    Function("unix_date", of(DATE, INT32), (1, 1)),
    Function("date_from_unix_date", of(INT32, DATE), (1, 1)),
    # What leaves the range of dates and timestamps fails in Spark in every mode.
    Function("make_date", of(INT32, DATE), (3, 3), failure=Failure.RANGE),
    Function("add_months", takes(DATE, DATE, INT32), (2, 2), failure=Failure.RANGE),
    # Null for an unknown unit.
    Function(
        "trunc",
        takes(DATE, DATE, STRING),
        (2, 2),
        nulls=Nulls.SOME,
        failure=Failure.RANGE,
        constants=(1,),
    ),
)
_TIMESTAMP_ROWS = (
    *(Function(name, of(TIMESTAMP, INT32), (1, 1)) for name in ("hour", "minute", "second")),
    Function("microsecond", of(TIMESTAMP, INT32), (1, 1)),
    Function("second_with_fraction", of(TIMESTAMP, decimal(8, 6)), (1, 1)),
    *(
        Function(name, of(TIMESTAMP, INT64), (1, 1))
        for name in ("unix_seconds", "unix_millis", "unix_micros", "unix_timestamp")
    ),
    Function("timestamp_micros", of(INT64, TIMESTAMP), (1, 1)),
    Function("timestamp_millis", of(INT64, TIMESTAMP), (1, 1), failure=Failure.RANGE),
    # Null for NaN and the infinities.
    Function("timestamp_seconds", seconds, (1, 1), nulls=Nulls.SOME, failure=Failure.RANGE),
    Function(
        "date_trunc",
        takes(TIMESTAMP, STRING, TIMESTAMP),
        (2, 2),
        nulls=Nulls.SOME,
        failure=Failure.RANGE,
        constants=(0,),
    ),
    Function(
        "timestamp_add",
        takes(TIMESTAMP, STRING, INT64, TIMESTAMP),
        (3, 3),
        failure=Failure.RANGE,
        constants=(0,),
        by_value=with_step_unit(TIMESTAMP),
    ),
    # The last argument says whether to round to 8 digits.
    Function(
        "months_between",
        takes(FLOAT64, TIMESTAMP, TIMESTAMP, BOOL),
        (3, 3),
        failure=Failure.RANGE,
        constants=(2,),
    ),
    Function(
        "timestamp_diff",
        takes(INT64, STRING, TIMESTAMP, TIMESTAMP),
        (3, 3),
        failure=Failure.RANGE,
        constants=(0,),
        by_value=with_step_unit(INT64),
    ),
)
# In a time zone, which is a constant as `ir.zones` writes it.
_LOCAL_ROWS = tuple(
    Function(
        name, takes(*types), arity, failure=fails, constants=(0,), by_value=with_zone(types[0])
    )
    for name, types, arity, fails in (
        ("local_date", (DATE, STRING, TIMESTAMP), (2, 2), Failure.NONE),
        ("local_time", (TIMESTAMP, STRING, TIMESTAMP), (2, 2), Failure.NONE),
        ("to_local", (TIMESTAMP, STRING, TIMESTAMP), (2, 2), Failure.RANGE),
        # The last argument is another instant, whose offset is taken where there are two.
        ("from_local", (TIMESTAMP, STRING, TIMESTAMP, TIMESTAMP), (2, 3), Failure.RANGE),
        ("day_start", (TIMESTAMP, STRING, DATE, TIMESTAMP), (2, 3), Failure.RANGE),
    )
)
# The cast of a text; the first argument is a constant as `ir.regions` writes it.
_PARSE_TIMESTAMP = Function(
    "parse_timestamp",
    takes(TIMESTAMP, STRING, STRING),
    (2, 2),
    failure=Failure.RANGE,
    constants=(0,),
    by_value=with_written_times(TIMESTAMP),
)

FUNCTIONS: dict[str, Function] = {
    row.name: row for row in (*_ROWS, *_DATE_ROWS, *_TIMESTAMP_ROWS, *_LOCAL_ROWS, _PARSE_TIMESTAMP)
}


def function_named(name: str) -> Function:
    """The table's row for a function, or an error that lists the functions there are."""
    if name not in FUNCTIONS:
        raise IrTypeError(f"unknown function {name!r}; known: {', '.join(FUNCTIONS)}")
    return FUNCTIONS[name]
