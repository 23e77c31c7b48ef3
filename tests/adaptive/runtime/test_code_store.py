"""The folder of compiled objects: whatever happens to its files, code that was put comes back."""

from __future__ import annotations

import logging
import os
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adaptive.runtime import code_store
from adaptive.runtime.code_store import CodeStore
from adaptive.runtime.stores import folder_setting, size_setting
from tests.processes import finish, run, start

KEY = "0123456789abcdef" * 4
CODE = b"machine code " * 20


def named(number: int) -> str:
    return f"{number:064x}"


def only_file(store: CodeStore) -> Path:
    (file,) = store.folder.iterdir()
    return file


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    CodeStore(tmp_path / "a" / "b").put(KEY, CODE)
    store = CodeStore(tmp_path / "a" / "b")
    assert store.get(KEY) == CODE
    assert store.get(named(1)) is None
    store.put(KEY, b"")
    assert store.get(KEY) == b""


def test_only_the_user_can_read_and_write_there(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "kodiak" / "objects")
    store.put(KEY, CODE)
    assert store.folder.stat().st_mode & 0o777 == 0o700
    assert store.folder.parent.stat().st_mode & 0o777 == 0o700
    assert only_file(store).stat().st_mode & 0o077 == 0


@given(
    cut=st.integers(0, 400),
    flips=st.lists(st.tuples(st.integers(0, 400), st.integers(1, 255)), max_size=3),
    tail=st.binary(max_size=3),
)
@example(cut=0, flips=[], tail=b"")  # an empty file
@example(cut=400, flips=[(0, 1)], tail=b"")
@example(cut=400, flips=[], tail=b"\0")
def test_a_damaged_file_is_not_used(cut: int, flips: list[tuple[int, int]], tail: bytes) -> None:
    """It is removed, and the object can be put again."""
    with TemporaryDirectory() as folder:
        store = CodeStore(Path(folder, "objects"))
        store.put(KEY, CODE)
        file = only_file(store)
        whole = file.read_bytes()
        damaged = bytearray(whole[:cut])
        for at, bits in flips:
            if at < len(damaged):
                damaged[at] ^= bits
        file.write_bytes(damaged + tail)
        if damaged + tail == whole:
            assert store.get(KEY) == CODE
            return
        assert store.get(KEY) is None
        assert not file.exists()
        store.put(KEY, CODE)
        assert store.get(KEY) == CODE


def test_a_file_under_another_name_is_not_used(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "objects")
    store.put(KEY, CODE)
    only_file(store).rename(store.folder / f"{named(1)}.o")
    assert store.get(named(1)) is None


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    store, other = CodeStore(tmp_path / "objects"), CodeStore(tmp_path / "other")
    for one in (store, other):
        one.put(KEY, CODE)
    only_file(store).unlink()
    (store.folder / f"{KEY}.o").symlink_to(only_file(other))
    assert store.get(KEY) is None


def test_the_longest_unused_leave_first(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "objects", most_bytes=10_000)
    for number in range(9):
        store.put(named(number), bytes(1000))
        long_ago = time.time() - 10_000 + number
        os.utime(store.folder / f"{named(number)}.o", (long_ago, long_ago))
    assert store.get(named(0)) is not None  # and is in use again
    store.put(named(9), bytes(1000))
    left = {number for number in range(10) if store.get(named(number)) is not None}
    assert {0, 9} <= left
    assert left == {0, *range(10 - len(left) + 1, 10)}
    assert sum(file.stat().st_size for file in store.folder.iterdir()) <= 10_000


def test_use_is_noted_once_a_minute(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "objects")
    store.put(KEY, CODE)
    file = only_file(store)
    for age, touched in ((30, False), (90, True)):
        then = time.time() - age
        os.utime(file, (then, then))
        assert store.get(KEY) == CODE
        assert (file.stat().st_mtime > then + 1) is touched


def test_what_is_larger_than_the_limit_is_not_kept(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "objects", most_bytes=1000)
    store.put(KEY, bytes(1000))
    assert store.get(KEY) is None


def test_files_without_a_writer_are_removed(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "objects", most_bytes=10_000)
    store.put(KEY, CODE)
    old, new = (store.folder / f"{code_store._UNFINISHED}{i}" for i in range(2))
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (0, 0))
    store.put(named(1), bytes(1000))
    assert not old.exists()
    assert new.exists()


def test_a_folder_that_vanishes_is_made_again(tmp_path: Path) -> None:
    store = CodeStore(tmp_path / "objects")
    store.put(KEY, CODE)
    only_file(store).unlink()
    store.folder.rmdir()
    assert store.get(KEY) is None
    store.put(KEY, CODE)
    assert store.get(KEY) == CODE


def test_code_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store = CodeStore(tmp_path / "objects")
    store.put(KEY, CODE)
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    other = CodeStore(tmp_path / "objects")
    assert other.get(KEY) is None
    other.put(named(1), CODE)
    (message,) = warnings(caplog)
    assert "belongs to user" in message
    assert "KODIAK_CACHE_DIR" in message
    monkeypatch.undo()
    assert store.get(named(1)) is None


def test_a_folder_that_others_may_write_to_is_refused(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = CodeStore(tmp_path / "objects")
    store.put(KEY, CODE)
    store.folder.chmod(0o777)
    assert store.get(KEY) is None
    assert "others may write" in warnings(caplog)[0]


def test_a_file_in_place_of_the_folder_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "objects").write_text("in the way")
    store = CodeStore(tmp_path / "objects")
    for _ in range(3):
        store.put(KEY, CODE)
        assert store.get(KEY) is None
    assert len(warnings(caplog)) == 1


