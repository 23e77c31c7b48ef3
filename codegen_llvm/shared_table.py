"""The group table that several threads update at the same time, in generated code.

A slot's tag goes from 0 over `_BUSY`, while one thread makes the group, to that
of a group, and back to 0 only if that thread leaves before the group is made. A
thread that meets a busy slot waits: whose group it will be is not known yet.
Groups are then updated word by word with atomic instructions, or one row after
another under the slot's lock where an aggregate has no such words. No order is
asked of updates: the host reads a table when all threads have left it.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from llvmlite import ir as ll
from llvmlite.ir import instructions

from codegen_llvm.abi import Exit, TableBlock, offset_of
from codegen_llvm.builder import I1, I8, I32, I64, PTR, KernelContext, i64, new_function
from codegen_llvm.keys import Key
from codegen_llvm.layout import LOCK
from codegen_llvm.table import USED, Init, Table

_BUSY = 2  # not `USED`: whoever reads tags takes such a slot for unused
_UNLOCKED, _LOCKED = ll.Constant(I8, 0), ll.Constant(I8, 1)
_SPINS = 64  # looks at a word before the thread lets others run: its owner may wait for this CPU


class SharedTable(Table):
    """Finds the slot of a group in a table of a fixed size, or makes it, among other threads."""

    def tag(self, slot: ll.Value) -> ll.Value:
        """The tag of a slot; of a group, with all that was stored before it was published."""
        return self.cx.b.load_atomic(slot, "acquire", 8, typ=I64)

    def mark(self, slot: ll.Value, bits: ll.Value) -> None:
        """Set bits of a slot's tag; mostly they are, and reading does not hold others up."""
        cx = self.cx
        tag = cx.b.load_atomic(slot, "monotonic", 8, typ=I64)
        missing = cx.b.icmp_signed("!=", cx.b.and_(tag, bits), bits)
        with cx.b.if_then(missing, likely=False):
            cx.b.atomic_rmw("or", slot, bits, "monotonic")

    def add_word(self, address: ll.Value, step: ll.Value) -> None:
        """Add to a 64-bit field of a slot."""
        if self.layout.locked:
            super().add_word(address, step)
        else:
            self.cx.b.atomic_rmw("add", address, step, "monotonic")

    @contextmanager
    def updating(self, slot: ll.Value) -> Iterator[None]:
        """Hold the slot's lock, where there is one, also up to an exit."""
        if not self.layout.locked:
            yield
            return
        lock = self.cx.at(slot, self.layout.offset(LOCK))
        self._take(lock)
        with self.cx.before_leaving(lambda: _release(self.cx, _UNLOCKED, lock)):
            yield
        _release(self.cx, _UNLOCKED, lock)

    def _take(self, lock: ll.Value) -> None:
        cx = self.cx
        attempt, wait, locked = (
            cx.b.append_basic_block(f"lock.{name}") for name in ("attempt", "wait", "locked")
        )
        cx.b.branch(attempt)
        cx.b.position_at_end(attempt)
        before = cx.b.atomic_rmw("xchg", lock, _LOCKED, "acquire")
        cx.b.cbranch(cx.b.icmp_signed("==", before, _UNLOCKED), locked, wait)
        cx.b.position_at_end(wait)
        cx.b.call(_wait_while(cx.module, _LOCKED), [lock])
        cx.b.branch(attempt)
        cx.b.position_at_end(locked)

    def _claim(self, slot: ll.Value, again: Callable[[], None]) -> None:
        """Make an unused slot busy; if another thread was faster, look again when it is done."""
        cx = self.cx
        claimed, taken = (cx.b.append_basic_block(f"claim.{name}") for name in ("done", "taken"))
        attempt = cx.b.cmpxchg(slot, i64(0), i64(_BUSY), "acquire", "monotonic")
        cx.b.cbranch(cx.b.extract_value(attempt, 1), claimed, taken)
        cx.b.position_at_end(taken)
        cx.b.call(_wait_while(cx.module, i64(_BUSY)), [slot])
        again()
        cx.b.position_at_end(claimed)

    def _insert(
        self, keys: list[Key], slot: ll.Value, tag: ll.Value, init_accumulators: Init
    ) -> None:
        """Make a group in a busy slot; an exit leaves the slot to others."""
        with self.cx.before_leaving(lambda: _release(self.cx, i64(0), slot)):
            super()._insert(keys, slot, tag, init_accumulators)

    def _count_group(self) -> None:
        cx = self.cx
        block = cx.b.load(self.registers.block, typ=PTR)
        whole = cx.load_field(block, TableBlock, "whole", PTR)
        count = cx.at(whole, offset_of(TableBlock, "count"))
        before = cx.b.atomic_rmw("add", count, i64(1), "monotonic")
        full = cx.b.icmp_signed(">=", before, cx.load_field(block, TableBlock, "limit"))
        with cx.b.if_then(full, likely=False):
            cx.b.atomic_rmw("sub", count, i64(1), "monotonic")
            cx.leave(Exit.GROW_TABLE, cx.row)

    def _publish(self, slot: ll.Value, tag: ll.Value) -> None:
        _release(self.cx, tag, slot)

    def _only_slot(self, slot: ll.Value, init_accumulators: Init, always_seen: int) -> ll.Value:
        cx = self.cx
        look, claim, found = (
            cx.b.append_basic_block(f"only.{name}") for name in ("look", "claim", "found")
        )
        cx.b.branch(look)
        cx.b.position_at_end(look)
        cx.b.cbranch(cx.b.trunc(self.tag(slot), I1), found, claim).set_weights((1000, 1))
        cx.b.position_at_end(claim)
        self._claim(slot, lambda: cx.b.branch(look))
        self._insert([], slot, i64(USED), init_accumulators)
        cx.b.branch(found)
        cx.b.position_at_end(found)
        if always_seen:
            self.mark(slot, i64(always_seen))
        return slot


