"""Calls of all functions that are supported, over the columns of `random_rows`, as SQL text.

None can fail with any value of a column, odd ones included.
"""

from __future__ import annotations

import random

# Records that are odd may have days of any year.
_DAY = "if(day between date'1000-01-01' and date'3000-01-01', day, null)"
NUMERIC = (
    *("abs(number)", "sign(price)", "sqrt(abs(narrow))", "cbrt(ratio)", "exp(small)"),
    *("expm1(narrow)", "ln(abs(number) + 1)", "log2(abs(short) + 1)", "log10(abs(number) + 1)"),
    *("log1p(abs(number))", "pow(small, 2)", "ceil(price)", "floor(price)", "ceil(number / 4)"),
    *("round(price, 1)", "bround(price, 1)", "round(number / 4)", "bround(number / 8, 1)"),
    *("mod(number, 5)", "pmod(number, 7)", "sin(narrow)", "cos(small)", "tan(number)"),
    *("asin(number / 7)", "acos(small / 128)", "atan(ratio)", "sinh(part)"),
    *("cosh(part)", "tanh(number)", "degrees(number)", "radians(number)", "shiftleft(number, 3)"),
    *("shiftright(big, 2)", "shiftrightunsigned(number, 1)", "(small & 12)", "(number | 3)"),
    *("(number ^ 5)", "(~ number)", "greatest(number, part, 1)", "least(number, part, 1)"),
)
TIMES = (
    *(f"year({_DAY})", "quarter(time)", f"month({_DAY})", f"weekofyear({_DAY})"),
    *(f"day({_DAY})", f"dayofweek({_DAY})", f"weekday({_DAY})", f"dayofyear({_DAY})"),
    *("hour(time)", "minute(time)", "second(time)", f"extract(week from {_DAY})"),
    *("date_trunc('hour', time)", f"trunc({_DAY}, 'month')", f"date_add({_DAY}, 3)"),
    *(f"date_sub({_DAY}, small)", "datediff(day, date'2000-01-01')", f"add_months({_DAY}, 2)"),
    *(f"last_day({_DAY})", f"next_day({_DAY}, 'MON')", "make_date(2000 + part, 2, 28)"),
    *("timestampadd(HOUR, 3, time)", "time + interval 2 hours", "unix_seconds(time)"),
    *("timestampdiff(MINUTE, time, timestamp'1970-01-01 00:00:00Z')", "unix_millis(time)"),
    *("unix_micros(time)", f"unix_date({_DAY})", "timestamp_seconds(small)"),
    *("timestamp_millis(number)", "timestamp_micros(number)", "cast(time as date)"),
    *("from_utc_timestamp(time, 'Asia/Tokyo')", "to_utc_timestamp(time, 'America/New_York')"),
)
CHOICES = (
    *("case kind when 'a' then 1 when 'view' then 2 end", "if(flag, number, part)"),
    *("coalesce(part, number, 0)", "nvl(part, -1)", "ifnull(kind, 'x')", "nvl2(part, kind, 'y')"),
    *("nullif(kind, 'a')", "zeroifnull(part)", "nullifzero(number)", "try_add(big, number)"),
    *("try_subtract(big, number)", "try_multiply(big, number)", "try_divide(number, part)"),
    *("try_cast(kind as int)", "try_cast(big as int)", "cast(number as string)"),
    *("cast(price as string)", f"cast({_DAY} as string)", "cast(flag as string)"),
    *("cast(number as decimal(12, 2))", "cast(kind as binary)", "cast(price as double)"),
)
TEXTS = (
    *("lower(kind)", "upper(kind)", "substring(kind, 2, 3)", "left(kind, 2)", "right(kind, 2)"),
    *("trim(kind)", "ltrim('v', kind)", "rtrim(kind)", "trim(both 'ae' from kind)"),
    *("concat(kind, '-', number)", "concat_ws('/', kind, part)", "repeat(kind, 2)"),
    *("lpad(kind, 5, '*')", "rpad(kind, 5, 'ab')", "reverse(kind)", "replace(kind, 'e', 'EE')"),
    *("translate(kind, 'aei', '12')", "substring_index(kind, 'e', 1)", "length(kind)"),
    *("char_length(kind)", "octet_length(kind)", "bit_length(kind)", "startswith(kind, 'v')"),
    *("endswith(kind, 'w')", "contains(kind, 'ie')", "instr(kind, 'e')", "locate('e', kind, 2)"),
    *("ascii(kind)", "kind like '%e_'", "kind ilike 'VI%'", "greatest(kind, 'b')"),
    "least(kind, 'b')",
)


def function_calls(rng: random.Random, count: int) -> list[str]:
    """Some calls, of each kind of function as many."""
    kinds = [rng.sample(kind, k=len(kind)) for kind in (NUMERIC, TIMES, CHOICES, TEXTS)]
    return [kinds[number % 4][number // 4] for number in range(count)]
