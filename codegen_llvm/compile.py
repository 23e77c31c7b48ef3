"""From an LLVM module to machine code that a Python object owns."""

from __future__ import annotations

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm
from llvmlite import ir as ll

from codegen_llvm.object_cache import find_object, keep_object, object_key
from codegen_llvm.parts import split_module

# LLVM's global context is not safe for concurrent use.
_LOCK = threading.RLock()


@dataclass(frozen=True)
class MachineCode:
    """Compiled functions; they stay callable as long as this object is alive."""

    engine: llvm.ExecutionEngine
    optimize_ns: int
    link_ns: int
    from_cache: bool = False  # neither optimised nor generated: it lay in the object store

    def address(self, name: str) -> int:
        """The address of a function."""
        return int(self.engine.get_function_address(name))

    def function(self, name: str, result: type | None, *params: type) -> Callable[..., int]:
        """A function as a Python callable; ctypes releases the GIL while it runs.

        It keeps the code alive, also where whoever made it is dropped while it runs: of two
        threads that fill a cache at once, one loses its entry.
        """
        made = ctypes.CFUNCTYPE(result, *params)(self.address(name))
        made.code = self  # type: ignore[attr-defined]
        return made

    def brief(self, name: str, result: type | None, *params: type) -> Callable[..., int]:
        """The same for what takes microseconds: the GIL is kept.

        Whoever gives it up waits for it afterwards, while a variant is made for 50 us or more.
        """
        made = ctypes.PYFUNCTYPE(result, *params)(self.address(name))
        made.code = self  # type: ignore[attr-defined]
        return made


def compile_module(module: ll.Module, speed: int = 3, *, in_parts: bool = False) -> MachineCode:
    """Verify, optimise for this CPU and link a module, or link what the object store has of it.

    In parts, each function is compiled, or found, by itself. The module is empty afterwards. With
    a `speed` of 1, LLVM leaves vectors and unrolling out, and takes half the time.
    """
    begin = time.perf_counter_ns()
    with _LOCK:
        module.triple, module.data_layout = _triple_and_layout()
    texts = split_module(module) if in_parts else [str(module)]
    _dissolve(module)
    objects = [_object_of(text, speed) for text in texts]
    optimized = time.perf_counter_ns()
    with _LOCK:
        engine = _linked([one.binary for one in objects])
    emit_ns = sum(one.emit_ns for one in objects)
    link_ns = time.perf_counter_ns() - optimized + emit_ns
    from_cache = all(one.from_cache for one in objects)
    return MachineCode(engine, optimized - begin - emit_ns, link_ns, from_cache)


_SYMBOLS: dict[str, ctypes.Array[ctypes.c_char]] = {}


def keep_symbol(name: str, memory: ctypes.Array[ctypes.c_char]) -> None:
    """Let code that is linked from now on find memory by a name, as long as the process lives."""
    with _LOCK:
        if name not in _SYMBOLS:
            _SYMBOLS[name] = memory
            llvm.add_symbol(name, ctypes.addressof(memory))


@dataclass(frozen=True, slots=True)
class _Object:
    """The machine code of a text, not linked yet."""

    binary: bytes
    emit_ns: int
    from_cache: bool


def _object_of(text: str, speed: int) -> _Object:
    key = object_key(text, _cpu(), _features(), speed)
    stored = find_object(key)
    if stored is not None:
        return _Object(stored, 0, from_cache=True)
    with _LOCK:
        parsed = _optimized(text, speed)
        begin = time.perf_counter_ns()
        binary = _compiling_machine().emit_object(parsed)
        emit_ns = time.perf_counter_ns() - begin
    keep_object(key, binary)
    return _Object(binary, emit_ns, from_cache=False)


def optimized_text(module: ll.Module, speed: int = 3) -> str:
    """The LLVM IR after optimisation, for people who look at what was made of their query."""
    with _LOCK:
        module.triple, module.data_layout = _triple_and_layout()
        return str(_optimized(str(module), speed))


def _optimized(text: str, speed: int) -> llvm.ModuleRef:
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=speed)
    options.loop_vectorization = options.slp_vectorization = speed > 1
    options.loop_unrolling = speed > 1
    builder = llvm.create_pass_builder(_compiling_machine(), options)
    builder.getModulePassManager().run(parsed, builder)
    return parsed


def _linked(binaries: Iterable[bytes]) -> llvm.ExecutionEngine:
    """The functions of objects in memory; new code goes this way too, so both ways are one."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    for binary in binaries:
        engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
    engine.finalize_object()
    return engine


@cache
def host_has(feature: str) -> bool:
    """Whether this CPU has an instruction set extension, by LLVM's name for it."""
    return bool(llvm.get_host_cpu_features().get(feature, False))


@cache
def _initialize() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


def _target_machine() -> llvm.TargetMachine:
    """A new machine each time: an execution engine takes ownership of its own."""
    _initialize()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=_cpu(),
        features=_features(),
        opt=3,
        jit=True,
    )


@cache
def _compiling_machine() -> llvm.TargetMachine:
    """What passes and code generation go by: to make one takes as long as a small function."""
    return _target_machine()


def _cpu() -> str:
    return str(llvm.get_host_cpu_name())


def _features() -> str:
    """What the CPU has, with 512-bit vectors also where LLVM would take half of them.

    It does so on Intel's because such vectors once lowered the clock. On Emerald Rapids,
    the YSB kernel ran 1.13 times as fast with them on strings, 1.04 times on codes.
    """
    return f"{llvm.get_host_cpu_features().flatten()},-prefer-256-bit"


def _dissolve(module: ll.Module) -> None:
    """Take a module apart: its pieces refer to each other, and only a collection would free them.

    That stops all threads for some milliseconds; block by block, nobody waits.
    """
    for function in module.functions:
        for block in function.blocks:
            block.instructions.clear()
            block.terminator = None
        function.blocks.clear()


@cache
def _triple_and_layout() -> tuple[str, str]:
    machine = _target_machine()
    return machine.triple, str(machine.target_data)


def _before_fork() -> None:
    """Wait for LLVM to be idle, so that the child does not inherit it half-way through a module.

    llvmlite's own lock has no public name; a child that inherits it locked waits for ever.
    """
    _LOCK.acquire()
    llvm.ffi.lib._lock.__enter__()


def _after_fork() -> None:
    llvm.ffi.lib._lock.__exit__(None, None, None)
    _LOCK.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)
