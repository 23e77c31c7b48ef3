"""The group table in generated code: open addressing, linear probing, host-owned memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, StateBlock, TableBlock
from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, i64, llvm_type
from codegen_llvm.keys import HASH_BITS, Key, as_integer, hash_keys, key_number
from codegen_llvm.layout import SlotLayout
from codegen_llvm.strings import equal_strings
from codegen_llvm.values import Value
from ir import BOOL, DataType

Init: TypeAlias = Callable[[ll.Value], None]

USED = 1
# Most rows find their group at its home. LLVM then keeps what the loop needs in
# registers and spills on the way to the search instead.
_MOSTLY = (1000, 1)


@dataclass
class TableRegisters:
    """The current table in registers: read at every row, changed at a slice's end."""

    block: ll.Value
    slots: ll.Value
    mask: ll.Value
    shift: ll.Value
    slice_start: ll.Value
    ranges: tuple[tuple[ll.Value, ll.Value], ...] = ()  # of a dense table: low and span of keys


def table_registers(
    cx: KernelContext, state: ll.Value, layout: SlotLayout | None = None
) -> TableRegisters:
    """Variables for the state's current table."""
    block = cx.load_field(state, StateBlock, "current", PTR)
    keys = layout.keys if layout is not None and layout.dense else 0

    def variable(type_: ll.Type) -> ll.Value:
        return cx.variable(type_, ll.Constant(type_, None))

    ranges = tuple((variable(I64), variable(I64)) for _ in range(keys))
    registers = TableRegisters(
        cx.variable(PTR, block), variable(PTR), variable(I64), variable(I64), variable(I64), ranges
    )
    load_table(cx, registers, block)
    return registers


def load_table(cx: KernelContext, registers: TableRegisters, block: ll.Value) -> None:
    """Make a table the current one."""
    cx.b.store(block, registers.block)
    cx.b.store(cx.load_field(block, TableBlock, "slots", PTR), registers.slots)
    for name in ("mask", "shift", "slice_start"):
        cx.b.store(cx.load_field(block, TableBlock, name), getattr(registers, name))
    for position, (low, span) in enumerate(registers.ranges):
        cx.b.store(cx.load_field(block, TableBlock, f"low{position}"), low)
        cx.b.store(cx.load_field(block, TableBlock, f"span{position}"), span)