def _release(cx: KernelContext, value: ll.Value, address: ll.Value) -> None:
    """Store a word for other threads, behind everything that was stored before it."""
    # Made by hand: the builder's method asks a plain address for the type that it points to.
    store = instructions.StoreAtomicInstr(
        cx.b.block, value, address, "release", value.type.width // 8
    )
    cx.b._insert(store)


def _wait_while(module: ll.Module, busy: ll.Constant) -> ll.Function:
    """The function `(address)` that returns once the word there is not `busy`; one a module."""
    name = f"wait.{busy.type}"
    if name in module.globals:
        return module.globals[name]
    cx = new_function(module, name, ll.VoidType(), (PTR,))
    cx.function.linkage = "internal"
    cx.function.attributes.add("noinline")
    (address,) = cx.function.args
    again, done = cx.b.append_basic_block("again"), cx.b.append_basic_block("done")
    cx.b.branch(again)
    cx.b.position_at_end(again)
    with cx.loop(i64(0), i64(_SPINS), "spin"):
        word = cx.b.load_atomic(address, "monotonic", busy.type.width // 8, typ=busy.type)
        with cx.b.if_then(cx.b.icmp_signed("!=", word, busy)):
            cx.b.branch(done)
        _pause(cx)
    cx.b.call(cx.external("sched_yield", I32), [])
    cx.b.branch(again)
    cx.b.position_at_end(done)
    cx.b.ret_void()
    return cx.function


def _pause(cx: KernelContext) -> None:
    """Tell the CPU that this is a loop that waits."""
    machine = platform.machine()
    if machine in ("x86_64", "AMD64"):
        cx.b.call(cx.external("llvm.x86.sse2.pause", ll.VoidType()), [])
    elif machine in ("aarch64", "arm64"):
        cx.b.call(cx.external("llvm.aarch64.hint", ll.VoidType(), I32), [ll.Constant(I32, 1)])