READ_ONLY = """
import logging, os, sys
from pathlib import Path
from adaptive.runtime.code_store import CodeStore
logging.basicConfig(stream=sys.stdout, format="%(message)s")
os.chdir(sys.argv[1])
CodeStore(Path("objects")).put("a" * 64, b"code")
os.chmod("objects", 0o500)
if os.geteuid() == 0:  # who is not bound by permissions
    for path in (".", "objects", "objects/" + "a" * 64 + ".o"):
        os.chown(path, 65534, 65534)
    os.setuid(65534)
store = CodeStore(Path("objects"))
for key in "bc":
    store.put(key * 64, b"code")
assert store.get("b" * 64) is None
assert store.get("a" * 64) == b"code"
"""


def test_a_read_only_folder_is_read(tmp_path: Path) -> None:
    assert run(READ_ONLY, tmp_path).count("no cache of compiled code") == 1


FULL_DISK = """
import logging, resource, sys
from pathlib import Path
from adaptive.runtime.code_store import CodeStore
logging.basicConfig(stream=sys.stdout, format="%(message)s")
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
store = CodeStore(Path(sys.argv[1]))
for key in "ab":
    store.put(key * 64, bytes(1000))
    assert store.get(key * 64) is None
assert not list(Path(sys.argv[1]).iterdir())
"""


def test_a_file_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    assert run(FULL_DISK, tmp_path / "objects").count("no cache of compiled code") == 1


MANY = """
import random, sys
from pathlib import Path
from adaptive.runtime.code_store import CodeStore
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
chance, hits = random.Random(seed), 0
store = CodeStore(folder, most_bytes=30_000)
sys.stdin.readline()
for turn in range(400):
    number = chance.randrange(20)
    key, content = f"{number:064x}", bytes([number]) * 2000
    found = store.get(key)
    assert found in (None, content), key
    hits += found is not None
    if found is None or chance.random() < 0.3:
        store.put(key, content)
    if chance.random() < 0.05:
        (folder / f"{chance.randrange(20):064x}.o").unlink(missing_ok=True)
print(hits)
"""


def test_processes_read_write_and_remove_at_once(tmp_path: Path) -> None:
    """Each gets whole objects only, and all stay near the limit."""
    running = [start(MANY, tmp_path / "objects", seed) for seed in range(4)]
    for process in running:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    hits = [int(finish(process)) for process in running]
    assert all(hits), hits
    files = list((tmp_path / "objects").iterdir())
    assert not [file for file in files if file.suffix != ".o"]
    assert sum(file.stat().st_size for file in files) <= 30_000 + 4 * 2100


QUERY = """
import sys
import pyarrow as pa
from adaptive.runtime import PlanRunner
from adaptive.runtime.kernels import VARIANTS
from tests.adaptive.runtime.test_runner import K, batch, plan
runner = PlanRunner(plan(K))
runner.consume(batch(1000, keys=10))
total = sum(runner.finish().column("out").to_pylist())
print([v.code.from_cache for v in VARIANTS._variants.values()], total)
"""


def test_the_next_process_does_not_compile(tmp_path: Path) -> None:
    """Whatever the seed of its hashes."""
    first = run(QUERY, KODIAK_CACHE_DIR=str(tmp_path), PYTHONHASHSEED="1")
    second = run(QUERY, KODIAK_CACHE_DIR=str(tmp_path), PYTHONHASHSEED="2")
    assert first.startswith("[False]")
    assert second == first.replace("False", "True")
    for file in (tmp_path / "objects").iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    assert run(QUERY, KODIAK_CACHE_DIR=str(tmp_path)) == first
    assert run(QUERY, KODIAK_CACHE_DIR="off") == first


@pytest.mark.parametrize(
    ("environment", "folder"),
    [
        ({"KODIAK_CACHE_DIR": "/var/k"}, "/var/k"),
        ({"KODIAK_CACHE_DIR": "/var/k", "XDG_CACHE_HOME": "/x"}, "/var/k"),
        ({"KODIAK_CACHE_DIR": "off", "XDG_CACHE_HOME": "/x"}, None),
        ({"KODIAK_CACHE_DIR": "", "XDG_CACHE_HOME": "/x"}, "/x/kodiak"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/kodiak"),
        ({}, "/home/me/.cache/kodiak"),
    ],
)
def test_where_the_folder_is(
    environment: dict[str, str], folder: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert folder_setting(environment) == (None if folder is None else Path(folder))


def test_settings_that_mean_nothing_name_the_variable() -> None:
    with pytest.raises(ValueError, match=r"KODIAK_CACHE_DIR is 'cache'.* starts with '/'"):
        folder_setting({"KODIAK_CACHE_DIR": "cache"})
    for text in ("0", "-1", "1.5", "many", "\N{SUPERSCRIPT TWO}", "9" * 5000):
        with pytest.raises(ValueError, match=r"KODIAK_CACHE_MB is .* whole number of mebibytes"):
            size_setting({"KODIAK_CACHE_MB": text})
    assert size_setting({"KODIAK_CACHE_MB": "7"}) == 7 * 2**20
    assert size_setting({}) == size_setting({"KODIAK_CACHE_MB": ""}) == 256 * 2**20
