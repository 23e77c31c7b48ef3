"""A module in parts: which functions are compiled by themselves, and what variants share."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator

import pytest
from llvmlite import ir as ll

from codegen_llvm import compile_variant, object_cache, slot_layout
from codegen_llvm.builder import I64, KernelContext, apart, i64, new_function, shared_function
from codegen_llvm.compile import compile_module
from codegen_llvm.layout import Encoding, InputLayout
from codegen_llvm.object_cache import use_object_store
from codegen_llvm.parts import split_module
from ir import GENERIC, Prefetch, Tier, VariantSpec
from ir.pipelines import cut, flatten
from tests.codegen_llvm.test_compile import Memory
from tests.codegen_llvm.test_golden import ysb

WORD = ctypes.c_int64


@pytest.fixture
def store() -> Iterator[Memory]:
    before = object_cache._Current.store
    made = Memory()
    use_object_store(made)
    yield made
    use_object_store(before)


def build_small(cx: KernelContext) -> None:
    (given,) = cx.function.args
    with cx.b.if_then(cx.b.icmp_signed("<", given, i64(0)), likely=False):
        cx.b.ret(i64(-1))
    cx.b.ret(cx.b.add(given, i64(1)))


def build_large(cx: KernelContext) -> None:
    made = cx.function.args[0]
    for step in range(120):
        made = cx.b.mul(cx.b.add(made, i64(step)), i64(3))
    cx.b.ret(made)


def caller(*, before: bool = False) -> ll.Module:
    """Two functions that share helpers; `before`, behind another one with metadata of its own."""
    module = ll.Module("parts")
    if before:
        cx = new_function(module, "before", I64, (I64,))
        with cx.b.if_then(cx.b.icmp_signed(">", cx.function.args[0], i64(9)), likely=True):
            cx.b.ret(i64(9))
        cx.b.ret(i64(0))
    for name in ("one", "other"):
        cx = new_function(module, name, I64, (I64,))
        small = shared_function(module, "small", I64, (I64,), build_small)
        large = shared_function(module, "large", I64, (I64,), build_large)
        far = apart(module, "far", I64, (I64,), build_small)
        given: ll.Value = cx.function.args[0]
        for function in (small, far):
            given = cx.b.call(function, [given])
        text = cx.constant_bytes(b'!0 and !7 and @"small"')
        first = cx.b.zext(cx.b.load(text, typ=ll.IntType(8)), I64)
        large_too = cx.b.and_(cx.b.call(large, [given]), i64(0))
        cx.b.ret(cx.b.add(cx.b.add(given, large_too), first))
    return module


def name_of(text: str) -> str:
    heads = [line for line in text.splitlines() if line.startswith("define ")]
    return next(line.split('"')[1] for line in heads if "internal" not in line)


def test_functions_that_are_called_for_many_rows_and_large_helpers_are_parts() -> None:
    texts = {name_of(text): text for text in split_module(caller())}
    assert texts.keys() == {"one", "other", "far", "large"}
    assert 'define internal i64 @"small"' in texts["one"]
    assert 'define internal i64 @"small"' in texts["other"]
    assert 'declare i64 @"large"' in texts["one"]


def test_a_part_is_the_same_whatever_else_is_in_the_module() -> None:
    """Metadata has other numbers there."""
    alone = {name_of(text): text for text in split_module(caller())}
    beside = {name_of(text): text for text in split_module(caller(before=True))}
    assert beside.keys() == {*alone, "before"}
    for name in ("far", "large"):
        assert beside[name] == alone[name]


def test_parts_find_each_other_and_constants_stay_as_they_are(store: Memory) -> None:
    for from_cache in (False, True):
        code = compile_module(caller(before=True), in_parts=True)
        assert code.from_cache is from_cache
        assert code.function("one", WORD, WORD)(40) == 42 + ord("!")
        assert code.function("other", WORD, WORD)(-5) == ord("!") - 1
    assert len(store) == 5


def test_variants_share_what_does_not_depend_on_their_bets(store: Memory) -> None:
    """Asking for memory ahead changes how groups are updated, not how rows are selected."""
    program = flatten(cut(ysb())[0])
    layout = InputLayout((Encoding.PLAIN,) * 4)
    slots = slot_layout(program, False)
    compile_variant(program, layout, slots, GENERIC)
    generic = set(store)
    ahead = VariantSpec(Tier.SPECULATIVE, (), (*GENERIC.hints, Prefetch()))
    compile_variant(program, layout, slots, ahead)
    assert 1 <= len(set(store) - generic) <= 2 < len(generic)
