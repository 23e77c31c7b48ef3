"""A line of CSV cut into fields, as the parser below Spark's reader (univocity) cuts it.

What that parser makes of quotes that are not escaped, or of a quoted field that does not end,
follows from the two characters that it remembers: the latest one and the one before it. Some of
it is odd (a separator may become part of a field), and done here alike. So is the way in which it
goes over fields that nobody reads, except in the first line of what it reads at once, where it
still reads all of them: there is no telling which line that is.
"""

from __future__ import annotations

from collections.abc import Container

from adaptive.scan.record_modes import RecordError
from codegen_llvm import CsvForm

MOST_FIELDS = 20_480  # the default of Spark's option maxColumns
JAVA_SPACES = "".join(map(chr, range(0x21)))
_NONE = "\0"  # no character is remembered


class _EndOfLine(Exception):
    """There is no further character."""


def split(text: str, form: CsvForm, read: Container[int] = range(MOST_FIELDS)) -> list[str | None]:
    """The fields of a line that is not empty; a bare one without characters is None.

    Fields at other positions than those to read are of no meaning.
    """
    fields = _Cutter(text, form, read).fields()
    if len(fields) > MOST_FIELDS:
        raise _unreadable(text, f"has more than {MOST_FIELDS} fields")
    return fields


def _unreadable(text: str, problem: str) -> RecordError:
    """Spark's parser breaks down, whatever the mode is."""
    return RecordError(f"[MALFORMED_CSV_RECORD] The CSV record {text[:200]!r} {problem}")


