"""Decompressing snappy, by compiled code that keeps the last eight bytes in a register.

Increasing 64-bit numbers, as event times are, become a literal of the byte or two that changed and
a copy of the rest from eight bytes back. A copy that loads what several stores have just written
waits for all of them, as Google's does there: 11 ns for a value on an AMD EPYC. With the last eight
bytes in a register such a copy is a rotation and needs no load, and a literal and a copy that make
up a word are one step: 1.7 ns. Other data took a third to two thirds of the time of Google's.
"""

from __future__ import annotations

from llvmlite import ir as ll

from codegen_llvm.builder import I8, I32, I64, PTR, KernelContext, Local, i64, shared_function
from codegen_llvm.text_cursor import distance

# Words are read and written beyond the end of what there is, so far at most.
SNAPPY_PADDING = 32
_I16 = ll.IntType(16)
_CHUNK = ll.VectorType(I8, 16)
_LONGEST_SHORT = 60  # literals up to this length have it in the tag
_MOST_CHANGED = 3  # bytes of a word that differ from the word before
# For a pattern of 1 to 7 bytes: what repeats it over eight, and how many of those are whole.
_REPEATERS = [0, *(sum(1 << 8 * n * size for n in range(8 // size + 1)) for size in range(1, 8))]
_WHOLE = [8, *(8 // size * size for size in range(1, 8))]


def snappy_function(module: ll.Module) -> ll.Function:
    """`(source, source size, target, target size) -> 0`, or 1 if the bytes are not snappy's.

    The target must be filled exactly. Behind both there must be padding.
    """
    types = (PTR, I64, PTR, I64)
    made = shared_function(module, "snappy", I64, types, lambda cx: _Snappy(cx).build())
    made.attributes.add("noinline")
    return made


def literal_function(module: ll.Module) -> ll.Function:
    """`(source, source size, size) -> place`: where the bytes are, if they are one literal.

    So are pages of codes that have no pattern: they need no copy. Else null.
    """
    types = (PTR, I64, I64)
    return shared_function(module, "snappy.literal", PTR, types, _build_literal)


def _build_literal(cx: KernelContext) -> None:
    """The size in front must take as many bytes as it needs, and the literal all that is left."""
    source, there, size = cx.function.args
    for front in (1, 2, 3, 4):
        for width in (0, 1, 2, 3):
            begin = front + 1 + width
            fits = cx.b.icmp_signed("==", there, cx.b.add(size, i64(begin)))
            with cx.b.if_then(fits):
                word = cx.b.load(source, typ=I64, align=1)
                tag = cx.b.shl(i64(_LONGEST_SHORT - 1 + width), i64(2))
                length = cx.b.sub(size, i64(1))
                if width == 0:
                    tag = cx.b.shl(length, i64(2))
                made = cx.b.or_(_varint(cx, size, front), cx.b.shl(tag, i64(8 * front)))
                if width:
                    made = cx.b.or_(made, cx.b.shl(length, i64(8 * (front + 1))))
                    limit = 1 << (8 * width)
                else:
                    limit = _LONGEST_SHORT
                mask = i64((1 << (8 * begin)) - 1) if begin < 8 else i64(-1)
                same = cx.b.icmp_unsigned("==", cx.b.and_(word, mask), made)
                short = cx.b.icmp_unsigned("<", length, i64(limit))
                front_fits = cx.b.icmp_unsigned("<", size, i64(1 << (7 * front)))
                known = cx.b.and_(same, cx.b.and_(short, front_fits))
                with cx.b.if_then(known):
                    cx.b.ret(cx.at(source, begin))
    cx.b.ret(ll.Constant(PTR, None))


def _varint(cx: KernelContext, value: ll.Value, size: int) -> ll.Value:
    """A number in groups of seven bits, as a word."""
    made: ll.Value = i64(0)
    for place in range(size):
        group = cx.b.and_(cx.b.lshr(value, i64(7 * place)), i64(127))
        more = i64(128 if place + 1 < size else 0)
        made = cx.b.or_(made, cx.b.shl(cx.b.or_(group, more), i64(8 * place)))
    return made


class _Snappy:
    """Generates the loop over tags."""

    def __init__(self, cx: KernelContext) -> None:
        self.cx = cx
        source, source_size, self.begin, size = cx.function.args
        self.source, self.target = cx.local(PTR, source), cx.local(PTR, self.begin)
        self.source_end, self.target_end = cx.at(source, source_size), cx.at(self.begin, size)
        self.last: Local = cx.local(I64, i64(0))  # the last eight bytes before the target
        self.length = cx.local(I64, i64(0))
        self.offset = cx.local(I64, i64(0))
        self.broken = cx.function.append_basic_block("broken")
        self.size = size

    def build(self) -> None:
        """All of the function."""
        cx = self.cx
        self._read_size()
        with cx.forever("tag") as done:
            cx.branch_if(self._is_at_end(), done)
            tag = cx.b.zext(self._load(0, I8), I64)
            kind = cx.b.and_(tag, i64(3))
            with cx.b.if_else(cx.b.icmp_unsigned("==", kind, i64(0))) as (literal, copy):
                with literal:
                    self._changed_or_literal(tag, 1)
                with copy:
                    self._copy(tag, kind)
        complete = cx.b.icmp_unsigned("==", self.target.value, self.target_end)
        cx.b.ret(cx.b.select(complete, i64(0), i64(1)))
        cx.b.position_at_end(self.broken)
        cx.b.ret(i64(1))

    def _is_at_end(self) -> ll.Value:
        return self.cx.b.icmp_unsigned(">=", self.source.value, self.source_end)

    def _load(self, offset: int, type_: ll.Type) -> ll.Value:
        return self.cx.b.load(self.cx.at(self.source.value, offset), typ=type_, align=1)

    def _read_size(self) -> None:
        """The size in front, a number in groups of seven bits, must be that of the target."""
        cx = self.cx
        found, shift = cx.local(I64, i64(0)), cx.local(I64, i64(0))
        with cx.forever("size") as after:
            cx.branch_if(self._is_at_end(), self.broken)
            cx.branch_if(cx.b.icmp_unsigned(">", shift.value, i64(28)), self.broken)
            byte = cx.b.zext(self._load(0, I8), I64)
            self.source.set(cx.at(self.source.value, 1))
            found.set(cx.b.or_(found.value, cx.b.shl(cx.b.and_(byte, i64(127)), shift.value)))
            shift.add(i64(7))
            cx.branch_if(cx.b.icmp_unsigned("<", byte, i64(128)), after)
        cx.branch_if(cx.b.icmp_unsigned("!=", found.value, self.size), self.broken)

    def _changed_or_literal(self, tag: ll.Value, changed: int) -> None:
        """A word like the last one but for its first bytes, in one step; or else a literal.

        That is a literal of those bytes, and a copy of the others from eight bytes back. All
        sizes are known where the branch is foreseen, so that no tag waits for the one before.
        """
        if changed > _MOST_CHANGED:
            self._literal(tag)
            return
        cx = self.cx
        word = self._load(0, I64)
        tags = (changed - 1) << 2 | (1 | (4 - changed) << 2 | 8 << 8) << 8 * (changed + 1)
        mask = 0xFF | 0xFFFF << 8 * (changed + 1)
        met = cx.b.icmp_unsigned("==", cx.b.and_(word, i64(mask)), i64(tags))
        left = distance(cx, self.source.value, self.source_end)
        room = distance(cx, self.target.value, self.target_end)
        written = distance(cx, self.begin, self.target.value)
        for there, needed in ((left, changed + 3), (room, 8), (written, 8)):
            met = cx.b.and_(met, cx.b.icmp_signed(">=", there, i64(needed)))
        with cx.b.if_else(met) as (found, other):
            with found:
                bits = (1 << 8 * changed) - 1
                new = cx.b.and_(cx.b.lshr(word, i64(8)), i64(bits))
                self.last.set(cx.b.or_(cx.b.and_(self.last.value, i64(~bits)), new))
                cx.b.store(self.last.value, self.target.value, align=1)
                self.target.set(cx.at(self.target.value, 8))
                self.source.set(cx.at(self.source.value, changed + 3))
            with other:
                self._changed_or_literal(tag, changed + 1)

    def _literal(self, tag: ll.Value) -> None:
        """Bytes as they are."""
        cx = self.cx
        self.length.set(cx.b.add(cx.b.lshr(tag, i64(2)), i64(1)))
        self.source.set(cx.at(self.source.value, 1))
        is_long = cx.b.icmp_unsigned(">", self.length.value, i64(_LONGEST_SHORT))
        with cx.b.if_then(is_long, likely=False):
            width = cx.b.sub(self.length.value, i64(_LONGEST_SHORT))
            bits = cx.b.sub(i64(32), cx.b.shl(width, i64(3)))
            word = cx.b.shl(cx.b.zext(self._load(0, I32), I64), bits)
            word = cx.b.lshr(cx.b.and_(word, i64(0xFFFFFFFF)), bits)
            self.length.set(cx.b.add(word, i64(1)))
            self.source.set(cx.at(self.source.value, width))
        self._demand_room()
        length = self.length.value
        self._demand_distance(self.source.value, self.source_end, length)
        with cx.b.if_else(cx.b.icmp_unsigned("<=", length, i64(8))) as (short, long):
            with short:
                self._put(self._load(0, I64), length)
            with long:
                with cx.b.if_else(cx.b.icmp_unsigned("<=", length, i64(16))) as (one, many):
                    with one:
                        cx.b.store(self._load(0, _CHUNK), self.target.value, align=1)
                    with many:
                        cx.copy_bytes(self.target.value, self.source.value, length)
                self._advance_and_reload()
        self.source.set(cx.at(self.source.value, length))

    def _copy(self, tag: ll.Value, kind: ll.Value) -> None:
        """Bytes that have been written before."""
        cx = self.cx
        with cx.b.if_else(cx.b.icmp_unsigned("==", kind, i64(1))) as (near, far):
            with near:
                seven = cx.b.and_(cx.b.lshr(tag, i64(2)), i64(7))
                self.length.set(cx.b.add(seven, i64(4)))
                high = cx.b.shl(cx.b.lshr(tag, i64(5)), i64(8))
                self._take_offset(cx.b.or_(high, cx.b.zext(self._load(1, I8), I64)), 2)
            with far:
                self.length.set(cx.b.add(cx.b.lshr(tag, i64(2)), i64(1)))
                with cx.b.if_else(cx.b.icmp_unsigned("==", kind, i64(2))) as (two, four):
                    with two:
                        self._take_offset(cx.b.zext(self._load(1, _I16), I64), 3)
                    with four:
                        self._take_offset(cx.b.zext(self._load(1, I32), I64), 5)
        cx.branch_if(cx.b.icmp_unsigned(">", self.source.value, self.source_end), self.broken)
        written = distance(cx, self.begin, self.target.value)
        # Nothing is written that far back; an offset of 0 wraps.
        outside = cx.b.icmp_unsigned(">=", cx.b.sub(self.offset.value, i64(1)), written)
        cx.branch_if(outside, self.broken)
        self._demand_room()
        with cx.b.if_else(self._is_word_back()) as (word, others):
            with word:
                self._rotate()
            with others:
                self._copy_any()

    def _take_offset(self, offset: ll.Value, size: int) -> None:
        self.offset.set(offset)
        self.source.set(self.cx.at(self.source.value, size))

    def _is_word_back(self) -> ll.Value:
        """Whether what is copied are at most eight bytes from eight bytes back."""
        cx = self.cx
        eight = cx.b.icmp_unsigned("==", self.offset.value, i64(8))
        return cx.b.and_(eight, cx.b.icmp_unsigned("<=", self.length.value, i64(8)))

    def _rotate(self) -> None:
        cx, length = self.cx, self.length.value
        last = self.last.value
        cx.b.store(last, self.target.value, align=1)
        turn = cx.external("llvm.fshr.i64", I64, I64, I64, I64)
        self.last.set(cx.b.call(turn, [last, last, cx.b.shl(length, i64(3))]))
        self.target.set(cx.at(self.target.value, length))

    def _copy_any(self) -> None:
        cx, length, offset = self.cx, self.length.value, self.offset.value
        begin = cx.b.gep(self.target.value, [cx.b.neg(offset)], source_etype=I8)
        with cx.b.if_else(cx.b.icmp_unsigned("<", offset, i64(8))) as (pattern, apart):
            with pattern:
                self._repeat()
            with apart:
                with cx.b.if_else(cx.b.icmp_unsigned("<=", length, i64(8))) as (short, long):
                    with short:
                        self._put(cx.b.load(begin, typ=I64, align=1), length)
                    with long:
                        wide = cx.b.icmp_unsigned(">=", offset, i64(16))
                        with cx.b.if_else(wide) as (chunks, words):
                            with chunks:
                                self._copy_by(begin, _CHUNK, 16)
                            with words:
                                self._copy_by(begin, I64, 8)
                        self._advance_and_reload()

    def _copy_by(self, begin: ll.Value, type_: ll.Type, size: int) -> None:
        """Piece by piece: each is at least its size away from where it comes from."""
        cx = self.cx
        pieces = cx.b.udiv(cx.b.add(self.length.value, i64(size - 1)), i64(size))
        with cx.loop(i64(0), pieces, "piece") as piece:
            step = cx.b.mul(piece, i64(size))
            value = cx.b.load(cx.at(begin, step), typ=type_, align=1)
            cx.b.store(value, cx.at(self.target.value, step), align=1)

    def _repeat(self) -> None:
        """The last one to seven bytes, again and again."""
        cx, length, offset = self.cx, self.length.value, self.offset.value
        bits = cx.b.sub(i64(64), cx.b.shl(offset, i64(3)))
        once = cx.b.lshr(self.last.value, bits)
        pattern = cx.b.mul(once, self._entry(_REPEATERS, offset))
        with cx.b.if_else(cx.b.icmp_unsigned("<=", length, i64(8))) as (short, long):
            with short:
                self._put(pattern, length)
            with long:
                whole = self._entry(_WHOLE, offset)
                times = cx.b.udiv(cx.b.add(length, cx.b.sub(whole, i64(1))), whole)
                with cx.loop(i64(0), times, "time") as time:
                    place = cx.at(self.target.value, cx.b.mul(time, whole))
                    cx.b.store(pattern, place, align=1)
                self._advance_and_reload()

    def _entry(self, numbers: list[int], index: ll.Value) -> ll.Value:
        cut = b"".join((number & (2**64 - 1)).to_bytes(8, "little") for number in numbers)
        table = self.cx.constant_bytes(cut)
        return self.cx.b.load(self.cx.element(table, index, I64), typ=I64, align=1)

    def _put(self, word: ll.Value, length: ll.Value) -> None:
        """Write the first one to eight bytes of a word; those behind will be written over."""
        cx = self.cx
        cx.b.store(word, self.target.value, align=1)
        bits = cx.b.shl(length, i64(3))
        older = cx.b.lshr(cx.b.lshr(self.last.value, cx.b.sub(bits, i64(8))), i64(8))
        newer = cx.b.shl(word, cx.b.sub(i64(64), bits))
        self.last.set(cx.b.or_(older, newer))
        self.target.set(cx.at(self.target.value, length))

    def _advance_and_reload(self) -> None:
        """Go behind what was written, which is more than a word."""
        cx = self.cx
        self.target.set(cx.at(self.target.value, self.length.value))
        back = cx.b.gep(self.target.value, [i64(-8)], source_etype=I8)
        self.last.set(cx.b.load(back, typ=I64, align=1))

    def _demand_room(self) -> None:
        self._demand_distance(self.target.value, self.target_end, self.length.value)

    def _demand_distance(self, place: ll.Value, end: ll.Value, length: ll.Value) -> None:
        """Give up unless there are so many bytes between two places."""
        cx = self.cx
        there = distance(cx, place, end)
        cx.branch_if(cx.b.icmp_signed(">", length, there), self.broken)