@dataclass
class Table:
    """Finds the slot of a group in the current table, or makes it."""

    cx: KernelContext
    layout: SlotLayout
    state: ll.Value
    registers: TableRegisters
    probes: ll.Value
    incomplete: ll.Value | None = None  # whether the current row would make an incomplete group
    reserved: ll.Value | None = None  # arena bytes that the row needs beside those of its keys

    # -- what differs in a table that several threads update: see `SharedTable` -------------

    def tag(self, slot: ll.Value) -> ll.Value:
        """The tag of a slot."""
        return self.cx.b.load(slot, typ=I64)

    def mark(self, slot: ll.Value, bits: ll.Value) -> None:
        """Set bits of a slot's tag."""
        self.cx.b.store(self.cx.b.or_(self.tag(slot), bits), slot)

    def add_word(self, address: ll.Value, step: ll.Value) -> None:
        """Add to a 64-bit field of a slot."""
        self.cx.b.store(self.cx.b.add(self.cx.b.load(address, typ=I64), step), address)

    @contextmanager
    def updating(self, slot: ll.Value) -> Iterator[None]:
        """Around the update of a group by a row."""
        yield

    def _claim(self, slot: ll.Value, again: Callable[[], None]) -> None:
        """Take an unused slot, or look `again` if it is not unused any more."""

    def _count_group(self) -> None:
        """Count a new group, or leave the kernel if the table is full."""
        cx = self.cx
        block = cx.b.load(self.registers.block, typ=PTR)
        count = cx.load_field(block, TableBlock, "count")
        full = cx.b.icmp_signed(">=", count, cx.load_field(block, TableBlock, "limit"))
        with cx.b.if_then(full, likely=False):
            cx.leave(Exit.GROW_TABLE, cx.row)
        cx.store_field(cx.b.add(count, i64(1)), block, TableBlock, "count")

    def _publish(self, slot: ll.Value, tag: ll.Value) -> None:
        """Say that a slot has a group."""
        self.cx.b.store(tag, slot)

    # -- look-up ----------------------------------------------------------------------------

    def find_or_insert(
        self,
        keys: list[Key],
        init_accumulators: Init,
        always_seen: int = 0,
        *,
        direct: bool = False,
    ) -> ll.Value:
        """The address of the row's slot; leaves the kernel where memory must grow first.

        `always_seen` are tag bits that the row sets. Nearly always the slot at
        the hash's home is the row's and has them already: one comparison. In a
        complete table with a direct key (`direct`), the key alone tells.
        """
        cx, registers = self.cx, self.registers
        slots = cx.b.load(registers.slots, typ=PTR)
        if not keys:
            return self._known_slot(slots, init_accumulators, always_seen)
        if self.layout.dense:
            place = cx.at(slots, cx.b.mul(self._dense_index(keys), i64(self.layout.size)))
            return self._known_slot(place, init_accumulators, always_seen)
        hash_ = hash_keys(cx, keys)
        expected, tag_mask = self._expected_tag(keys, hash_)
        home = cx.b.lshr(hash_, cx.b.load(registers.shift, typ=I64))
        first = cx.at(slots, cx.b.mul(home, i64(self.layout.size)))
        seen_and_same: ll.Value = ll.Constant(I1, 1)
        if not direct:
            seen_and_same = cx.b.icmp_signed(
                "==",
                cx.b.and_(self.tag(first), cx.b.or_(tag_mask, i64(always_seen))),
                cx.b.or_(expected, i64(always_seen)),
            )
        search, found = cx.b.append_basic_block("group.search"), cx.b.append_basic_block("group")
        self._branch_if_same(keys, first, seen_and_same, found, search)
        direct = cx.b.block
        cx.b.position_at_end(search)
        slot = self._search(keys, home, expected, tag_mask, init_accumulators)
        if always_seen:
            self.mark(slot, i64(always_seen))
        searched = cx.b.block
        cx.b.branch(found)
        cx.b.position_at_end(found)
        result = cx.b.phi(PTR)
        result.add_incoming(first, direct)
        result.add_incoming(slot, searched)
        return result

    def prefetch(self, keys: list[Key]) -> None:
        """Ask for the memory of the slot at the keys' home; keys outside of a range do no harm."""
        cx = self.cx
        if self.layout.dense:
            offsets = (offset for offset, _ in self._offsets(keys))
            home = self._packed(list(offsets))
        else:
            home = cx.b.lshr(hash_keys(cx, keys), cx.b.load(self.registers.shift, typ=I64))
        slots = cx.b.load(self.registers.slots, typ=PTR)
        slot = cx.b.gep(slots, [cx.b.mul(home, i64(self.layout.size))], source_etype=I8)
        cx.prefetch(slot, to_write=True)

    def _search(
        self,
        keys: list[Key],
        home: ll.Value,
        expected: ll.Value,
        tag_mask: ll.Value,
        init_accumulators: Init,
    ) -> ll.Value:
        """Probe from the home slot on, and make the group where there is none."""
        cx = self.cx
        slots, mask = (
            cx.b.load(self.registers.slots, typ=PTR),
            cx.b.load(self.registers.mask, typ=I64),
        )
        probe, miss, step, insert, found = (
            cx.b.append_basic_block(f"group.{name}")
            for name in ("probe", "miss", "step", "insert", "found")
        )
        start = cx.b.block
        cx.b.branch(probe)
        cx.b.position_at_end(probe)
        index = cx.b.phi(I64)
        index.add_incoming(home, start)
        slot = cx.at(slots, cx.b.mul(index, i64(self.layout.size)))
        tag = self.tag(slot)
        same = cx.b.icmp_signed("==", cx.b.and_(tag, tag_mask), expected)
        self._branch_if_same(keys, slot, same, found, miss)
        cx.b.position_at_end(miss)
        used = cx.b.trunc(tag, I1)
        cx.b.cbranch(used, step, insert)
        cx.b.position_at_end(step)
        cx.count_up(self.probes, i64(1))
        index.add_incoming(cx.b.and_(cx.b.add(index, i64(1)), mask), step)
        cx.b.branch(probe)
        cx.b.position_at_end(insert)

        def again() -> None:
            index.add_incoming(index, cx.b.block)
            cx.b.branch(probe)

        self._claim(slot, again)
        self._insert(keys, slot, expected, init_accumulators)
        cx.b.branch(found)
        cx.b.position_at_end(found)
        return slot

    def _dense_index(self, keys: list[Key]) -> ll.Value:
        """The place of a group by its keys; leaves the kernel if one is not in its range."""
        cx, offsets = self.cx, []
        for offset, broken in self._offsets(keys):
            with cx.b.if_then(broken, likely=False):
                cx.leave(Exit.GUARD, cx.row)
            offsets.append(offset)
        return self._packed(offsets)

    def _offsets(self, keys: list[Key]) -> Iterator[tuple[ll.Value, ll.Value]]:
        """How far each key is from the least of its range, and whether it is not in the range.

        One unsigned comparison covers both bounds: below the least, the difference wraps.
        """
        cx = self.cx
        for key, registers in zip(keys, self.registers.ranges, strict=True):
            low, span = (cx.b.load(register, typ=I64) for register in registers)
            offset = cx.b.sub(key_number(cx, key.value), low)
            broken = cx.b.icmp_unsigned(">=", offset, span)
            if key.value.null is not None:
                broken = cx.b.or_(broken, key.value.null)
            yield offset, broken

    def _packed(self, offsets: list[ll.Value]) -> ll.Value:
        """The place of a group by what `_offsets` says of its keys."""
        cx, index = self.cx, offsets[0]
        for offset, (_, register) in zip(offsets[1:], self.registers.ranges[1:], strict=True):
            index = cx.b.add(cx.b.mul(index, cx.b.load(register, typ=I64)), offset)
        return index

    def _known_slot(self, slot: ll.Value, init_accumulators: Init, always_seen: int) -> ll.Value:
        """A slot that is known to be the row's: the only one, or that of its key."""
        cx, wanted = self.cx, i64(USED | always_seen)
        tag = cx.b.load(slot, typ=I64)
        incomplete = cx.b.icmp_signed("!=", cx.b.and_(tag, wanted), wanted)
        with cx.b.if_then(incomplete, likely=False):
            unused = cx.b.icmp_signed("==", tag, i64(0))
            with cx.b.if_then(unused):
                self._insert([], slot, i64(USED), init_accumulators)
            cx.b.store(cx.b.or_(cx.b.load(slot, typ=I64), wanted), slot)
        return slot

    def _expected_tag(self, keys: list[Key], hash_: ll.Value) -> tuple[ll.Value, ll.Value]:
        """The tag of the row's group, and the bits of it that identify a group.

        One fixed-width key is compared itself, so its hash need not be in the tag.
        """
        expected, mask = i64(USED), USED
        if len(keys) > 1 or keys[0].value.type.is_bytes:
            expected = self.cx.b.or_(self.cx.b.and_(hash_, i64(HASH_BITS)), expected)
            mask |= HASH_BITS
        for key in keys:
            mask |= key.null_bit
            if key.value.null is not None:
                bit = self.cx.b.select(key.value.null, i64(key.null_bit), i64(0))
                expected = self.cx.b.or_(expected, bit)
        return expected, i64(mask - (1 << 64) if mask >> 63 else mask)

    def _branch_if_same(
        self, keys: list[Key], slot: ll.Value, same: ll.Value, found: ll.Block, miss: ll.Block
    ) -> None:
        """Go on to `found` if the slot is of the row's group; strings are compared last."""
        cx = self.cx
        for key in sorted(keys, key=lambda key: key.value.type.is_bytes):
            if key.value.type.is_bytes:
                deeper = cx.b.append_basic_block("group.string")
                cx.b.cbranch(same, deeper, miss).set_weights(_MOSTLY)
                cx.b.position_at_end(deeper)
                same = equal_strings(cx, key.value, self.stored(slot, key.field, key.value.type))
            else:
                stored = self.stored(slot, key.field, key.value.type)
                bits = cx.b.icmp_signed("==", as_integer(cx, stored), as_integer(cx, key.value))
                same = cx.b.and_(same, bits)
        cx.b.cbranch(same, found, miss).set_weights(_MOSTLY)

    def _insert(
        self, keys: list[Key], slot: ll.Value, tag: ll.Value, init_accumulators: Init
    ) -> None:
        """Make a group; every check comes before the first store."""
        strings = [key.value for key in keys if key.value.type.is_bytes]
        if strings:
            self._reserve(self._room(strings))
        self._count_group()
        if self.incomplete is not None:
            self._note_incomplete(self.incomplete)
        for key in keys:
            self._store_key(slot, key)
        init_accumulators(slot)
        self._publish(slot, tag)

    def _note_incomplete(self, incomplete: ll.Value) -> None:
        cx = self.cx
        block = cx.b.load(self.registers.block, typ=PTR)
        complete = cx.load_field(block, TableBlock, "complete")
        cx.store_field(cx.b.select(incomplete, i64(0), complete), block, TableBlock, "complete")

    def _room(self, strings: list[Value]) -> ll.Value:
        room: ll.Value = i64(0)
        for value in strings:
            room = self.cx.b.add(room, self.cx.b.zext(value.length, I64))
        return room

    def reserve_all(self, rooms: list[ll.Value]) -> None:
        """Leave the kernel unless the arena has room for all of this, and for new keys beside."""
        self.reserved = None
        self.reserved = self.reserve_more(rooms)

    def reserve_more(self, rooms: list[ll.Value]) -> ll.Value | None:
        """Leave the kernel unless the arena has room for this beside all that is reserved."""
        if not rooms:
            return None
        total = rooms[0]
        for room in rooms[1:]:
            total = self.cx.b.add(total, room)
        self._reserve(total)
        return total

    def _reserve(self, room: ll.Value) -> None:
        cx = self.cx
        if self.reserved is not None:
            room = cx.b.add(room, self.reserved)
        block = cx.b.load(self.registers.block, typ=PTR)
        next_ = cx.load_field(block, TableBlock, "arena_next")
        end = cx.load_field(block, TableBlock, "arena_end")
        short = cx.b.icmp_signed("<", cx.b.sub(end, next_), room)
        with cx.b.if_then(short, likely=False):
            cx.leave(Exit.GROW_ARENA, cx.row, room)

    def _store_key(self, slot: ll.Value, key: Key) -> None:
        if key.value.type.is_bytes:
            self.store_string(slot, key.field, key.value, key.value.length)
        else:
            store_value(self.cx, self.cx.at(slot, self.layout.offset(key.field)), key.value)

    def store_string(self, slot: ll.Value, field: str, value: Value, capacity: ll.Value) -> None:
        """Copy a string into room that was reserved, and point the slot at it."""
        cx = self.cx
        block = cx.b.load(self.registers.block, typ=PTR)
        next_ = cx.load_field(block, TableBlock, "arena_next", PTR)
        cx.copy_bytes(next_, value.payload, cx.b.zext(value.length, I64))
        cx.store_field(cx.at(next_, cx.b.zext(capacity, I64)), block, TableBlock, "arena_next")
        cx.b.store(next_, cx.at(slot, self.layout.offset(f"{field}.data")))
        cx.b.store(value.length, cx.at(slot, self.layout.offset(f"{field}.length")))
        cx.b.store(capacity, cx.at(slot, self.layout.offset(f"{field}.capacity")))

    def stored(self, slot: ll.Value, field: str, type_: DataType) -> Value:
        """A value that lies in a slot."""
        return stored_value(self.cx, self.layout, slot, field, type_)


def stored_value(
    cx: KernelContext, layout: SlotLayout, slot: ll.Value, field: str, type_: DataType
) -> Value:
    """A value that lies in a slot."""
    if type_.is_bytes:
        data = cx.b.load(cx.at(slot, layout.offset(f"{field}.data")), typ=PTR)
        length = cx.b.load(cx.at(slot, layout.offset(f"{field}.length")), typ=I32)
        return Value(type_, data, None, length)
    address = cx.at(slot, layout.offset(field))
    if type_ == BOOL:
        return Value(BOOL, cx.b.trunc(cx.b.load(address, typ=I8), I1))
    return Value(type_, cx.b.load(address, typ=llvm_type(type_), align=_align(type_)))


def store_value(cx: KernelContext, address: ll.Value, value: Value) -> None:
    """Store a number; a bool takes a byte."""
    payload = cx.b.zext(value.payload, I8) if value.type == BOOL else value.payload
    cx.b.store(payload, address, align=_align(value.type))


def _align(type_: DataType) -> int | None:
    """Slots are aligned to 8 bytes, which is less than LLVM takes for granted of a decimal."""
    return 8 if type_.is_decimal else None
