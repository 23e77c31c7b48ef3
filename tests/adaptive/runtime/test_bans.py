"""A variant that ends its process is not run by the next one; whatever ends well bans nothing."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import Popen
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adaptive.runtime import bans
from adaptive.runtime.bans import (
    FIRST_BAN_SECONDS,
    REPEATED_BAN_SECONDS,
    BanList,
    VariantBanned,
    variant_key,
)
from adaptive.runtime.journal import RunJournal, dead_runs
from adaptive.runtime.kernels import VariantCache
from adaptive.runtime.stores import close_stores, open_stores
from codegen_llvm import Encoding, InputLayout, SlotLayout, slot_layout
from ir import GENERIC, Prefetch, SelectRows, Tier, VariantSpec
from ir.pipelines import RowProgram, cut, flatten
from tests.codegen_llvm.test_golden import ysb
from tests.processes import finish, run, start

SPECULATIVE = VariantSpec(Tier.SPECULATIVE)
OTHER = VariantSpec(Tier.SPECULATIVE, hints=(SelectRows(), Prefetch()))


def variant(spec: VariantSpec) -> tuple[RowProgram, InputLayout, SlotLayout, VariantSpec]:
    program = flatten(cut(ysb())[0])
    return program, InputLayout((Encoding.PLAIN,) * 4), slot_layout(program, False), spec


KEY, OTHER_KEY, GENERIC_KEY = (variant_key(*variant(s)) for s in (SPECULATIVE, OTHER, GENERIC))

# Runs what its second argument says, recorded as the variant of its third one.
PROCESS = """
import ctypes, os, sys, threading, time
from llvmlite import ir as ll
from adaptive.runtime.bans import BAN_LIST
from adaptive.runtime.journal import JOURNAL
from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.stores import open_stores
from codegen_llvm.builder import I64, PTR, i64, new_function
from codegen_llvm.compile import compile_module

def broken(kind):
    module = ll.Module("test")
    cx = new_function(module, "run", I64, (I64,))
    if kind == "store":
        cx.b.store(i64(1), cx.b.inttoptr(cx.function.args[0], PTR))
    else:
        kind = ll.FunctionType(ll.VoidType(), [])
        cx.b.call(ll.Function(module, kind, "llvm.trap"), [])
    cx.b.ret(i64(0))
    return compile_module(module)

def crash(kind, key):
    code = broken(kind)
    run = code.function("run", ctypes.c_int64, ctypes.c_int64)
    with JOURNAL.running(key):
        run(0)

def wait(key):
    with JOURNAL.running(key):
        print("running", flush=True)
        started.set()
        time.sleep(100)

started = threading.Event()
folder, what, key = sys.argv[1:]
open_stores(folder)
if what in ("store", "trap"):
    crash(what, key)
elif what == "wait":
    wait(key)
elif what == "exit":  # while a thread of no importance runs it
    threading.Thread(target=wait, args=(key,), daemon=True).start()
    started.wait()
elif what == "give up":  # without saying goodbye, but while nothing runs
    with JOURNAL.running(key):
        pass
    os._exit(0)
elif what == "fork":
    JOURNAL.begin(key)
    JOURNAL.end()
    child = os.fork()
    if child == 0:
        crash("store", key)
    os.waitpid(child, 0)
    print("child ended", flush=True)
    time.sleep(100)
