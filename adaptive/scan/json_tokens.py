"""JSON tokens as Spark's parser (Jackson) sees them, also in text that is no JSON.

This is the slow and exact reader: records that generated code does not take come here. What it
accepts and where it gives up is Jackson's, with the features that Spark turns on: single
quotes, and words for numbers that are none.
"""

from __future__ import annotations

import re
from enum import Enum, auto

MOST_DEPTH = 1000
MOST_DIGITS = 1000  # of a number: before and behind the point, and of the exponent
_SPACES = b" \t\r\n"
_NUMBER = re.compile(rb"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_NOT_BEHIND_A_NUMBER = frozenset(bytes([byte]) for byte in b".eE0123456789")
_WORD_PART = re.compile(rb"[0-9A-Za-z_\x80-\xff]")
_WORDS = (b"+INF", b"-INF", b"+Infinity", b"-Infinity", b"Infinity", b"NaN")
_ESCAPES = {
    **{ord(char): char for char in "\"/\\'"},
    **{ord("b"): "\b", ord("t"): "\t", ord("n"): "\n", ord("f"): "\f", ord("r"): "\r"},
}


class Token(Enum):
    """What a parser stands at."""

    START_OBJECT = auto()
    END_OBJECT = auto()
    START_ARRAY = auto()
    END_ARRAY = auto()
    NAME = auto()
    STRING = auto()
    INTEGER = auto()
    FLOAT = auto()
    TRUE = auto()
    FALSE = auto()
    NULL = auto()


class Malformed(ValueError):
    """The text cannot be read on as JSON."""


_STARTS = {ord("{"): Token.START_OBJECT, ord("["): Token.START_ARRAY}
_LITERALS = {ord(w[:1]): (w, t) for w, t in ((b"true", Token.TRUE), (b"false", Token.FALSE))}
_LITERALS[ord("n")] = (b"null", Token.NULL)


class JsonTokens:
    """Reads one record token by token; the value of a field is looked at together with its name.

    A string in double quotes is read when it is asked for or passed over. That decides which
    part of a broken record is still read, so it is done here as Jackson does it.
    """

    def __init__(self, data: bytes, *, has_places: bool = True) -> None:
        self.data = data
        self.has_places = has_places  # in the record; what was decoded has none
        self.at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.token: Token | None = None
        self.name = ""
        self.begin = 0  # of the token
        self._scopes: list[Token] = []
        self._counts: list[int] = []
        self._value: Token | None = None  # that comes after the name
        self._unread = False
        self._text = ""

    def next(self) -> Token | None:
        """Go on to the next token; None at the end of the text, if nothing is open."""
        if self.token is Token.NAME:
            value, self._value = self._value, None
            return self._enter(value)
        if self._unread:
            self._unread = False
            self._read_string(is_kept=False)
        byte = self._byte_after_spaces()
        if byte is None:
            if self._scopes:
                raise Malformed("the record ends too early")
            self.token = None
            return None
        if byte in b"]}":
            return self._leave(byte)
        if self._scopes and self._counts[-1]:
            if byte != ord(","):
                raise Malformed("a comma is missing")
            self.at += 1
            byte = self._needed_byte()
        if self._scopes:
            self._counts[-1] += 1
        if not self._scopes or self._scopes[-1] is Token.START_ARRAY:
            return self._enter(self._read_value(byte))
        self.name = self._read_name(byte)
        self.token = Token.NAME
        if self._needed_byte() != ord(":"):
            raise Malformed("a colon is missing")
        self.at += 1
        self._value = self._read_value(self._needed_byte())
        return self.token

    def next_until(self, end: Token) -> bool:
        """Go on; False at the end of the text or of what is open."""
        found = self.next()
        return found is not None and found is not end

    def skip_children(self) -> None:
        """Go on to the end of an object or array, if the parser stands at the start of one."""
        if self.token not in (Token.START_OBJECT, Token.START_ARRAY):
            return
        depth = len(self._scopes)
        while len(self._scopes) >= depth:
            self.next()

    def text(self) -> str:
        """The characters of a string; of another token its source."""
        if self.token is not Token.STRING:
            return self.data[self.begin : self.at].decode("ascii")
        if self._unread:
            self._unread = False
            self._text = self._read_string()
        return self._text

    # -- structure ----------------------------------------------------------

    def _enter(self, token: Token | None) -> Token | None:
        self.token = token
        if token in (Token.START_OBJECT, Token.START_ARRAY):
            assert token is not None
            self._scopes.append(token)
            self._counts.append(0)
            if len(self._scopes) > MOST_DEPTH:
                raise Malformed("the record is nested too deeply")
        return token

    def _leave(self, byte: int) -> Token:
        start, end = (
            (Token.START_ARRAY, Token.END_ARRAY)
            if byte == ord("]")
            else (Token.START_OBJECT, Token.END_OBJECT)
        )
        if not self._scopes or self._scopes[-1] is not start:
            raise Malformed("a bracket closes what is not open")
        self.at += 1
        self._scopes.pop()
        self._counts.pop()
        self.token = end
        return end

    def _byte_after_spaces(self) -> int | None:
        data, at = self.data, self.at
        while at < len(data) and data[at] in _SPACES:
            at += 1
        self.at = at
        return data[at] if at < len(data) else None

    def _needed_byte(self) -> int:
        byte = self._byte_after_spaces()
        if byte is None:
            raise Malformed("the record ends too early")
        return byte

    # -- values -------------------------------------------------------------

    def _read_value(self, byte: int) -> Token:
        """The token that begins with a byte; a string in double quotes is left for later."""
        self.begin = self.at
        if byte == ord('"'):
            self.at += 1
            self._unread = True
            return Token.STRING
        if byte in _STARTS:
            self.at += 1
            return _STARTS[byte]
        if byte in _LITERALS:
            word, token = _LITERALS[byte]
            self._match(word)
            return token
        if byte == ord("'"):
            self.at += 1
            self._text = self._read_string(ord("'"))
            return Token.STRING
        return self._read_number()

    def _read_number(self) -> Token:
        for word in _WORDS:
            if self.data.startswith(word, self.at):
                self._match(word)
                return Token.FLOAT
        found = _NUMBER.match(self.data, self.at)
        if found is None:
            raise Malformed("there is no value")
        self.at = found.end()
        if self.data[self.at : self.at + 1] in _NOT_BEHIND_A_NUMBER:
            raise Malformed("a number is broken")
        if len(found.group().translate(None, b"+-.eE")) > MOST_DIGITS:
            raise Malformed("a number has more than 1000 digits")
        return Token.FLOAT if found.group(1) or found.group(2) else Token.INTEGER

    def _match(self, word: bytes) -> None:
        end = self.at + len(word)
        if not self.data.startswith(word, self.at) or _WORD_PART.match(self.data, end):
            raise Malformed("an unknown word")
        self.at = end

    # -- strings ------------------------------------------------------------

    def _read_name(self, byte: int) -> str:
        if byte not in b"\"'":
            raise Malformed("a name is not quoted")
        self.at += 1
        return self._read_string(byte)

    def _read_string(self, quote: int = ord('"'), *, is_kept: bool = True) -> str:
        """The characters up to the quote; where it breaks, reading goes on right behind.

        One that is passed over may have halves of characters.
        """
        units: list[str] = []
        while True:
            byte = self._next_byte()
            if byte == quote:
                return _joined(units)
            if byte == ord("\\"):
                units.append(self._read_escape())
            elif byte < 0x20:
                raise Malformed("a control character in a string")
            elif byte < 0x80:
                units.append(chr(byte))
            else:
                units.append(self._read_wide(byte, is_kept=is_kept))

    def _next_byte(self) -> int:
        if self.at >= len(self.data):
            raise Malformed("the record ends within a string")
        byte = self.data[self.at]
        self.at += 1
        return byte

    def _read_escape(self) -> str:
        byte = self._next_byte()
        if byte == ord("u"):
            value = 0
            for _ in range(4):
                digit = chr(self._next_byte())
                if digit not in "0123456789abcdefABCDEF":
                    raise Malformed("an escape is broken")
                value = value * 16 + int(digit, 16)
            return chr(value)
        if byte not in _ESCAPES:
            raise Malformed("an unknown escape")
        return _ESCAPES[byte]

    def _read_wide(self, first: int, *, is_kept: bool) -> str:
        """A character of several bytes; too long a form of it is accepted, as in Jackson."""
        forms = ((0xE0, 0xC0, 1), (0xF0, 0xE0, 2), (0xF8, 0xF0, 3))
        found = [(mask, more) for mask, lead, more in forms if first & mask == lead]
        if not found:
            raise Malformed("bytes that are not UTF-8")
        [(mask, more)] = found
        value = first & ~mask & 0xFF
        for _ in range(more):
            byte = self._next_byte()
            if byte & 0xC0 != 0x80:
                raise Malformed("bytes that are not UTF-8")
            value = value << 6 | byte & 0x3F
        if more == 2 and 0xD800 <= value < 0xE000 and is_kept:
            raise Malformed("half a character of UTF-16 as UTF-8")
        return chr(value) if more < 3 else _pair(value - 0x10000)


def _pair(value: int) -> str:
    """Both halves of a character of four bytes, as Jackson makes them; it checks no limits."""
    return chr((0xD800 | value >> 10) & 0xFFFF) + chr(0xDC00 | value & 0x3FF)


def _joined(units: list[str]) -> str:
    """The text of UTF-16 units: halves of a character that meet are one."""
    text = "".join(units)
    if not any("\ud800" <= unit <= "\udfff" for unit in units):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
