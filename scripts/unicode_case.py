"""Write ir/case_data.py anew, as Spark's ICU maps letters; run it by scripts/with-spark.

Each character is asked for by itself; where a capital sigma is the last letter of a
word tells which characters are letters with case, and which are passed over.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
from pyspark.sql import SparkSession

TARGET = Path(__file__).parent.parent / "ir" / "case_data.py"
HEADER = '''"""How Unicode {version} maps letters between cases, as ICU and Spark have it.

Made by scripts/unicode_case.py. Numbers are hexadecimal code points. A mapping is
`first-last/step+distance`: every step-th character moves by the distance.
"""

from __future__ import annotations
'''


def mappings(mapped: dict[int, int]) -> Iterable[str]:
    """The pairs as runs of characters that move by the same distance."""
    left = dict(mapped)
    while left:
        first = min(left)
        distance = left[first] - first
        runs = [_run(left, first, step, distance) for step in (1, 2)]
        run = max(runs, key=len)
        step = 1 if run is runs[0] else 2
        yield f"{first:x}-{run[-1]:x}/{step}{'+' if distance > 0 else '-'}{abs(distance):x}"
        for code in run:
            del left[code]


def _run(mapped: dict[int, int], first: int, step: int, distance: int) -> list[int]:
    run = [first]
    while mapped.get(run[-1] + step) == run[-1] + step + distance:
        run.append(run[-1] + step)
    return run


def ranges(codes: Iterable[int]) -> Iterable[str]:
    """The characters as ranges."""
    found: list[list[int]] = []
    for code in sorted(codes):
        if found and found[-1][1] == code - 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return (f"{first:x}-{last:x}" for first, last in found)


def specials(mapped: dict[int, str]) -> Iterable[str]:
    """The characters that become several, as `code=code,code`."""
    return (f"{code:x}={','.join(f'{ord(c):x}' for c in text)}" for code, text in mapped.items())


def constant(name: str, words: Iterable[str]) -> str:
    """A constant of words, wrapped."""
    lines = textwrap.wrap(" ".join(words), 92)
    return "\n".join([f"\n{name} = (", *(f'    "{line} "' for line in lines), ")\n"])


def main() -> None:
    """Ask Spark and write the file."""
    spark = SparkSession.builder.master("local[1]").getOrCreate()
    codes = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    text = pa.table({"i": pa.array(codes, pa.int32()), "s": pa.array(map(chr, codes))})
    final = "lower(concat('{}', s, 'Σ')) like '%ς'"
    asked = spark.createDataFrame(text).selectExpr(
        *("i", "lower(s) l", "upper(s) u"),
        *(f"{final.format(before)} {name}" for before, name in ((" ", "c"), ("a", "e"))),
    )
    rows = asked.toArrow().to_pylist()
    parts = [HEADER.format(version=_version(spark))]
    for name, key in (("LOWER", "l"), ("UPPER", "u")):
        changed = {row["i"]: row[key] for row in rows if row[key] != chr(row["i"])}
        single = {code: ord(text) for code, text in changed.items() if len(text) == 1}
        several = {code: text for code, text in changed.items() if len(text) > 1}
        parts += (constant(name, mappings(single)), constant(f"{name}_SPECIAL", specials(several)))
    parts.append(constant("CASED", ranges(row["i"] for row in rows if row["c"])))
    parts.append(constant("IGNORED", ranges(r["i"] for r in rows if r["e"] and not r["c"])))
    TARGET.write_text("".join(parts))


def _version(spark: SparkSession) -> str:
    version = spark._jvm.com.ibm.icu.lang.UCharacter.getUnicodeVersion()
    return f"{version.getMajor()}.{version.getMinor()}"


if __name__ == "__main__":
    main()