elif what == "look":
    print(BAN_LIST.is_banned(key))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that this process has opened, for its time."""
    open_stores(tmp_path)
    yield tmp_path
    close_stores()


def reason(folder: Path, key: str = KEY) -> str | None:
    return BanList(folder / "runs").is_banned(key)


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR]


def first_line(process: Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize(("what", "ended_by"), [("store", signal.SIGSEGV), ("trap", signal.SIGILL)])
def test_a_variant_that_crashes_is_banned_by_the_next_process(
    folder: Path, what: str, ended_by: signal.Signals
) -> None:
    """The crash is that of compiled code; the generic variant and others still run."""
    run(PROCESS, folder, what, KEY, expected=-ended_by)
    assert "banned until" in run(PROCESS, folder, "look", KEY)
    assert run(PROCESS, folder, "look", OTHER_KEY) == "None"
    assert not list((folder / "runs").glob("run-*"))
    cache = VariantCache()
    with pytest.raises(VariantBanned, match="ended while running it"):
        cache.get(*variant(SPECULATIVE))
    with pytest.raises(VariantBanned, match="ended while running it"):
        cache.ready(*variant(SPECULATIVE))
    told: list[str] = []
    came = threading.Event()
    cache.request(*variant(SPECULATIVE), lambda made, why: (told.append(why), came.set()))
    assert came.wait(60)
    assert "banned until" in told[0]
    assert cache.get(*variant(GENERIC)).spec is GENERIC
    assert cache.get(*variant(OTHER)).spec is OTHER
    cache.close()


def test_the_generic_variant_is_never_banned(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """There would be nothing to fall back to; the error says what to do."""
    run(PROCESS, folder, "store", GENERIC_KEY, expected=-signal.SIGSEGV)
    assert reason(folder, GENERIC_KEY) is None
    (message,) = errors(caplog)
    assert "generic variant" in message
    assert "report it" in message


def test_a_process_that_runs_it_is_left_alone_until_it_is_gone(folder: Path) -> None:
    """To be killed is no different from a crash."""
    process = start(PROCESS, folder, "wait", KEY)
    assert first_line(process) == "running"
    assert reason(folder) is None
    process.kill()
    finish(process, -signal.SIGKILL)
    found = reason(folder)
    assert found is not None
    assert f"process {process.pid} " in found


@pytest.mark.parametrize("what", ["exit", "give up"])
def test_a_process_that_ends_well_bans_nothing(folder: Path, what: str) -> None:
    run(PROCESS, folder, what, KEY)
    assert reason(folder) is None
    assert not list((folder / "runs").glob("run-*"))


def test_a_forked_child_has_records_of_its_own(folder: Path) -> None:
    """Its crash is found while the parent, whose file it inherited, lives on."""
    process = start(PROCESS, folder, "fork", KEY)
    assert first_line(process) == "child ended"
    found = reason(folder)
    assert found is not None
    assert f"process {process.pid} " not in found
    assert len(list((folder / "runs").glob("run-*"))) == 1
    process.kill()
    finish(process, -signal.SIGKILL)
    assert list(dead_runs(folder / "runs")) == []  # the parent ran nothing


def record_of(journal: RunJournal) -> bytes:
    assert journal.path is not None
    return journal.path.read_bytes()


def copy_of_dead(journal: RunJournal, folder: Path, change: tuple[bytes, bytes]) -> None:
    """The file of a process that is gone, with some bytes changed."""
    (folder / "run-1-copy").write_bytes(record_of(journal).replace(*change))


def test_each_thread_has_a_record(tmp_path: Path) -> None:
    """Those that came back are not reported."""
    journal = RunJournal(tmp_path / "runs")
    both = threading.Barrier(2)

    def work() -> None:
        with journal.running(OTHER_KEY):
            both.wait()
            both.wait()

    thread = threading.Thread(target=work)
    thread.start()
    both.wait()
    journal.begin(KEY)
    copy_of_dead(journal, tmp_path / "runs", (b"", b""))
    (dead,) = dead_runs(tmp_path / "runs")
    assert dead.keys == {KEY, OTHER_KEY}
    assert dead.pid == os.getpid()
    journal.end()
    copy_of_dead(journal, tmp_path / "runs", (b"", b""))
    (dead,) = dead_runs(tmp_path / "runs")
    assert dead.keys == {OTHER_KEY}
    both.wait()
    thread.join()


def test_a_record_is_free_again_when_its_thread_has_ended(tmp_path: Path) -> None:
    """With more threads at once than records, some go without; nothing fails."""
    journal = RunJournal(tmp_path / "runs")
    for _ in range(300):
        thread = threading.Thread(target=journal.begin, args=(OTHER_KEY,))
        thread.start()
        thread.join()
    journal.begin(KEY)
    assert KEY.encode() in record_of(journal)
    ready, leave = threading.Barrier(201), threading.Event()

    def work() -> None:
        with journal.running(OTHER_KEY):
            ready.wait()
            leave.wait()

    threads = [threading.Thread(target=work) for _ in range(200)]
    for thread in threads:
        thread.start()
    ready.wait()
    assert record_of(journal).count(OTHER_KEY.encode()) == 126
    leave.set()
    for thread in threads:
        thread.join()


def test_what_ended_with_the_machine_bans_nothing(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path / "runs")
    journal.begin(KEY)
    boot = Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    copy_of_dead(journal, tmp_path / "runs", (boot, boot[::-1]))
    assert list(dead_runs(tmp_path / "runs")) == []
    assert list((tmp_path / "runs").iterdir()) == [journal.path]


@given(data=st.binary(max_size=300), header=st.booleans())
def test_a_damaged_record_bans_nothing(data: bytes, header: bool) -> None:
    with TemporaryDirectory() as name:
        journal = RunJournal(Path(name, "runs"))
        journal.begin(KEY)
        whole = record_of(journal)
        damaged = (whole[:128] + data).ljust(len(whole), b"\1") if header else data
        (Path(name, "runs") / "run-1-copy").write_bytes(damaged)
        os.utime(Path(name, "runs") / "run-1-copy", (0, 0))
        listed = BanList(Path(name, "runs"))
        assert listed.is_banned(KEY) is None
        assert list(Path(name, "runs").iterdir()) == [journal.path]
        journal.close()


def test_a_file_that_is_just_made_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "run-1-new").touch()
    assert list(dead_runs(tmp_path)) == []
    assert (tmp_path / "run-1-new").exists()


def test_without_a_folder_nothing_is_written_or_banned(tmp_path: Path) -> None:
    journal = RunJournal(None)
    with journal.running(KEY):
        assert journal.path is None
    assert BanList(None).is_banned(KEY) is None


def test_a_journal_that_cannot_be_written_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "runs").write_text("in the way")
    journal = RunJournal(tmp_path / "runs")
    for name in ("a", "b"):
        thread = threading.Thread(target=journal.begin, args=(name,))
        thread.start()
        thread.join()
    (message,) = [r.getMessage() for r in caplog.records]
    assert "will not be banned" in message
    assert BanList(tmp_path / "runs").is_banned(KEY) is None


def write_bans(folder: Path, *lines: tuple[int, str]) -> BanList:
    now = int(time.time())
    text = "".join(f"ban {now - age} 7 {key}\n" for age, key in lines)
    folder.mkdir(exist_ok=True, mode=0o700)
    (folder / "bans").write_text(text)
    return BanList(folder)


@pytest.mark.parametrize(
    ("ages", "banned"),
    [
        ([FIRST_BAN_SECONDS - 60], True),
        ([FIRST_BAN_SECONDS + 60], False),
        ([FIRST_BAN_SECONDS + 120, FIRST_BAN_SECONDS + 60], True),
        ([REPEATED_BAN_SECONDS, REPEATED_BAN_SECONDS - 60], True),
        ([REPEATED_BAN_SECONDS + 120, REPEATED_BAN_SECONDS + 60], False),
        ([REPEATED_BAN_SECONDS + 900, FIRST_BAN_SECONDS + 60], False),
        ([-3600], False),  # the future has banned nothing yet
    ],
)
def test_a_ban_is_over_after_a_while_and_a_second_one_lasts(
    tmp_path: Path, ages: list[int], banned: bool
) -> None:
    listed = write_bans(tmp_path, *((age, KEY) for age in ages))
    assert (listed.is_banned(KEY) is not None) is banned


@given(st.binary(max_size=200), st.binary(max_size=200))
def test_damaged_lines_are_ignored(before: bytes, after: bytes) -> None:
    """They do not hide whole ones, nor those that are added."""
    with TemporaryDirectory() as name:
        now = int(time.time())
        line = f"\nban {now} 7 {KEY}\n".encode()
        Path(name, "bans").write_bytes(before + line + after)
        assert BanList(Path(name)).is_banned(KEY) is not None
        BanList(Path(name)).ban(OTHER_KEY, 8)
        assert BanList(Path(name)).is_banned(OTHER_KEY) is not None


def test_a_long_file_loses_what_no_longer_counts(tmp_path: Path) -> None:
    old = [(3 * REPEATED_BAN_SECONDS, f"speculative-{number:064x}") for number in range(1000)]
    listed = write_bans(tmp_path, *old, (60, OTHER_KEY))
    listed.ban(KEY, 9)
    assert len((tmp_path / "bans").read_text().splitlines()) == 2
    assert listed.is_banned(KEY) is not None
    assert listed.is_banned(OTHER_KEY) is not None


BANNING = """
import sys
from pathlib import Path
from adaptive.runtime.bans import BanList
sys.stdin.readline()
for number in range(300):
    BanList(Path(sys.argv[1])).ban(f"speculative-{int(sys.argv[2]) * 1000 + number:064x}", 1)
