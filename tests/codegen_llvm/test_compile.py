"""Compiling: modules are verified, code lives as long as its owner, objects are used again."""

from __future__ import annotations

import ctypes
import gc
import math
import weakref
from collections.abc import Iterator

import pytest
from llvmlite import ir as ll

from codegen_llvm import Encoding, InputLayout, compile, compile_variant, object_cache, slot_layout
from codegen_llvm.builder import I64, PTR, i64, new_function
from codegen_llvm.compile import compile_module, optimized_text
from codegen_llvm.object_cache import object_key, use_object_store
from ir import GENERIC
from ir.pipelines import cut, flatten
from tests.codegen_llvm.test_golden import ysb


def adder() -> ll.Module:
    """A module with `add(a, b)`."""
    module = ll.Module("test")
    cx = new_function(module, "add", I64, (I64, I64))
    cx.b.ret(cx.b.add(*cx.function.args))
    return module


def caller() -> ll.Module:
    """A module with `copy(to, from, bytes)` and `grow(x)`, for which libc and libm are needed."""
    module = ll.Module("test")
    cx = new_function(module, "copy", I64, (PTR, PTR, I64))
    copy = module.declare_intrinsic("llvm.memcpy", [PTR, PTR, I64])
    cx.b.call(copy, [*cx.function.args, ll.Constant(ll.IntType(1), 0)])
    cx.b.ret(i64(0))
    double = ll.DoubleType()
    cx = new_function(module, "grow", double, (double,))
    exp = module.declare_intrinsic("llvm.exp", [double])
    cx.b.ret(cx.b.call(exp, cx.function.args))
    return module


class Memory(dict[str, bytes]):
    """Objects of this process."""

    def put(self, key: str, content: bytes) -> None:
        self[key] = content


@pytest.fixture
def store() -> Iterator[Memory]:
    before = object_cache._Current.store
    made = Memory()
    use_object_store(made)
    yield made
    use_object_store(before)


def test_a_module_becomes_callable_code() -> None:
    """Also after everything but the owner is gone."""
    code = compile_module(adder())
    gc.collect()
    word = ctypes.c_int64
    assert code.function("add", word, word, word)(40, 2) == 42


def test_an_illegal_module_is_refused(store: Memory) -> None:
    """A value that does not dominate its use is caught by the verifier, not by a crash."""
    module = ll.Module("test")
    cx = new_function(module, "broken", I64, ())
    other = cx.function.append_basic_block("other")
    with cx.b.goto_block(other):
        late = cx.b.add(i64(1), i64(2))
        cx.b.ret(late)
    cx.b.ret(late)
    with pytest.raises(RuntimeError, match="does not dominate"):
        compile_module(module)
    assert not store


def test_compile_time_is_measured() -> None:
    """Both parts of it."""
    program = flatten(cut(ysb())[0])
    layout = InputLayout((Encoding.PLAIN,) * 4)
    variant = compile_variant(program, layout, slot_layout(program, False), GENERIC)
    assert variant.code.optimize_ns > 0
    assert variant.code.link_ns > 0
    assert variant.compile_ns == variant.code.optimize_ns + variant.code.link_ns


def test_optimised_text_can_be_read() -> None:
    """For a look at what LLVM made of it."""
    assert "add" in optimized_text(adder())


def test_a_stored_object_is_loaded_instead_of_compiled(store: Memory) -> None:
    word = ctypes.c_int64
    first, second = compile_module(adder()), compile_module(adder())
    assert (first.from_cache, second.from_cache) == (False, True)
    assert len(store) == 1
    del first
    gc.collect()
    assert second.function("add", word, word, word)(40, 2) == 42


def test_an_object_finds_the_functions_of_libraries(store: Memory) -> None:
    """Its relocations are resolved where it is loaded."""
    for from_cache in (False, True):
        code = compile_module(caller())
        assert code.from_cache is from_cache
        target, source = ctypes.create_string_buffer(9), b"eight by"
        address = ctypes.c_void_p
        code.function("copy", ctypes.c_int64, address, address, ctypes.c_int64)(
            ctypes.addressof(target), source, 8
        )
        assert target.value == source
        grow = code.function("grow", ctypes.c_double, ctypes.c_double)
        assert grow(1.5) == pytest.approx(math.exp(1.5), rel=1e-15)


def test_a_kernel_from_the_store_is_the_same_code(store: Memory) -> None:
    """Its errors and look-ups are not in the object: they come with the text."""
    program = flatten(cut(ysb())[0])
    layout = InputLayout((Encoding.DICTIONARY, *[Encoding.PLAIN] * 3))
    first, second = (
        compile_variant(program, layout, slot_layout(program, False), GENERIC) for _ in range(2)
    )
    assert second.code.from_cache
    assert (first.errors, first.lookup_columns) == (second.errors, second.lookup_columns)


def test_code_for_another_cpu_is_not_used(store: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_module(adder())
    monkeypatch.setattr(compile, "_cpu", lambda: "x86-64")
    assert not compile_module(adder()).from_cache
    assert compile_module(adder()).from_cache
    assert len(store) == 2


def test_a_key_tells_apart_what_makes_other_code() -> None:
    keys = [
        object_key("text", "cpu", "+a", 3),
        object_key("text ", "cpu", "+a", 3),
        object_key("text", "cpu2", "+a", 3),
        object_key("text", "cpu", "+b", 3),
        object_key("text", "cpu", "+a", 2),
    ]
    assert len(set(keys)) == len(keys)


def test_another_version_of_llvm_has_other_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    before = object_key("text", "cpu", "", 3)
    monkeypatch.setattr(object_cache, "_versions", lambda: "LLVM 1.0")
    assert object_key("text", "cpu", "", 3) != before


def test_a_function_keeps_its_code_alive() -> None:
    """Also while it runs: whoever made it may be dropped by another thread meanwhile."""
    module = ll.Module("alive")
    cx = new_function(module, "twice", I64, (I64,))
    cx.b.ret(cx.b.add(cx.function.args[0], cx.function.args[0]))
    code = compile_module(module)
    alive = weakref.ref(code)
    twice = code.function("twice", ctypes.c_int64, ctypes.c_int64)
    del code
    gc.collect()
    assert alive() is not None
    assert twice(21) == 42
    del twice
    gc.collect()
    assert alive() is None
