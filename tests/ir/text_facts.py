"""Facts about Spark's functions of strings and binaries."""

from __future__ import annotations

from collections.abc import Iterable

from ir import BINARY, INT32, STRING
from ir.patterns import ESCAPE_AT_THE_END, ESCAPE_IN_THE_MIDDLE
from tests.ir.fact import ANSI, LEGACY, TRY, Fact, Fails, always, mixed

MAX, MIN = INT32.high, INT32.low
BYTES = bytes((1, 2, 3, 4, 5))


def substrings(*rows: tuple[str, int, int, str]) -> Iterable[Fact]:
    """Rows of a text, position, length and result."""
    yield from mixed("substring", (STRING, INT32, INT32), *rows)


def wrong_patterns(*rows: tuple[str, str]) -> Iterable[Fact]:
    """Rows of a pattern and the condition that it fails with."""
    for pattern, condition in rows:
        expected: dict = {ANSI: Fails(condition), LEGACY: None, TRY: None}  # type: ignore[type-arg]
        yield Fact("like", STRING, ("a", pattern), expected)


TEXT_FACTS: tuple[Fact, ...] = (
    *always("concat", STRING, ("a", "é", "", "aé"), ("a", None, None), ("", "")),
    *always("length", STRING, ("", 0), ("größe", 5), ("😀é", 2), ("e\u0301", 2), (None, None)),
    *always("octet_length", STRING, ("", 0), ("größe", 7), ("😀é", 6), (None, None)),
    *always("startswith", STRING, ("view", "vi", True), ("vi", "view", False), ("", "", True)),
    *always("startswith", STRING, ("a", None, None), (None, "", None), ("é", "e", False)),
    *always("endswith", STRING, ("view", "ew", True), ("ew", "view", False), ("view", "", True)),
    *always("endswith", STRING, ("é", "é", True), ("view ", "view", False), (None, "a", None)),
    *always("contains", STRING, ("view", "ie", True), ("", "", True), ("a", "", True)),
    *always("contains", STRING, ("", "a", False), ("aab", "ab", True), ("größe", "öß", True)),
    *always("contains", STRING, ("a\0b", "\0b", True), ("View", "view", False), ("a", None, None)),
    *always("startswith", BINARY, (b"\xff\x00", b"\xff", True), (b"", b"a", False)),
    *always("endswith", BINARY, (b"\xff\x00", b"\x00", True), (b"a", None, None)),
    *always("contains", BINARY, (b"\xff\x00", b"\x00", True), (b"a", b"", True)),
    *always("concat", BINARY, (b"\xff", b"\x00", b"\xff\x00"), (b"", None, None)),
    *always("length", BINARY, (b"\xff\x00", 2), ("é".encode(), 2)),
    *always("octet_length", BINARY, (b"\xff\x00", 2), (None, None)),
    *always("bit_length", BINARY, (b"\xff\x00", 16)),
    *always("bit_length", STRING, ("é", 16), ("", 0)),
    *always("concat_ws", STRING, (",", "a", None, "b", "a,b"), (",", ""), (None, "a", None)),
    *always("concat_ws", STRING, (",", None, None, ""), ("é", "", "", "é"), ("", "a", "b", "ab")),
    *always("lower", STRING, ("ÀSCII Ä", "àscii ä"), ("İ", "i\u0307"), ("ǅ", "ǆ"), (None, None)),
    # A capital sigma at the end of a word, with what is passed over on both sides.
    *always("lower", STRING, ("ΔΣ", "δς"), ("ΔΣΔ", "δσδ"), ("Σ", "σ"), ("ΔΣ.", "δς.")),
    *always("lower", STRING, ("ΔΣ.Δ", "δσ.δ"), ("Δ.Σ Δ", "δ.ς δ"), ("1Σ", "1σ"), ("ΣΣ", "σς")),
    *always("upper", STRING, ("straße", "STRASSE"), ("ŉﬃ", "\u02bcNFFI"), ("i", "I")),
    *always("upper", STRING, ("ΐ", "\u0399\u0308\u0301"), ("ᾳ", "\u0391\u0399"), ("ά", "Ά")),
    *always("upper", STRING, ("ǆ", "Ǆ"), ("ς", "Σ"), ("😀", "😀"), ("", "")),
    *substrings(("größe", 0, 2, "gr"), ("größe", 1, 2, "gr"), ("größe", -2, 5, "ße")),
    *substrings(("größe", -9, 5, "g"), ("größe", -9, 3, ""), ("größe", 2, -1, "")),
    *substrings(("größe", MAX, 3, ""), ("größe", MIN, MAX, "größ"), ("größe", 3, MAX, "öße")),
    *substrings(("größe", MAX, MAX, ""), ("größe", -2, MAX, "ße"), ("", 1, 1, ""), ("a", 6, 1, "")),
    *substrings(("größe", MIN, MIN, ""), ("😀é", 2, 1, "é"), ("größe", -5, 1, "g")),
    *mixed("substring", (STRING, INT32), ("größe", 4, "ße"), ("größe", -1, "e"), (None, 1, None)),
    *mixed("substring", (STRING, INT32), ("a", None, None), ("größe", 0, "größe")),
    *mixed(
        "substring", (BINARY, INT32, INT32), (BYTES, 0, 2, BYTES[:2]), (BYTES, -2, 5, BYTES[3:])
    ),
    *mixed("substring", (BINARY, INT32, INT32), (BYTES, -9, 5, BYTES[:1]), (BYTES, -9, 3, b"")),
    *mixed("substring", (BINARY, INT32, INT32), (BYTES, MIN, MAX, BYTES[:4]), (BYTES, 2, -1, b"")),
    *mixed("left", (STRING, INT32), ("größe", 3, "grö"), ("größe", -1, ""), ("a", 9, "a")),
    *mixed("left", (BINARY, INT32), (BYTES, 2, BYTES[:2]), (BYTES, MIN, b""), (BYTES, MAX, BYTES)),
    *mixed("right", (STRING, INT32), ("größe", 2, "ße"), ("größe", -1, ""), ("größe", MIN, "")),
    *mixed("right", (STRING, INT32), ("größe", MAX, "größe"), ("a", None, None), (None, 0, None)),
    *always("trim", STRING, ("  a b  ", "a b"), ("\t a \n", "\t a \n"), ("   ", ""), (None, None)),
    *always("ltrim", STRING, ("  a ", "a "), ("", "")),
    *always("rtrim", STRING, ("  a ", "  a"), ("", "")),
    *always("trim", STRING, ("éxaxé", "xé", "a"), (" a ", "", " a "), ("aaa", "a", "")),
    *always("trim", STRING, ("a", None, None), (None, "a", None), ("èé", "é", "è")),
    *always("ltrim", STRING, ("ababc", "ba", "c"), ("😀é", "😀", "é")),
    *always("rtrim", STRING, ("abcc", "c", "ab"), ("é😀", "😀", "é"), ("ba", "b", "ba")),
    *always("reverse", STRING, ("aé😀", "😀éa"), ("", ""), ("e\u0301", "\u0301e"), (None, None)),
    *mixed("repeat", (STRING, INT32), ("ab", 3, "ababab"), ("ab", -1, ""), ("é", 0, "")),
    *mixed("repeat", (STRING, INT32), ("", MAX, ""), (None, MAX, None), ("a", None, None)),
    *mixed("lpad", (STRING, INT32, STRING), ("hi", 5, "é?", "é?éhi"), ("hi", 1, "??", "h")),
    *mixed("lpad", (STRING, INT32, STRING), ("hi", -1, "??", ""), ("hi", 5, "", "hi")),
    *mixed("lpad", (STRING, INT32, STRING), ("hi", MAX, "", "hi"), ("hi", 3, None, None)),
    *mixed("rpad", (STRING, INT32, STRING), ("hi", 5, "ab", "hiaba"), ("größe", 3, "a", "grö")),
    *mixed("rpad", (STRING, INT32, STRING), ("", 3, "😀é", "😀é😀"), ("", 0, "a", "")),
    *always("replace", STRING, ("abcabc", "b", "XX", "aXXcaXXc"), ("abc", "", "X", "abc")),
    *always("replace", STRING, ("aaa", "aa", "b", "ba"), ("größe", "ß", "", "gröe")),
    *always(
        "replace", STRING, ("a", "a", None, None), ("", "a", "b", ""), ("ab", "abc", "x", "ab")
    ),
    *always("translate", STRING, ("abcé", "abé", "12", "12c"), ("abc", "aab", "123", "13c")),
    *always("translate", STRING, ("abc", "", "123", "abc"), ("a😀b", "😀", "é", "aéb")),
    *always("translate", STRING, ("abc", "b", "\0", "a\0c"), ("a", None, "b", None)),
    *mixed("substring_index", (STRING, STRING, INT32), ("a.b.c", ".", 2, "a.b")),
    *mixed("substring_index", (STRING, STRING, INT32), ("a.b.c", ".", -2, "b.c")),
    *mixed("substring_index", (STRING, STRING, INT32), ("a.b.c", ".", 0, ""), ("a.b", "", 1, "")),
    *mixed("substring_index", (STRING, STRING, INT32), ("a.b.c", ".", 9, "a.b.c")),
    *mixed("substring_index", (STRING, STRING, INT32), ("a.b.c", ".", -9, "a.b.c")),
    *mixed("substring_index", (STRING, STRING, INT32), ("aaaa", "aa", 2, "a")),
    *mixed("substring_index", (STRING, STRING, INT32), ("aaaaa", "aa", -2, "a")),
    *mixed("substring_index", (STRING, STRING, INT32), ("a", "ab", 1, "a"), ("a", "ab", -1, "a")),
    *mixed("substring_index", (STRING, STRING, INT32), ("aéaéa", "é", -1, "a"), (".a", ".", 1, "")),
    *always("like", STRING, ("ab", "a_", True), ("a😀", "a_", True), ("a\nb", "a%b", True)),
    *always("like", STRING, ("", "", True), ("", "%", True), ("a", "", False), ("", "_", False)),
    *always("like", STRING, ("aab", "%ab", True), ("a_b", r"a\_b", True), ("axb", r"a\_b", False)),
    *always("like", STRING, ("a\\b", r"a\\b", True), ("a%", r"a\%", True), ("ab", r"a\%", False)),
    *always("like", STRING, ("aXbXc", "a%b%c", True), ("abab", "%ab_", False), ("é", "__", False)),
    *always("like", STRING, ("ab\n", "ab", False), ("a.c", "a.c", True), ("abc", "a.c", False)),
    *always("like", STRING, (None, "a", None), ("a", None, None), (None, "\\", None)),
    *wrong_patterns(("a\\", ESCAPE_AT_THE_END), (r"\a", ESCAPE_IN_THE_MIDDLE)),
    *wrong_patterns(("zz\\", ESCAPE_AT_THE_END), (r"%\é", ESCAPE_IN_THE_MIDDLE)),
    *always("instr", STRING, ("größe", "ße", 4), ("a", "", 1), ("", "", 1), ("a", "b", 0)),
    *always("instr", STRING, ("a", None, None), ("banana", "nan", 3)),
    *mixed("locate_from", (STRING, STRING, INT32), ("a", "banana", 3, 4), ("a", "banana", 0, 0)),
    *mixed(
        "locate_from", (STRING, STRING, INT32), ("a", "banana", MIN, 0), ("a", "banana", MAX, 0)
    ),
    *mixed(
        "locate_from", (STRING, STRING, INT32), ("", "abc", 5, 1), ("", "abc", 0, 0), ("", "", 1, 1)
    ),
    *mixed("locate_from", (STRING, STRING, INT32), ("ö", "größe", 3, 3), ("ö", "größe", 4, 0)),
    *mixed("locate_from", (STRING, STRING, INT32), (None, "a", 1, None), ("a", None, 1, None)),
    *always("ascii", STRING, ("é", 233), ("😀x", 128512), ("", 0), ("\0", 0), (None, None)),
)
