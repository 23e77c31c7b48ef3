"""The cache of variants: who waits for a compilation, who does not, and when code is freed."""

from __future__ import annotations

import gc
import os
import threading
import time
import weakref
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from adaptive.runtime import kernels
from adaptive.runtime.kernels import VariantCache
from codegen_llvm import CompiledVariant, Encoding, InputLayout, SlotLayout, slot_layout
from ir import GENERIC, SelectRows, Tier, VariantSpec
from ir.pipelines import RowProgram, cut, flatten
from tests.codegen_llvm.test_golden import ysb
from tests.processes import run

Key = tuple[RowProgram, InputLayout, SlotLayout, VariantSpec]
PROGRAM = flatten(cut(ysb())[0])


def variant(spec: VariantSpec = GENERIC) -> Key:
    return PROGRAM, InputLayout((Encoding.PLAIN,) * 4), slot_layout(PROGRAM, False), spec


def blocks(rows: int) -> VariantSpec:
    """A variant of its own for each number of rows a block."""
    return VariantSpec(Tier.SPECULATIVE, hints=(SelectRows(rows),))


@pytest.fixture
def cache() -> Iterator[VariantCache]:
    made = VariantCache(most=2)
    yield made
    made.close()


class Compilation:
    """Compiles as ever, but counts, and holds those of one spec until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, held: VariantSpec | None = None) -> None:
        self.specs: list[VariantSpec] = []
        self.began, self.let_go = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self._held = held
        self._real = kernels.compile_variant
        monkeypatch.setattr(kernels, "compile_variant", self._compile)

    def _compile(self, *key: object) -> CompiledVariant:
        spec = key[3]
        assert isinstance(spec, VariantSpec)
        self.specs.append(spec)
        if spec == self._held:
            self.began.set()
            assert self.let_go.wait(60)
            error, self.error = self.error, None
            if error is not None:
                raise error
        return self._real(*key)  # type: ignore[arg-type]


class Answers:
    """What `request` reported, and from which thread."""

    def __init__(self) -> None:
        self.all: list[tuple[CompiledVariant | None, str, str]] = []
        self._came = threading.Semaphore(0)

    def __call__(self, made: CompiledVariant | None, why: str) -> None:
        self.all.append((made, why, threading.current_thread().name))
        self._came.release()

    def wait(self) -> tuple[CompiledVariant | None, str, str]:
        assert self._came.acquire(timeout=60)
        return self.all[-1]


def test_a_variant_is_compiled_once(cache: VariantCache, monkeypatch: pytest.MonkeyPatch) -> None:
    """For all threads that want it at the same time, and later."""
    seen = Compilation(monkeypatch, held=GENERIC)
    with ThreadPoolExecutor(4) as pool:
        wanted = [pool.submit(cache.get, *variant()) for _ in range(4)]
        assert seen.began.wait(60)
        seen.let_go.set()
        made = {id(one.result()) for one in wanted}
    assert made == {id(cache.get(*variant()))}
    assert seen.specs == [GENERIC]


def test_a_compilation_holds_up_nobody_else(
    cache: VariantCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither look-ups, nor those who ask whether it is ready."""
    known = cache.get(*variant())
    seen = Compilation(monkeypatch, held=blocks(1024))
    with ThreadPoolExecutor(1) as pool:
        wanted = pool.submit(cache.get, *variant(blocks(1024)))
        assert seen.began.wait(60)
        assert cache.get(*variant()) is known
        assert cache.ready(*variant()) is known
        assert cache.ready(*variant(blocks(1024))) is None
        assert cache.get(*variant(blocks(2048))).spec == blocks(2048)
        seen.let_go.set()
        assert wanted.result() is cache.ready(*variant(blocks(1024)))


