"""Moving the windows of all keys into fresh memory, which leaves dead keys and strings behind."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from llvmlite import ir as ll

from codegen_llvm.abi import KeyedBlock
from codegen_llvm.builder import I32, I64, PTR, KernelContext, errors_of, i64, new_function
from codegen_llvm.combine import stored_keys
from codegen_llvm.compile import MachineCode, compile_module
from codegen_llvm.keyed_slots import NEXT, WindowSlots, lists_of, repeat_while
from codegen_llvm.layout import SlotLayout
from ir import CountWindow, EvaluationError
from ir.pipelines import RowProgram

MOVE = "move"


@dataclass(frozen=True)
class CompiledMove:
    """Machine code that moves windows; keeps the code alive.

    `move` takes the address of a `KernelArgs`, whose state is the new one and whose rows are
    slots of the old table, and that of the old `KeyedBlock`. The new table has room for all
    keys, and each node has its place in the new memory for nodes already.
    """

    code: MachineCode
    move: Callable[[int, int], int]
    errors: tuple[tuple[str, str], ...]

    def error(self, number: int) -> EvaluationError:
        """The error that an exit with this number reports."""
        return EvaluationError(*self.errors[number])


def compile_move(program: RowProgram, layout: SlotLayout) -> CompiledMove:
    """Generate and compile what moves the windows of a program."""
    module = ll.Module("move")
    _build_move(module, program, layout)
    code = compile_module(module)
    address = ctypes.c_void_p
    move = code.function(MOVE, ctypes.c_int32, address, address)
    return CompiledMove(code, move, tuple(errors_of(module)))


def _build_move(module: ll.Module, program: RowProgram, layout: SlotLayout) -> None:
    cx = new_function(module, MOVE, I32, (PTR, PTR))
    old_block = cx.function.args[1]
    windows = WindowSlots.of_function(cx, program, layout)
    old_table = cx.load_field(old_block, KeyedBlock, "current", PTR)
    old_nodes = cx.load_field(old_block, KeyedBlock, "nodes", PTR)
    moving = _Moving(cx, windows, lists_of(program), old_nodes)
    with windows.each_key(old_table) as slot:
        with cx.b.if_then(moving.lives(slot, isinstance(program.window, CountWindow))):
            keys = stored_keys(cx, program, layout, layout, slot, old_table)
            windows.table.reserve_all(moving.rooms(slot))
            moving.move(slot, windows.table.find_or_insert(keys, windows.init))


@dataclass
class _Moving:
    """One key after another: its slot, and the nodes behind it."""

    cx: KernelContext
    windows: WindowSlots
    lists: tuple[str, ...]
    old_nodes: ll.Value

    def lives(self, slot: ll.Value, always: bool) -> ll.Value:
        """Whether a key has windows; a count window's key has the number of its rows at least."""
        lives = ll.Constant(ll.IntType(1), 1) if always else self._has_rows(slot)
        for field in self.lists:
            lives = self.cx.b.or_(lives, self._links(slot, field))
        return lives

    def rooms(self, slot: ll.Value) -> list[ll.Value]:
        """The arena bytes that all slots of a key need."""
        rooms = self.windows.rooms_to_merge(slot)
        if not rooms:
            return []
        total = self.cx.variable(I64, i64(0))
        for room in rooms:
            self.cx.count_up(total, room)

        def count(node: ll.Value, link: ll.Value) -> None:
            for room in self.windows.rooms_to_merge(node):
                self.cx.count_up(total, room)

        self._each_node(slot, count)
        return [self.cx.b.load(total, typ=I64)]

    def move(self, old: ll.Value, new: ll.Value) -> None:
        """Copy a key's windows; nodes take the keys from the new slot."""
        windows = self.windows

        def move_node(node: ll.Value, link: ll.Value) -> None:
            target = windows.node(link)
            windows.copy(target, new)
            windows.clear(target)
            self._fill(target, node)

        self._fill(new, old)
        self._each_node(old, move_node)

    def _fill(self, target: ll.Value, source: ll.Value) -> None:
        self.windows.merge(target, source)
        self._copy_fields(target, source)

    def _copy_fields(self, target: ll.Value, source: ll.Value) -> None:
        for field in ("start", "end", "number", "first", NEXT, *self.lists):
            if self.windows.layout.has(field):
                self.windows.store(self.windows.load(source, field), target, field)

    def _each_node(self, slot: ll.Value, body: Callable[[ll.Value, ll.Value], None]) -> None:
        """The nodes of all lists of a key, in the old memory."""
        cx, windows = self.cx, self.windows
        for field in self.lists:
            link = cx.variable(I64, windows.load(slot, field))
            with repeat_while(cx, field, partial(self._is_link, link)):
                here = cx.b.load(link, typ=I64)
                node = cx.at(self.old_nodes, here)
                body(node, here)
                following = i64(0) if field == "total" else windows.load(node, NEXT)
                cx.b.store(following, link)

    def _is_link(self, link: ll.Value) -> ll.Value:
        return self.cx.b.icmp_signed("!=", self.cx.b.load(link, typ=I64), i64(0))

    def _links(self, slot: ll.Value, field: str) -> ll.Value:
        return self.cx.b.icmp_signed("!=", self.windows.load(slot, field), i64(0))

    def _has_rows(self, slot: ll.Value) -> ll.Value:
        return self.cx.b.not_(self.windows.is_empty(slot))
