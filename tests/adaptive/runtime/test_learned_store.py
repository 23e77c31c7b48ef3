"""The folder in which workers leave what they have learned: whatever happens to its files."""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path

import pytest

from adaptive.loop.learned import Learned
from adaptive.loop.record import kinds_of
from adaptive.runtime.code_store import CodeStore, CodeStores
from adaptive.runtime.learned_store import LearnedStore
from codegen_llvm import object_cache
from ir import GENERIC
from profiler.profile import Profile
from tests.adaptive.loop.specs import NARROW, ORDERED
from tests.processes import finish, run, start

CHOSEN = Learned(NARROW, 1, {NARROW: 0.5}, {kinds_of(ORDERED): 2}, Profile(100, groups=3))

WRITER = """
import sys
from pathlib import Path
from adaptive.loop.learned import Learned
from adaptive.runtime.learned_store import LearnedStore
store = LearnedStore(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    store.write("plan", Learned(trials=number + 1))
    assert store.read("plan") is not None
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kodiak" / "learned"


def only_file(folder: Path) -> Path:
    (file,) = folder.glob("*.json")
    return file


def test_a_new_process_reads_what_one_that_is_gone_has_written(folder: Path) -> None:
    run(WRITER, folder, 3)
    found = LearnedStore(folder).read("plan")
    assert found is not None
    assert found.learned.trials == 3
    assert found.worker.startswith("process ")
    assert found.worker != f"process {os.getpid()}"
    assert LearnedStore(folder).read("another plan") is None
    assert folder.stat().st_mode & 0o777 == 0o700


def test_what_a_process_writes_replaces_what_it_wrote(folder: Path) -> None:
    store = LearnedStore(folder)
    store.write("plan", CHOSEN)
    store.write("plan", Learned(trials=2))
    found = store.read("plan")
    assert found is not None
    assert found.learned == Learned(trials=2)
    assert len(json.loads(only_file(folder).read_text())["workers"]) == 1


def test_the_last_choice_counts_and_the_strikes_of_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LearnedStore(folder)
    written = [
        CHOSEN,
        Learned(GENERIC, 1, failed={kinds_of(NARROW): 6}),
        Learned(profile=Profile(7)),  # no trial: it has chosen nothing
    ]
    for pid, learned in enumerate(written):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        store.write("plan", learned)
    found = store.read("plan")
    assert found is not None
    assert found.worker == "process 1"
    assert found.learned == Learned(GENERIC, 1, failed={kinds_of(NARROW): 6, kinds_of(ORDERED): 2})


def test_files_are_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pid in range(100):
        monkeypatch.setattr(os, "getpid", lambda pid=pid: pid)
        LearnedStore(folder).write("plan", CHOSEN)
    assert only_file(folder).stat().st_size < 8 * 1024


def test_processes_that_write_at_once_lose_nothing(folder: Path) -> None:
    writers = [start(WRITER, folder, 30) for _ in range(3)]
    for writer in writers:
        finish(writer)
    workers = json.loads(only_file(folder).read_text())["workers"]
    assert [one["learned"]["trials"] for one in workers] == [30] * 3
    assert sorted(path.suffix for path in folder.iterdir()) == ["", ".json"]


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"format":99}', '{"format":1,"workers":[{}]}', "x" * (2 << 20)],
    ids=["empty", "cut", "other", "newer", "incomplete", "huge"],
)
def test_a_damaged_file_is_as_none_and_is_written_anew(
    folder: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = LearnedStore(folder)
    store.write("plan", CHOSEN)
    only_file(folder).write_text(content)
    with caplog.at_level(logging.WARNING):
        assert store.read("plan") is None
    assert "not used" in caplog.text
    store.write("plan", CHOSEN)
    found = store.read("plan")
    assert found is not None
    assert found.learned == CHOSEN


def test_what_is_a_day_old_is_forgotten(folder: Path) -> None:
    store = LearnedStore(folder)
    store.write("plan", CHOSEN)
    path = only_file(folder)
    document = json.loads(path.read_text())
    document["workers"][0]["at"] = time.time() - 25 * 3600
    path.write_text(json.dumps(document))
    assert store.read("plan") is None
    os.utime(path, (1, 1))
    store.write("new plan", CHOSEN)
    assert not path.exists()


def test_a_folder_that_others_may_write_to_is_not_used(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = LearnedStore(folder)
    store.write("plan", CHOSEN)
    folder.chmod(0o777)
    with caplog.at_level(logging.WARNING):
        assert store.read("plan") is None
        store.write("plan", CHOSEN)
    assert caplog.text.count("workers do not learn from each other") == 1


def test_code_is_found_in_the_store_behind_and_kept_in_both(tmp_path: Path) -> None:
    near, behind = CodeStore(tmp_path / "near"), CodeStore(tmp_path / "behind")
    both: object_cache.ObjectStore = CodeStores(near, behind)
    both.put("a", b"1")
    assert near.get("a") == behind.get("a") == b"1"
    behind.put("b", b"2")
    assert both.get("b") == near.get("b") == b"2"
    assert both.get("c") is None
    (tmp_path / "file").write_text("in the way")
    unreachable = CodeStores(near, CodeStore(tmp_path / "file" / "objects"))
    unreachable.put("d", b"3")
    assert unreachable.get("d") == b"3"
