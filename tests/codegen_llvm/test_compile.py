"""Compiling: modules are verified, code lives as long as its owner, time is measured."""

from __future__ import annotations

import ctypes
import gc

import pytest
from llvmlite import ir as ll

from codegen_llvm import Encoding, InputLayout, compile_variant, slot_layout
from codegen_llvm.builder import I64, i64, new_function
from codegen_llvm.compile import compile_module, optimized_text
from ir import GENERIC
from ir.pipelines import cut, flatten
from tests.codegen_llvm.test_golden import ysb


def adder() -> ll.Module:
    """A module with `add(a, b)`."""
    module = ll.Module("test")
    cx = new_function(module, "add", I64, (I64, I64))
    cx.b.ret(cx.b.add(*cx.function.args))
    return module


def test_a_module_becomes_callable_code() -> None:
    """Also after everything but the owner is gone."""
    code = compile_module(adder())
    gc.collect()
    word = ctypes.c_int64
    assert code.function("add", word, word, word)(40, 2) == 42


def test_an_illegal_module_is_refused() -> None:
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
