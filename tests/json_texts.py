"""Random JSON lines, most of them in some way odd, for comparison with Spark."""

from __future__ import annotations

import json
import random

DDL = (
    "flag boolean, small tinyint, short smallint, number int, big bigint, ratio double,"
    " narrow float, kind string, day date, time timestamp, price decimal(9,2)"
)
_VALUES = [
    *("null", "true", "false", "0", "-0", "1", "-1"),
    *("7", "127", "128", "200", "255", "256", "-129"),
    *("32768", "2147483648", "9223372036854775807", "9223372036854775808", "99999999999999999999"),
    *("1.0", "1.5", "-0.0", "1e2", "1E+2", "1e-7", "1e400", "0.1", "999999.995", "12345678.905"),
    *("123456789012345678", "16777217", "33554433.0", "NaN", "Infinity", "-INF", "+INF", "INF"),
    *('"NaN"', '"+INF"', '"-Infinity"', '"1.5"', '"5"'),
    *('""', '" 7"', '"1,234.5"', '",5"', '"true"', '"1e2"', '"-12.345"'),
    *('"view"', '"grö\\u00dfe"', '"größe"', '"\\ud83d\\ude00"', '"\\ud800x"', '"a\\"b\\\\c\\/d"'),
    *('"tab\\there"', '"\\u0041"', '"it\\\'s"', "'single'", "'it\\'s'", "'a\"b'"),
    *('"2026-01-02"', '"2026-1-2"', '"2026"', '"2026-02-30"', '"2024-02-29"', '"0001-01-01"'),
    *('"2026-01-02T03:04:05.123Z"'),
    *('"2026-01-02 03:04:05"', '"2026-01-02T03:04:05.123456789+05:30"'),
    *('"2026-01-02T03:04:05-08:00"', '"2026-01-02T24:00:00Z"'),
    *('"2026-01-02T03:04"', '"2026-01-02GMT"'),
    *('"2026-01-02T03:04:05 GMT"', '"9999-12-31T23:59:59.999999Z"', '"2026-01-02 x"', '"-5"'),
    *('"2026-07-02T03:04:05 Europe/Berlin"', '"2026-03-08 02:30:00.5America/New_York"'),
    *('"2026-01-02T03:04:05PST"', '"2026-01-02 03:04:05 Nowhere/Land"', '"1890-01-02 3:4:5 GB"'),
    *(
        '"\uff11\uff12"',
        '"-٣"',
        '"-12345678"',
        '"-2147483648"',
        '"+-5"',
        '"-719\u0661٦٣"',
        '"-141427"',
    ),
    *("1e20000", "-1e-20000", '"1e-600000000"', "0e99999999", "1e9999999999", '"0e-99999999"'),
    *(
        "1" * 1000,
        "-" + "1" * 1000,
        "1" * 1001,
        "0." + "1" * 999,
        "1e" + "0" * 1000,
        "[1," + "1" * 1001,
    ),
    *('{"a":' + "1" * 1001 + ',"big":3}', '"' + "0" * 5000 + '7"', '"' + "5" * 5000 + '"'),
    *("{}", "[]", '{"a": 1 , "b":[1, {"c":"x\\ny"}]}'),
    *("[1, 2 ,3]", '{"kind":"inner"}', '[{"big":1}]'),
]
_BROKEN = [
    *("01", "+1", "-", "1.", ".5", "tru", "nul", "truex", "x", '"open', "{", "[1,", "'open"),
    '"\\q"',
]
# None has a byte 255: in a name, Jackson takes it for padding, if it has seen that name before.
_DAMAGES = [
    *(b'"', b"\\", b"}", b",", b"\x01", b"\xfe", b"\xc3\xa9", b"\xc0\x80", b"\xed\xa0\x80", b"\0"),
    *(
        b"\xf4\x90\x80\x80",
        b"\xf7\xbf\xbf\xbf",
        b"\xf0\x80\x80\x80",
        b"\xf8\x80\x80\x80",
    ),
]
COLUMNS = [part.split()[0] for part in DDL.split(", ")]
_OTHERS = ["Kind", "other", "größe", "na\\u006de", "kin\\u0064", "", "big "]
_WHOLE = [
    *("", " ", "\t", "null", "1", '"text"', "[]", "[1]", "{}", "{ }", "not json", "{,}", "[{},{}]"),
    *('[{"big":1},{"big":2}]', '[{"big":"bad"},{"kind":"x"}]', '[{"big":1},null]'),
    *("[{}", "{}}", "{} x"),
    *('{"kind":"\\q,"big":1}', '{"kind":"\\q","big":1}'),
    *('{"kind":{"a":"\\q"},"big":1}', '{"big":1,}'),
    *('{"big":1 "kind":2}', '{"big" 1}', "{big:1}"),
    *("{'big':1}", '{"big":1}{"big":2}', '\ufeff{"big":3}'),
    *('{"kind":"a\tb"}', '{"other":"a\tb","big":1}'),
    *('{"kind":"\x7f"}', '{"big":1]', '{"kind":"x" , }'),
]


