"""Building blocks of generated functions: typed memory access, loops, branches, exits."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from llvmlite import ir as ll

from codegen_llvm.abi import Exit, KernelArgs, offset_of
from ir import DataType, Expr
from ir.text_form import expr_text

I1, I8, I32, I64 = ll.IntType(1), ll.IntType(8), ll.IntType(32), ll.IntType(64)
I128 = ll.IntType(128)
PTR = ll.PointerType()

LLVM_TYPES: dict[str, ll.Type] = {
    "bool": I1,
    "int8": I8,
    "int16": ll.IntType(16),
    "int32": I32,
    "int64": I64,
    "float32": ll.FloatType(),
    "float64": ll.DoubleType(),
    "date": I32,
    "timestamp": I64,
    "string": PTR,
    "binary": PTR,
}


def llvm_type(type_: DataType) -> ll.Type:
    """The LLVM type of a value in a register."""
    return I128 if type_.is_decimal else LLVM_TYPES[type_.name]


def i64(value: int) -> ll.Constant:
    """A 64-bit constant."""
    return ll.Constant(I64, value)


@dataclass(frozen=True)
class _Scratch:
    """The scratch memory of a function: its bounds, and the variable with its next free byte."""

    begin: ll.Value
    end: ll.Value
    next: ll.Value


@dataclass
class KernelContext:
    """A function under construction: its builder, its module, and what it may exit with."""

    module: ll.Module
    function: ll.Function
    b: ll.IRBuilder
    errors: list[tuple[str, str]] = field(default_factory=list)
    resume: ll.Value | None = None  # where to come back after `GROW_SCRATCH`, if not at the row

    def __post_init__(self) -> None:
        self._tails: dict[Exit, ll.Block] = {}
        self._row: ll.Value | None = None
        self.index: ll.Value | None = None  # of the row in columns that begin elsewhere
        self._row_block: ll.Block | None = None  # where the row starts with empty scratch memory
        self._scratch: _Scratch | None = None
        self._undo: list[Callable[[], None]] = []

    # -- memory ---------------------------------------------------------------

    def at(self, base: ll.Value, offset: ll.Value | int) -> ll.Value:
        """The address `offset` bytes after `base`."""
        step = i64(offset) if isinstance(offset, int) else offset
        return self.b.gep(base, [step], inbounds=True, source_etype=I8)

    def element(self, base: ll.Value, index: ll.Value, type_: ll.Type) -> ll.Value:
        """The address of an array's element."""
        return self.b.gep(base, [index], inbounds=True, source_etype=type_)

    def load_field(
        self, base: ll.Value, block: type[ctypes.Structure], name: str, type_: ll.Type = I64
    ) -> ll.Value:
        """A field of an ABI structure."""
        return self.b.load(self.at(base, offset_of(block, name)), typ=type_, name=name)

    def store_field(
        self, value: ll.Value, base: ll.Value, block: type[ctypes.Structure], name: str
    ) -> None:
        """Set a field of an ABI structure."""
        self.b.store(value, self.at(base, offset_of(block, name)))

    def variable(self, type_: ll.Type, initial: ll.Value) -> ll.Value:
        """A local variable; LLVM turns it into a register, since its address stays here."""
        with self.b.goto_entry_block():
            slot = self.b.alloca(type_)
        self.b.store(initial, slot)
        return slot

    def local(self, type_: ll.Type, initial: ll.Value) -> Local:
        """A local variable with its type."""
        return Local(self, self.variable(type_, initial), type_)

    def stack(self, type_: ll.Type) -> ll.Value:
        """Memory of a function's own, read and written in pieces."""
        with self.b.goto_entry_block():
            made = self.b.alloca(type_)
        made.type = PTR  # a plain address: llvmlite would insist on whole values of the type
        return made

    def count_up(self, slot: ll.Value, step: ll.Value) -> None:
        """Add to a local counter."""
        self.b.store(self.b.add(self.b.load(slot, typ=I64), step), slot)

    # -- control flow ---------------------------------------------------------

    @contextmanager
    def loop(self, begin: ll.Value, end: ll.Value, name: str) -> Iterator[ll.Value]:
        """`for index in range(begin, end)`; yields the index."""
        before = self.b.block
        head = self.b.append_basic_block(f"{name}.head")
        body = self.b.append_basic_block(f"{name}.body")
        after = self.b.append_basic_block(f"{name}.after")
        self.b.branch(head)
        self.b.position_at_end(head)
        index = self.b.phi(I64, name=name)
        index.add_incoming(begin, before)
        self.b.cbranch(self.b.icmp_signed("<", index, end), body, after)
        self.b.position_at_end(body)
        yield index
        if not self.b.block.is_terminated:
            index.add_incoming(self.b.add(index, i64(1), flags=["nsw"]), self.b.block)
            self.b.branch(head)
        self.b.position_at_end(after)

    @contextmanager
    def forever(self, name: str) -> Iterator[ll.Block]:
        """A loop until something branches to the block that it yields, where the code goes on."""
        body = self.b.append_basic_block(f"{name}.body")
        after = self.b.append_basic_block(f"{name}.after")
        self.b.branch(body)
        self.b.position_at_end(body)
        yield after
        if not self.b.block.is_terminated:
            self.b.branch(body)
        self.b.position_at_end(after)

    def branch_if(self, condition: ll.Value, target: ll.Block) -> None:
        """Go to a block where a condition holds, and on here where not."""
        on = self.b.append_basic_block("on")
        self.b.cbranch(condition, target, on)
        self.b.position_at_end(on)

    def leave(self, code: Exit, row: ll.Value, detail: ll.Value | int = 0) -> None:
        """Return from the kernel; the rows before `row` are done."""
        for undo in reversed(self._undo):
            undo()
        args = self.function.args[0]
        self.store_field(row, args, KernelArgs, "rows_done")
        value = i64(detail) if isinstance(detail, int) else detail
        self.store_field(value, args, KernelArgs, "detail")
        self.b.branch(self.leave_block(code))

    @contextmanager
    def before_leaving(self, undo: Callable[[], None]) -> Iterator[None]:
        """Around code whose exits, wherever they are in it, first do what `undo` emits."""
        self._undo.append(undo)
        yield
        self._undo.pop()

    def leave_block(self, code: Exit) -> ll.Block:
        """The shared tail that writes the counters back and returns this code."""
        if code not in self._tails:
            self._tails[code] = self.function.append_basic_block(f"leave.{code.name.lower()}")
        return self._tails[code]

    def scratch(self, size: ll.Value) -> ll.Value:
        """Room for `size` bytes (an i64) until the next row; leaves the kernel if there is none.

        What must outlive the row is copied into the table or its arena.
        """
        if self._scratch is None:
            self._scratch = self._scratch_variables()
        begin, end, next_ = self._scratch.begin, self._scratch.end, self._scratch.next
        if self._row_block is not None:
            # In the row's first block: so that it is empty on every way through the row.
            with self.b.goto_block(self._row_block):
                self.b.store(begin, next_)
            self._row_block = None
        here = self.b.load(next_, typ=I64)
        after = self.b.add(here, size)
        with self.b.if_then(self.b.icmp_unsigned(">", after, end), likely=False):
            resume = self.row if self.resume is None else self.resume
            self.leave(Exit.GROW_SCRATCH, resume, self.b.sub(after, begin))
        self.b.store(after, next_)
        return self.b.inttoptr(here, PTR)

    def _scratch_variables(self) -> _Scratch:
        args = self.function.args[0]
        with self.b.goto_entry_block():
            begin = self.load_field(args, KernelArgs, "scratch")
            end = self.load_field(args, KernelArgs, "scratch_end")
            next_ = self.b.alloca(I64)
        return _Scratch(begin, end, next_)

    def fail_if(self, broken: ll.Value, condition: str, expr: Expr | str) -> None:
        """Leave with an error at the current row; nothing of the row has taken effect."""
        text = expr if isinstance(expr, str) else expr_text(expr)
        number = len(self.errors)
        self.errors.append((condition, text))
        with self.b.if_then(broken, likely=False):
            self.leave(Exit.ERROR, self.row, number)

    @property
    def row(self) -> ll.Value | None:
        """The row that expressions read, and exits report."""
        return self._row

    @row.setter
    def row(self, row: ll.Value | None) -> None:
        """Go on to a row: the strings that were made for the one before are given up."""
        self._row = self.index = row
        self._row_block = self.b.block

    def go_to(self, row: ll.Value, index: ll.Value) -> None:
        """Go on to a row that columns find at `index` from where they begin."""
        self.row, self.index = row, index

    @property
    def tails(self) -> dict[Exit, ll.Block]:
        """The exits that the function uses so far."""
        return self._tails

    def return_codes(self) -> None:
        """Emit the exits of a function that has no counters to write back."""
        for code, tail in self._tails.items():
            self.b.position_at_end(tail)
            self.b.ret(ll.Constant(I32, int(code)))

    # -- constants and calls --------------------------------------------------

    def constant_bytes(self, data: bytes) -> ll.Value:
        """The address of constant bytes in the module."""
        array = ll.Constant(ll.ArrayType(I8, len(data)), bytearray(data))
        made = ll.GlobalVariable(self.module, array.type, self.module.get_unique_name("bytes"))
        made.linkage, made.global_constant, made.initializer = "private", True, array
        # As a plain address: llvmlite types a global as a pointer to its own array type.
        return ll.FormattedConstant(PTR, made.get_reference())

    def external(self, name: str, result: ll.Type, *params: ll.Type) -> ll.Function:
        """A function of the C library or an LLVM intrinsic, declared once a module."""
        known = self.module.globals.get(name)
        if known is None:
            known = ll.Function(self.module, ll.FunctionType(result, params), name)
        return known

    def prefetch(self, address: ll.Value, *, to_write: bool = False, kept: int = 3) -> None:
        """Ask for memory; `kept` says how near it is to stay, 0 for what is used once."""
        fetch = self.external("llvm.prefetch.p0", ll.VoidType(), PTR, I32, I32, I32)
        words = [ll.Constant(I32, word) for word in (int(to_write), kept, 1)]
        self.b.call(fetch, [address, *words])

    def copy_bytes(self, target: ll.Value, source: ll.Value, count: ll.Value) -> None:
        """Copy bytes between places that do not overlap."""
        memcpy = self.external("llvm.memcpy.p0.p0.i64", ll.VoidType(), PTR, PTR, I64, I1)
        self.b.call(memcpy, [target, source, count, ll.Constant(I1, 0)])