"""


def test_processes_ban_at_once(tmp_path: Path) -> None:
    """Also while the file is made shorter: no ban of any of them is lost."""
    running = [start(BANNING, tmp_path, number) for number in range(3)]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in running:
        finish(process)
    listed = BanList(tmp_path)
    for number in (process * 1000 + own for process in range(3) for own in range(300)):
        assert listed.is_banned(f"speculative-{number:064x}") is not None


def test_a_ban_of_another_process_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bans, "_LOOK_SECONDS", 0.0)
    listed = BanList(tmp_path)
    assert listed.is_banned(KEY) is None
    BanList(tmp_path).ban(KEY, 8)
    assert listed.is_banned(KEY) is not None


def test_a_look_is_taken_once_in_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bans, "_LOOK_SECONDS", 1e9)
    listed = BanList(tmp_path)
    assert listed.is_banned(KEY) is None
    BanList(tmp_path).ban(KEY, 8)
    assert listed.is_banned(KEY) is None


NAMES = """
from tests.adaptive.runtime.test_bans import KEY, OTHER_KEY, GENERIC_KEY
print(KEY, OTHER_KEY, GENERIC_KEY)
"""


def test_a_variant_has_the_same_name_in_every_process() -> None:
    for seed in ("1", "2"):
        assert run(NAMES, PYTHONHASHSEED=seed).split() == [KEY, OTHER_KEY, GENERIC_KEY]
    assert len({KEY, OTHER_KEY, GENERIC_KEY}) == 3


def test_a_name_does_not_depend_on_the_order_of_a_set() -> None:
    """Two equal sets may list their elements in different orders."""
    one, other = frozenset((0, 8)), frozenset((8, 0))
    assert list(one) != list(other)
    assert bans._stable_text(one) == bans._stable_text(other)
