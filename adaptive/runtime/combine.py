"""Window tables: the groups of several pieces, combined, exported, and taken out again."""

from __future__ import annotations

import ctypes
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from adaptive.runtime.export import export_table
from adaptive.runtime.memory import SLOT_MEMORY
from adaptive.runtime.state import GroupState, Table, table_bytes
from codegen_llvm import CompiledCombine, SlotLayout, compile_combine, slot_layout
from codegen_llvm.abi import EXITS, Exit, KernelArgs, StateBlock
from ir.pipelines import RowProgram

_MOST_PROGRAMS = 64
_FEW_GROUPS = 64  # not worth a compaction

Step = Callable[[int, int], int]


@dataclass
class Combiners:
    """What combines the tables of one program, compiled when it is first needed."""

    program: RowProgram
    _compiled: dict[tuple[SlotLayout, SlotLayout], CompiledCombine] = field(default_factory=dict)
    _wide: dict[bool, SlotLayout] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def wide(self, slice_is_key: bool) -> SlotLayout:
        """The layout of the program's window tables."""
        with self._lock:
            if slice_is_key not in self._wide:
                self._wide[slice_is_key] = slot_layout(self.program, slice_is_key, wide=True)
            return self._wide[slice_is_key]

    def get(self, source: SlotLayout, target: SlotLayout) -> CompiledCombine:
        """The code that combines tables of these layouts.

        Compiled without the lock: a window that closes must not wait for code of other layouts.
        """
        known = self.known(source, target)
        if known is None:
            known = compile_combine(self.program, source, target)
            with self._lock:
                known = self._compiled.setdefault((source, target), known)
        return known

    def known(self, source: SlotLayout, target: SlotLayout) -> CompiledCombine | None:
        """The same, if it is compiled already."""
        with self._lock:
            return self._compiled.get((source, target))


class _Programs:
    """The combiners of the programs used last, found without hashing a program."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[RowProgram, Combiners]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, program: RowProgram) -> Combiners:
        """The combiners of a program, which it shares with equal ones.

        A new engine for a query that ran before has an equal program: compiling
        again took 33 ms, as long as 10 M rows.
        """
        with self._lock:
            same, known = self._known.get(id(program), (None, None))
            if same is not program or known is None:
                known = self._of_equal(program) or Combiners(program)
                self._known[id(program)] = (program, known)
            self._known.move_to_end(id(program))
            while len(self._known) > _MOST_PROGRAMS:
                self._known.popitem(last=False)
            return known

    def _of_equal(self, program: RowProgram) -> Combiners | None:
        return next((found for other, found in self._known.values() if other == program), None)


_PROGRAMS = _Programs()


class WindowTable:
    """The groups of a window, made of pieces; one thread at a time may use it.

    Integer sums are kept in 128 bits, so pieces can be added in any number and
    order, and those that count their rows be taken out again exactly.
    """

    def __init__(self, program: RowProgram, *, slice_is_key: bool = False) -> None:
        self.program = program
        self._combiners = _PROGRAMS.get(program)
        self._layout = self._combiners.wide(slice_is_key)
        self._args = KernelArgs()
        self._new_state()

    @property
    def table(self) -> Table:
        """The hash table of the groups."""
        return self._state.current

    @property
    def groups(self) -> int:
        """How many groups have rows."""
        return self.table.live

    @property
    def bytes(self) -> int:
        """The memory of the groups and their strings."""
        return self._state.bytes

    def add(self, table: Table | WindowTable, first_slot: int = 0) -> None:
        """Merge the groups of a piece, or of another window table, into this one."""
        source = _table_of(table)
        code = self._combiners.get(source.layout, self._layout)
        # Groups come in the order of their hashes: those of a larger source would crowd
        # at one end of this table until it has grown, and look-ups take quadratic time
        # (16 s for 800,000 groups behind 130,000).
        if self.table.block.limit < source.groups:
            self.table.grow(code, at_least=source.groups)
        self._run(code, code.merge, source, first_slot)

    def remove(self, table: Table | WindowTable) -> None:
        """Take out a piece that was added before; needs pieces that count their rows."""
        source = _table_of(table)
        code = self._combiners.get(source.layout, self._layout)
        if code.subtract is None:
            raise ValueError(
                "the piece cannot be taken out: it needs slot_layout(..., counts_rows=True)"
                " and invertible aggregates only; combine the pieces that stay instead"
            )
        self._run(code, code.subtract, source)
        if self.table.groups > _FEW_GROUPS and 2 * self.groups < self.table.groups:
            self._compact()

    def clear(self) -> None:
        """Forget all groups."""
        self._state.release()
        self._new_state()

    def export(self, start: int | None = None, end: int | None = None) -> pa.RecordBatch:
        """The program's output rows, with these bounds of the window."""
        return export_table(self.program, self.table, start, end)

    def release(self) -> None:
        """Give the memory back; the table is not used any more."""
        self._state.release()

    def _run(self, code: CompiledCombine, step: Step, source: Table, first_slot: int = 0) -> None:
        _run(code, step, self._args, self.table, source, first_slot)

    def _compact(self) -> None:
        """Leave the groups without rows, and the memory of their keys, behind."""
        old = self._state
        self._new_state()
        self.add(old.current)
        old.release()

    def _new_state(self) -> None:
        self._state = GroupState(self._layout, 0)
        self._args.state = self._state.address