_ERRORS: WeakKeyDictionary[ll.Module, list[tuple[str, str]]] = WeakKeyDictionary()


def errors_of(module: ll.Module) -> list[tuple[str, str]]:
    """The errors that the functions of a module may report: condition and expression, by number."""
    return _ERRORS.setdefault(module, [])


def new_function(
    module: ll.Module, name: str, result: ll.Type, params: tuple[ll.Type, ...]
) -> KernelContext:
    """Start a function of a module; its builder stands at the entry block."""
    function = ll.Function(module, ll.FunctionType(result, params), name)
    builder = ll.IRBuilder(function.append_basic_block("entry"))
    return KernelContext(module, function, builder, errors_of(module))


@dataclass(frozen=True)
class Local:
    """A variable of a function under construction."""

    cx: KernelContext
    slot: ll.Value
    type: ll.Type

    @property
    def value(self) -> ll.Value:
        """Its value at this place of the code."""
        return self.cx.b.load(self.slot, typ=self.type)

    def set(self, value: ll.Value) -> None:
        """Store another value."""
        self.cx.b.store(value, self.slot)

    def add(self, step: ll.Value) -> None:
        """Count up."""
        self.set(self.cx.b.add(self.value, step))


def shared_function(
    module: ll.Module,
    name: str,
    result: ll.Type,
    params: tuple[ll.Type, ...],
    build: Callable[[KernelContext], None],
) -> ll.Function:
    """A function that a module has once, built where it is first called."""
    if name in module.globals:
        return module.globals[name]
    cx = new_function(module, name, result, params)
    cx.function.linkage = "internal"
    build(cx)
    return cx.function


def apart(
    module: ll.Module,
    name: str,
    result: ll.Type,
    params: tuple[ll.Type, ...],
    build: Callable[[KernelContext], None],
) -> ll.Function:
    """The same, not inlined: it is called for many rows at once, and compiled by itself."""
    function = shared_function(module, name, result, params, build)
    function.attributes.add("noinline")
    return function
