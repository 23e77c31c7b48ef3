"""The groups of one pipeline in one thread, in as many forms as its variants keep them in.

A form has a table of its own for each slice, so a variant that stops at a row, and one that
goes on there, need not wait for groups to be moved: they are merged when the slice ends. The
tables of one form may be those of other threads, too: whoever has these hands them out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import prod

from adaptive.runtime.dense import DenseState, Ranges
from adaptive.runtime.key_dictionary import KeyDictionaries
from adaptive.runtime.memory import SLOT_MEMORY
from adaptive.runtime.shared_state import SharedSlices, SharedState, TableView
from adaptive.runtime.state import GroupState, Table
from codegen_llvm import InputLayout, SlotLayout, can_be_dense, slot_layout
from ir import STRING, KeysInRange, ShareGroups, VariantSpec
from ir.pipelines import RowProgram

Pieces = dict[int, list[Table]]  # the tables of each slice

_MOST_DENSE_BYTES = 512 * 1024 * 1024  # of arrays in one thread


class GroupStates:
    """The state of every form; the generic one is always there.

    `slices` are for variants with the hint `ShareGroups`; without them, it is ignored.
    """

    def __init__(
        self, program: RowProgram, generic: GroupState, slices: SharedSlices | None = None
    ) -> None:
        self._program = program
        self.generic = generic
        self.dictionaries = KeyDictionaries()  # those of all threads, if they are given
        self._slices = slices
        self._shared: SharedState | None = None
        self._passed: int | None = None  # the last window's end that the thread has passed
        self._dense: dict[Ranges, DenseState] = {}
        self._in_use: set[Ranges] = set()  # since slices were handed out last
        self._layout: SlotLayout | None = None
        # Tables whose sums left 64 bits: the slice goes on with an empty one.
        self._full: defaultdict[int, list[Table]] = defaultdict(list)

    @property
    def groups(self) -> int:
        """How many groups there are; one may be in several forms."""
        return sum(state.groups for state in self.all()) + sum(t.groups for t in self._retired())

    @property
    def bytes(self) -> int:
        """The memory of tables and strings."""
        return sum(state.bytes for state in self.all()) + sum(t.bytes for t in self._retired())

    def all(self) -> Iterator[GroupState]:
        """Every form."""
        yield self.generic
        yield from self._dense.values()
        if self._shared is not None:
            yield self._shared

    @property
    def shares_cheaply(self) -> bool:
        """Whether groups can be shared with other threads, and updated without a lock."""
        return self._slices is not None and not self._slices.layout.locked

    @property
    def expected_shared(self) -> int:
        """How many groups shared tables are made for, by what the last slices had."""
        return 0 if self._slices is None else self._slices.expected

    def expect_shared(self, groups: int) -> None:
        """Make shared tables for so many groups, at least."""
        if self._slices is not None:
            self._slices.expect(groups)

    def layout_of(self, spec: VariantSpec, batch: InputLayout) -> SlotLayout:
        """How groups lie in the form that a variant works on, with batches like this."""
        ranges = spec.find(KeysInRange)
        if ranges is None or not self._may_be_dense(ranges, batch):
            shared = self._slices_for(spec)
            return self.generic.layout if shared is None else shared.layout
        return self._dense_layout()

    def of(self, spec: VariantSpec, batch: InputLayout) -> GroupState:
        """The form that a variant works on, with batches like this."""
        ranges = spec.find(KeysInRange)
        if ranges is None or not self._may_be_dense(ranges, batch):
            shared = self._slices_for(spec)
            return self.generic if shared is None else self._shared_state(shared)
        if ranges.ranges not in self._dense:
            self._dense[ranges.ranges] = self._new_dense(ranges.ranges)
        self._in_use.add(ranges.ranges)
        return self._dense[ranges.ranges]

    def make_room(self, spec: VariantSpec, batch: InputLayout, pieces: int) -> None:
        """Have memory at hand for so many arrays of a variant, before its morsels need it."""
        ranges = spec.find(KeysInRange)
        if ranges is not None and self._may_be_dense(ranges, batch):
            cells = prod(high - low + 1 for low, high in ranges.ranges)
            SLOT_MEMORY.reserve(cells * self._dense_layout().size, pieces)

    def has_room(self, state: GroupState) -> bool:
        """Whether a form may have a table for one more slice.

        An array takes the memory of its whole range: rows scattered over time go elsewhere.
        """
        if not isinstance(state, DenseState):
            return True
        taken = sum(one.bytes for one in self._dense.values())
        return taken + state.current.bytes <= _MOST_DENSE_BYTES

    def retire_current(self, state: GroupState) -> Table:
        """Put an empty table in the place of a form's current one, which is full."""
        piece = state.replace_current()
        self._full[int(piece.block.slice_start)].append(piece)
        return piece

    def detach(self, boundary: int, size_us: int) -> Pieces:
        """Hand out the tables of slices that end by a boundary; later rows start anew."""
        pieces: Pieces = {}
        self._passed = boundary
        for state in list(self.all()):
            if isinstance(state, SharedState):
                state.passed = boundary
            ended = [start for start in state.tables if start + size_us <= boundary]
            if ended:
                self._hand_out(pieces, state.detach(ended, current=boundary))
        for start in [start for start in self._full if start + size_us <= boundary]:
            pieces.setdefault(start, []).extend(self._full.pop(start))
        self._drop_unused()
        return pieces

    def detach_all(self) -> Pieces:
        """Hand out every table; the states are not used any more."""
        pieces: Pieces = {}
        for state in self.all():
            tables, state.tables = state.tables, {}
            self._hand_out(pieces, tables)
        for start in list(self._full):
            pieces.setdefault(start, []).extend(self._full.pop(start))
        return pieces

    def _drop_unused(self) -> None:
        """Give arrays back that are of a range which nobody bets on any more."""
        for ranges, state in list(self._dense.items()):
            if ranges not in self._in_use and not state.groups:
                state.release()
                del self._dense[ranges]
        self._in_use.clear()

    def _hand_out(self, pieces: Pieces, tables: dict[int, Table]) -> None:
        for start, table in tables.items():
            if table.groups and not isinstance(table, TableView):
                pieces.setdefault(start, []).append(table)
            else:
                table.release()

    def _retired(self) -> Iterator[Table]:
        return (table for tables in self._full.values() for table in tables)

    def _slices_for(self, spec: VariantSpec) -> SharedSlices | None:
        """The tables of all threads, if a variant is to fill them."""
        return None if spec.find(ShareGroups) is None else self._slices

    def _shared_state(self, slices: SharedSlices) -> SharedState:
        if self._shared is None:
            slices.expect(self.generic.current.groups)
            self._shared = slices.state(self._open_slice(), self._passed)
        return self._shared

    def _open_slice(self) -> int:
        """Where a new form begins: rows of a current slice are not tested for being late."""
        return int(self.generic.current.block.slice_start)

    def _new_dense(self, ranges: Ranges) -> DenseState:
        dictionaries = self.dictionaries.of_keys(self._program)
        return DenseState(self._dense_layout(), ranges, self._open_slice(), dictionaries)

    def _may_be_dense(self, keys: KeysInRange, batch: InputLayout) -> bool:
        layout, program = self.generic.layout, self._program
        if layout.slice_is_key or layout.shared or len(keys.ranges) != len(program.keys):
            return False
        # A string that has no code is less than all that have one.
        pairs = zip(program.keys, keys.ranges, strict=True)
        if any(low < 0 and key.expr.type == STRING for key, (low, _) in pairs):
            return False
        return can_be_dense(program, batch)

    def _dense_layout(self) -> SlotLayout:
        if self._layout is None:
            counts_rows = self.generic.layout.rows is not None
            self._layout = slot_layout(
                self._program, slice_is_key=False, counts_rows=counts_rows, dense=True
            )
        return self._layout