def prepare_combine(
    program: RowProgram,
    sources: Iterable[SlotLayout],
    *,
    slice_is_key: bool = False,
    groups: int = 0,
) -> None:
    """Compile in advance what combines tables of these layouts, where nobody waits for it.

    There is then memory for `groups` of them, too.
    """
    combiners = _PROGRAMS.get(program)
    wide = combiners.wide(slice_is_key)
    for source in sources:
        combiners.get(source, wide)
    SLOT_MEMORY.reserve(table_bytes(wide, groups), pieces=1)


def prepare_arrays(program: RowProgram, array: SlotLayout, sources: Iterable[SlotLayout]) -> None:
    """Compile in advance what merges tables into an array that `takes_groups`."""
    combiners = _PROGRAMS.get(program)
    for source in sources:
        combiners.get(source, array)


def combine(program: RowProgram, tables: Iterable[Table | WindowTable]) -> WindowTable:
    """A window table with the groups of all these tables."""
    combined = WindowTable(program)
    for table in tables:
        combined.add(table)
    return combined


def joined(program: RowProgram, pieces: Sequence[Table]) -> Table | WindowTable:
    """The groups of all pieces, in one of these where that is possible, else in a new table.

    For two tables of 10,000 groups, a new one took twice as long. Either way the pieces are the
    caller's to release, and a new table is, too.
    """
    if len(pieces) == 1:
        return pieces[0]
    array = _array_for_all(program, pieces)
    target = array or max(pieces, key=lambda piece: piece.groups)
    others = [piece for piece in pieces if piece is not target]
    if array is None and not (merges_into(target) or _merge_like(target, others)):
        return combine(program, pieces)
    for number, piece in enumerate(others):
        left_at = merge_into(program, target, piece)
        if left_at is not None:
            return _joined_widely(program, target, piece, left_at, others[number + 1 :])
    return target


def _array_for_all(program: RowProgram, pieces: Sequence[Table]) -> Table | None:
    """The widest array, if it may have the keys of all pieces.

    Where keys had grown to a million in mid-window, a new table took 66 to 400 ms.
    """
    arrays = [piece for piece in pieces if piece.layout.dense and piece.is_sole]
    array = max(arrays, key=lambda piece: piece.slot_count, default=None)
    if array is None or not takes_groups(program, array.layout):
        return None
    if any(piece.groups > array.slot_count for piece in pieces):
        return None
    known = _PROGRAMS.get(program).known
    if any(known(piece.layout, array.layout) is None for piece in pieces if piece is not array):
        return None  # compiling takes as long as a new table
    return array


def takes_groups(program: RowProgram, layout: SlotLayout) -> bool:
    """Whether groups find their place in such an array; strings have codes only in batches."""
    return layout.dense and not any(key.expr.type.is_bytes for key in program.keys)


def merges_into(table: Table) -> bool:
    """Whether groups can be merged into a table itself, which nobody else uses any more.

    The sums of shared ones cannot overflow, and those without a lock need none by now.
    """
    layout = table.layout
    return layout.shared and not layout.locked and layout.rows is None and table.is_sole


def _merge_like(target: Table, others: Sequence[Table]) -> bool:
    """Whether all are hash tables of one kind, of which the first is nobody else's."""
    layout = target.layout
    usual = not (layout.shared or layout.dense or layout.wide)
    return usual and target.is_sole and all(other.layout is layout for other in others)


def merge_into(program: RowProgram, target: Table, source: Table) -> int | None:
    """Add the groups of a source to a table, from the first slot on, and return None.

    Or the slot of the source whose sum leaves 64 bits, or whose keys an array does not have: that
    one is not added, nor what follows.
    """
    code = _PROGRAMS.get(program).get(source.layout, target.layout)
    state, args = StateBlock(), KernelArgs()
    state.current = target.address
    args.state = ctypes.addressof(state)
    return _run(code, code.merge, args, target, source)


def _joined_widely(
    program: RowProgram, target: Table, source: Table, left_at: int, others: Sequence[Table]
) -> WindowTable:
    """Go on where a group has no place."""
    whole = WindowTable(program)
    whole.add(target)
    whole.add(source, first_slot=left_at)
    for other in others:
        whole.add(other)
    return whole


def _run(
    code: CompiledCombine,
    step: Step,
    args: KernelArgs,
    target: Table,
    source: Table,
    first_slot: int = 0,
) -> int | None:
    """Take all groups of a source, with more memory for the target where it is needed.

    Returns the slot of a group for which there is no place, if there is one.
    """
    args.row_begin, args.row_end = first_slot, source.slot_count
    while True:
        match EXITS[step(ctypes.addressof(args), source.address)]:
            case Exit.DONE:
                return None
            case Exit.GROW_TABLE:
                target.grow(code)
            case Exit.GROW_ARENA:
                target.add_arena(int(args.detail))
            case Exit.SPILL | Exit.GUARD:
                return int(args.rows_done)
            case _:
                raise code.error(int(args.detail))
        args.row_begin = args.rows_done


def _table_of(table: Table | WindowTable) -> Table:
    return table.table if isinstance(table, WindowTable) else table