class _Cutter:
    """Goes over a line once."""

    def __init__(self, text: str, form: CsvForm, read: Container[int]) -> None:
        self._text, self._form, self._read = text, form, read
        self._quote, self._escape = form.quote, form.escape
        # An escape may be escaped by itself, if it is no quote.
        self._double = _NONE if self._quote == self._escape else self._escape
        self._at = 0  # behind the latest character
        self._char = _NONE
        self._before = _NONE
        self._content: list[str] = []
        self._is_trimmed = False
        self._went_on = False  # a quoted field, behind a quote that is not escaped
        self._fields: list[str | None] = []

    def fields(self) -> list[str | None]:
        try:
            self._cut()
        except _EndOfLine:
            self._finish()
        return self._fields

    def _cut(self) -> None:
        form = self._form
        self._step()
        while True:
            if form.trims_leading:
                while self._char <= " " and self._char not in (form.separator, self._quote):
                    self._step()
            if self._char == form.separator:
                self._fields.append(None)
            else:
                self._field()
            self._step()

    def _field(self) -> None:
        """Read a field up to the separator behind it."""
        self._before, self._went_on = _NONE, False
        if self._char != self._quote:
            self._bare_field()
        elif not (self._plainly_quoted() if len(self._fields) in self._read else self._skipped()):
            self._is_trimmed = False
            self._quoted_field()
            self._put()

    def _bare_field(self) -> None:
        trims = self._form.trims_trailing
        end = self._text.find(self._form.separator, self._at)
        if end < 0:
            self._is_trimmed = trims
            self._until(self._form.separator)
        value = self._text[self._at - 1 : end]
        if trims and self._at == 1 and 0 in self._read and not value.strip(JAVA_SPACES):
            raise _unreadable(self._text, "begins with nothing but spaces, which are left out")
        self._fields.append((value.rstrip(JAVA_SPACES) if trims else value) or None)
        self._go_behind(end)

    def _plainly_quoted(self) -> bool:
        """Read a quoted field without any escape, if a separator is right behind it."""
        text, begin = self._text, self._at
        end = begin
        while end < len(text) and text[end] != self._quote:
            following = text[end + 1 : end + 2]
            if text[end] == self._escape and following in (self._quote, self._double):
                return False
            end += 1
        if end + 1 >= len(text) or text[end - 1] == self._escape:
            return False
        if text[end + 1] != self._form.separator:
            return False
        self._fields.append(text[begin:end] or self._form.empty)
        self._go_behind(end + 1)
        return True

    def _skipped(self) -> bool:
        """Go over a quoted field; a quote behind an escape never ends it, even an escaped one."""
        text, end = self._text, self._at
        while (end := text.find(self._quote, end)) >= 0 and text[end - 1] == self._escape:
            end += 1
        if end < 0 or text[end + 1 : end + 2] != self._form.separator:
            return False
        self._fields.append(None)
        self._go_behind(end + 1)
        return True

    def _quoted_field(self) -> None:
        self._step()
        while not (self._before == self._quote and self._is_behind_field()):
            if self._char in (self._quote, self._escape):
                if self._takes_escape():
                    self._go_on_with_escapes()
            elif self._before == self._quote:
                self._went_on = True
                self._content.append(self._quote)
                self._go_on()
                return
            else:
                if self._before == self._escape != _NONE:
                    self._content.append(self._escape)
                self._until(self._quote, self._escape, self._double)
            self._before = self._char
            self._step()
        if self._char != self._form.separator:
            self._spaces_behind()

    def _is_behind_field(self) -> bool:
        return self._char <= " " or self._char == self._form.separator

    def _spaces_behind(self) -> None:
        """Leave out spaces behind the closing quote, unless more than these follows."""
        begin = self._at - 1
        while self._char <= " " and self._char != self._form.separator:
            self._step()
        if self._char != self._form.separator:
            self._content += (self._quote, self._text[begin : self._at - 1])
            self._go_on()

    def _go_on(self) -> None:
        """The field goes on behind its quotes, which are part of it, up to a separator."""
        self._content.append(self._char)
        self._content.insert(0, self._quote)
        self._before = self._char
        self._step()
        self._is_trimmed = self._form.trims_trailing
        self._until(self._form.separator)

    def _takes_escape(self) -> bool:
        """Take in a quote or an escape by what is before it; whether quotes lose their meaning."""
        if self._char == self._escape and self._before == self._double != _NONE:
            self._content.append(self._escape)
            self._char = _NONE
        elif self._before == self._escape:
            is_escaped = self._char == self._quote
            self._content.append(self._quote if is_escaped else self._before)
            self._char = _NONE if is_escaped else self._char
        elif self._before == self._quote:
            self._content.append(self._quote)
            return self._char != self._quote
        return False

    def _go_on_with_escapes(self) -> None:
        """An escape right behind a quote: each takes the next separator into the field."""
        levels = 1
        self._before = self._char
        while levels:
            while self._char != self._form.separator:
                if self._char in (self._quote, self._escape):
                    if self._takes_escape():
                        levels += 1
                        self._before = self._char
                        continue
                elif self._before == self._quote:
                    self._content.append(self._quote)
                    self._before = self._char
                    continue
                else:
                    self._content.append(self._char)
                self._before = self._char
                self._step()
            levels -= 1
            if levels:
                self._before = self._char
                self._step()

    def _finish(self) -> None:
        """The line has ended: what is left of the last field."""
        is_value = False
        if self._char == self._quote and self._before == self._quote:
            is_value = True
        else:
            if self._char == self._quote and not self._went_on:
                self._content.append(self._quote)
            is_value = self._before != _NONE and self._char != self._form.separator
        if is_value or any(self._content):
            self._put()
        else:
            self._fields.append(None)

    # -- characters ---------------------------------------------------------

    def _step(self) -> None:
        if self._at >= len(self._text):
            raise _EndOfLine
        self._char = self._text[self._at]
        self._at += 1

    def _until(self, *stops: str) -> None:
        """Take in characters from the latest one on; at the end of the line it stays the latest."""
        begin = self._at - 1
        found = [at for stop in stops if (at := self._text.find(stop, begin)) >= 0]
        end = min(found, default=len(self._text))
        self._content.append(self._text[begin:end])
        if not found:
            self._at = end
            raise _EndOfLine
        self._go_behind(end)

    def _go_behind(self, at: int) -> None:
        self._char, self._at = self._text[at], at + 1

    def _put(self) -> None:
        value = "".join(self._content)
        self._content = []
        value = value.rstrip(JAVA_SPACES) if self._is_trimmed else value
        self._fields.append(value or self._form.empty)
