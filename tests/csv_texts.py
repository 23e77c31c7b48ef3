"""Random lines of CSV, many of them in some way odd, for comparison with Spark."""

from __future__ import annotations

import random

from tests.json_texts import DDL

COLUMNS = [part.split()[0] for part in DDL.split(", ")]
_VALUES = [
    *(
        "",
        "",
        '""',
        "NA",
        "null",
        "true",
        "FALSE",
        "True",
        "yes",
        "0",
        "-0",
        "+5",
        "007",
        "1",
        "127",
    ),
    *("128", "-129", "32768", "2147483648", "9223372036854775807", "9223372036854775808", "-"),
    *(
        "1.0",
        "1.50",
        "-0.0",
        "1e2",
        "1E+2",
        ".5",
        "5.",
        "1e400",
        "0.1",
        "999999.995",
        "12345678.905",
    ),
    *("NaN", "Inf", "-Inf", "inf", "nan", "Infinity", "-Infinity", "1d", "1f", "0x1p3", " 1", "1 "),
    *("view", "größe", "a b", " a", "a ", 'a"b', "a\\b", "\\", "'a'", "\x7f", "a\tb", "\x01"),
    *(
        '"view"',
        '"a,b"',
        '"1,234.5"',
        '"größe"',
        '"a\\"b"',
        '"a\\\\"',
        '"a\\nb"',
        '" a "',
        '"1"',
        '"true"',
        '"x" ',
    ),
    *("2026-01-02", "2026-1-2", "2026", "2026-02-30", "2024-02-29", "0001-01-01", "20260102"),
    *("2026-01-02T03:04:05.123Z", "2026-01-02 03:04:05", "2026-01-02T03:04:05.123456789+05:30"),
    *("2026-01-02T24:00:00Z", "2026-01-02T03:04", "2026-01-02GMT", '"2026-01-02T03:04:05Z"'),
    *("2026-07-02T03:04:05 Europe/Berlin", "2026-03-08 02:30:00.5America/New_York"),
    *("2026-01-02T03:04:05PST", "2026-01-02 03:04:05 Nowhere/Land", '"1890-01-02 3:4:5 GB"'),
    *('"a"b', '"a" b', '"a" b"', '"a"b"c', '"open', '"', '"a""b"', '"a\\', '"a"\\b', '"a"\\"b"'),
    *(
        '"a\\\\"b"',
        '""x',
        '"" x',
        'a"',
        "\uff11\uff12",
        "-٣",
        "1٣",
        "²",
        "\U0001d7cf",
        "1e20000",
        "-1e-20000",
    ),
    *("0e99999999", "1e-600000000", "1e9999999999", "0" * 5000 + "7", "5" * 5000, "N", "P", "E"),
    *("2026-01-02T03:04:05 GMT", "9999-12-31T23:59:59.999999Z", "2026-01-02 x", "-5", "{}"),
]

_DAMAGES = [
    *(
        b"\xff",
        b"\xc3",
        b"\xc3\xa9",
        b'"',
        b'"',
        b"\\",
        b'",',
        b'""',
        b" ",
        b"#",
        b"\0",
        b"\xf0\x9f",
    ),
    *(b"\xed\xa0\x80", b"\xed\xb0", b"\xed", b"\xf4\x90\x80\x80", b"\xe2\x82", b"\xc0\x80"),
]


def random_line(rng: random.Random, oddity: float = 0.3) -> bytes:
    """A line without its end; about this share of its fields is out of the ordinary."""
    if rng.random() < oddity / 10:
        return rng.choice(["", " ", "\t", ",", "x", " , ", ",,,,,,,,,,", ",,,,,,,,,,,"]).encode()
    fields = [
        rng.choice(_VALUES) if rng.random() < oddity else _fitting(rng, name) for name in COLUMNS
    ]
    if rng.random() < oddity / 5:
        fields = fields[: rng.randrange(1, len(fields))]
    elif rng.random() < oddity / 5:
        fields.append(rng.choice(_VALUES))
    line = ",".join(fields).encode()
    if rng.random() < oddity / 10:
        at = rng.randrange(len(line) + 1)
        line = line[:at] + rng.choice(_DAMAGES) + line[at:]
    return line


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
        "kind": rng.choice(["view", "click", "", "größe", "a b", '"view"']),
        "day": f"2026-{rng.randrange(1, 13):02}-{rng.randrange(1, 32):02}",
        "time": f"2026-01-02T{rng.randrange(25):02}:04:05.{rng.randrange(1000):03}Z",
        "price": f"{number % 10_000_000}.{rng.randrange(1000)}",
    }[name]
