"""The table of letters is the one that Spark's JVM has."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession

from ir.letter_case import lower, upper

pytestmark = pytest.mark.spark

# Where letters and marks are; other planes have none that the table could miss.
PLANES = (range(0x20000), range(0xE0000, 0xE1000))
PIECE = 512


def test_every_character(spark: SparkSession) -> None:
    """By itself, and where it decides whether a sigma is the last letter of a word."""
    codes = [code for plane in PLANES for code in plane if not 0xD800 <= code < 0xE000]
    pieces = [codes[first : first + PIECE] for first in range(0, len(codes), PIECE)]
    alone = ["".join(chr(code) + " " for code in piece) for piece in pieces]
    probes = ["".join(f"aΣ{chr(code)}a {chr(code)}Σ " for code in piece) for piece in pieces]
    texts = [(text,) for text in (*alone, *probes)]
    made = spark.createDataFrame(texts, "s string").selectExpr("s", "lower(s) l", "upper(s) u")
    for row in made.collect():
        assert (row["l"], row["u"]) == (lower(row["s"]), upper(row["s"]))