def test_a_request_is_served_by_one_thread_in_order(
    cache: VariantCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Compilation(monkeypatch, held=blocks(1024))
    first, second = Answers(), Answers()
    cache.request(*variant(blocks(1024)), first)
    cache.request(*variant(blocks(2048)), second)
    cache.request(*variant(blocks(1024)), second)
    assert seen.began.wait(60)
    assert cache.ready(*variant(blocks(1024))) is None
    assert not first.all
    seen.let_go.set()
    made, why, thread = first.wait()
    assert made is cache.ready(*variant(blocks(1024)))
    assert why == ""
    second.wait()
    second.wait()
    assert [one.spec for one, *_ in second.all if one] == [blocks(2048), blocks(1024)]
    assert {thread} | {name for *_, name in second.all} == {"kodiak-compiler"}
    assert seen.specs == [blocks(1024), blocks(2048)]


def test_who_needs_a_requested_variant_now_waits_for_it(
    cache: VariantCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, answers = Compilation(monkeypatch, held=blocks(1024)), Answers()
    cache.request(*variant(blocks(1024)), answers)
    assert seen.began.wait(60)
    with ThreadPoolExecutor(1) as pool:
        wanted = pool.submit(cache.get, *variant(blocks(1024)))
        seen.let_go.set()
        assert wanted.result() is answers.wait()[0]
    assert len(seen.specs) == 1


def test_errors_are_reported_and_the_thread_goes_on(
    cache: VariantCache, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also after a `done` that fails; what failed once may be asked for again."""
    seen, answers = Compilation(monkeypatch, held=blocks(1024)), Answers()
    seen.error = RuntimeError("LLVM has no such form")
    seen.let_go.set()
    cache.request(*variant(blocks(1024)), answers)
    assert answers.wait() == (None, "LLVM has no such form", "kodiak-compiler")

    def fail(made: CompiledVariant | None, why: str) -> None:
        raise ValueError("nobody expects this")

    cache.request(*variant(blocks(1024)), fail)
    cache.request(*variant(blocks(1024)), answers)
    assert answers.wait()[0] is not None
    assert "nobody expects this" in caplog.text


def test_what_could_not_be_compiled_can_be_tried_again(
    cache: VariantCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Compilation(monkeypatch, held=GENERIC)
    seen.error = RuntimeError("LLVM has no such form")
    with ThreadPoolExecutor(1) as pool:
        wanted = pool.submit(cache.get, *variant())
        assert seen.began.wait(60)
        seen.let_go.set()
        with pytest.raises(RuntimeError, match="no such form"):
            wanted.result()
    assert cache.get(*variant()).spec == GENERIC


def test_an_interrupt_ends_one_wait_only(
    cache: VariantCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C is for the thread that got it: another one compiles the variant itself."""
    seen = Compilation(monkeypatch, held=GENERIC)
    seen.error = KeyboardInterrupt()
    with ThreadPoolExecutor(2) as pool:
        interrupted = pool.submit(cache.get, *variant())
        assert seen.began.wait(60)
        other = pool.submit(cache.get, *variant())
        seen.let_go.set()
        assert isinstance(interrupted.exception(), KeyboardInterrupt)
        assert other.result().spec == GENERIC


def test_code_is_freed_when_its_last_user_lets_go(cache: VariantCache) -> None:
    """The cache has dropped it long before."""
    held = cache.get(*variant())
    freed = weakref.ref(held.code.engine)
    for rows in (1024, 2048):
        cache.get(*variant(blocks(rows)))
    assert cache.ready(*variant()) is None
    gc.collect()
    assert freed() is not None
    assert held.rehash(0, 0, 0) is None  # no slots to move: it comes back at once
    del held
    gc.collect()
    assert freed() is None


def test_a_thread_without_work_keeps_nothing_alive(cache: VariantCache) -> None:
    """Neither the code, nor who asked for it."""
    answers = Answers()
    cache.request(*variant(), answers)
    made, *_ = answers.wait()
    assert made is not None
    freed = [weakref.ref(made.code.engine), weakref.ref(answers)]
    del made, answers
    for rows in (1024, 2048):
        cache.get(*variant(blocks(rows)))
    deadline = time.monotonic() + 60
    while any(one() is not None for one in freed) and time.monotonic() < deadline:
        gc.collect()
    assert [one() for one in freed] == [None, None]


def test_the_least_recently_used_is_dropped(cache: VariantCache) -> None:
    for rows in (1024, 2048):
        cache.get(*variant(blocks(rows)))
    cache.ready(*variant(blocks(1024)))
    cache.get(*variant())
    assert cache.ready(*variant(blocks(2048))) is None
    assert cache.ready(*variant(blocks(1024))) is not None


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="there is one CPU only")
def test_the_thread_is_not_bound_to_the_cpu_of_its_starter(cache: VariantCache) -> None:
    cpus: list[set[int]] = []
    answers = Answers()

    def done(made: CompiledVariant | None, why: str) -> None:
        cpus.append(os.sched_getaffinity(threading.get_native_id()))
        answers(made, why)

    def ask() -> None:
        os.sched_setaffinity(threading.get_native_id(), {min(os.sched_getaffinity(0))})
        cache.request(*variant(), done)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    answers.wait()
    assert cpus == [os.sched_getaffinity(os.getpid())]


FORK = """
import os, sys, threading
from adaptive.runtime.kernels import VARIANTS
from codegen_llvm import compile
from tests.adaptive.runtime.test_kernels import Answers, blocks, variant

def compiled(rows):
    answers = Answers()
    VARIANTS.request(*variant(blocks(rows)), answers)
    made, why, _ = answers.wait()
    assert made is not None and made.spec == blocks(rows), why
    made.rehash(0, 0, 0)

def in_llvm():
    if not compile._LOCK.acquire(blocking=False):
        return True
    compile._LOCK.release()
    return False

compiled(512)
for child in range(3):
    pending = Answers()
    VARIANTS.request(*variant(blocks(1024 + 64 * child)), pending)
    if child:  # the first one forks at any time, the others in mid-compilation
        while not in_llvm() and not pending.all:
            pass
    pid = os.fork()
    if pid == 0:
        assert threading.active_count() == 1
        VARIANTS.get(*variant(blocks(512))).rehash(0, 0, 0)
        compiled(1024 + 64 * child)
        compiled(4096)
        VARIANTS.get(*variant(blocks(8192)))
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    assert pending.wait()[0] is not None
print("done")
"""


def test_a_forked_child_compiles_with_a_thread_of_its_own() -> None:
    """Whatever the parent's thread was doing."""
    assert run(FORK) == "done"


EXIT = """
import threading, time
from adaptive.runtime.kernels import VARIANTS
from tests.adaptive.runtime.test_kernels import blocks, variant
began = threading.Event()

def done(made, why):
    began.set()
    while not VARIANTS._background._ending:
        time.sleep(0.001)
    print(made.spec.block_rows)

for rows in (1024, 2048, 4096):
    VARIANTS.request(*variant(blocks(rows)), done)
began.wait()
"""


def test_the_interpreter_ends_while_variants_are_requested() -> None:
    """What has begun is finished; what waits is not begun."""
    assert run(EXIT) == "1024"