def random_line(rng: random.Random, oddity: float = 0.3) -> bytes:
    """A line without its end; about this share of what it is made of is out of the ordinary."""
    if rng.random() < oddity / 3:
        return rng.choice(_WHOLE).encode()
    names = rng.sample(COLUMNS, rng.randrange(len(COLUMNS)))
    fields = [_field(rng, name, oddity) for name in names]
    if rng.random() < oddity:
        fields.append(f'"{rng.choice(_OTHERS)}":{rng.choice(_VALUES)}')
        rng.shuffle(fields)
    if fields and rng.random() < oddity / 3:
        fields.append(rng.choice(fields))
    space = rng.choice(["", "", " "])
    line = ("{" + space + f"{space},{space}".join(fields) + space + "}").encode()
    if rng.random() < oddity / 10:
        return _wide(rng, line.decode())
    return _damaged(rng, line) if rng.random() < oddity / 3 else line


def _wide(rng: random.Random, line: str) -> bytes:
    """The line in UTF-16 or UTF-32, perhaps with something broken."""
    line = rng.choice(["", "", "\ufeff", " "]) + line + rng.choice(["", "", " "])
    if rng.random() < 0.2:
        at = rng.randrange(len(line))
        line = line[:at] + rng.choice(["\ud800", "\udc00", "\ud83d\ude00", "\ufffe"]) + line[at:]
    form = rng.choice(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
    data = line.encode(form, "surrogatepass")
    cut = rng.choice([0, 0, 0, 1, 2, 3])
    data = rng.choice([data[: len(data) - cut], data + b"\0" * cut])
    return data if rng.random() < 0.9 else data + b"\x00\x11\x00\x00"


def _field(rng: random.Random, name: str, oddity: float) -> str:
    value = rng.choice(_VALUES) if rng.random() < oddity else _fitting(rng, name)
    if rng.random() < oddity / 20:
        value = rng.choice(_BROKEN)
    return f'"{name}":{rng.choice(["", "", " "])}{value}'


def _fitting(rng: random.Random, name: str) -> str:
    number = rng.choice([rng.randrange(100), rng.randrange(-(2**40), 2**40)])
    return {
        "flag": rng.choice(["true", "false"]),
        "small": str(rng.randrange(-128, 128)),
        "short": str(rng.randrange(-(2**15), 2**15)),
        "number": str(rng.randrange(-(2**31), 2**31)),
        "big": str(number),
        "ratio": repr(rng.choice([number / 7, rng.random(), float(number)])),
        "narrow": repr(rng.random() * 100),
        "kind": json.dumps(rng.choice(["view", "click", "", "größe", "a b"]), ensure_ascii=False),
        "day": f'"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 32):02}"',
        "time": f'"2026-01-02T{rng.randrange(25):02}:04:05.{rng.randrange(1000):03}Z"',
        "price": f"{number % 10_000_000}.{rng.randrange(1000)}",
    }[name]


def _damaged(rng: random.Random, line: bytes) -> bytes:
    """A byte taken out, put in or cut off at."""
    at = rng.randrange(len(line))
    odd = rng.choice(_DAMAGES)
    return rng.choice([line[:at], line[:at] + line[at + 1 :], line[:at] + odd + line[at:]])
