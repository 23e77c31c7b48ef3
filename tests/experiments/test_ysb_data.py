"""The YSB generator: deterministic, complete or absent, readable by Spark, clear about errors."""

from __future__ import annotations

import errno
import hashlib
import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from adaptive.demo import ysb_data
from adaptive.demo.ysb_data import MANIFEST, SCHEMA, START_US, generate, ysb_batch


def digest(directory: Path) -> dict[str, str]:
    files = sorted(directory.glob("*.parquet"))
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def modified(directory: Path) -> dict[str, int]:
    return {p.name: p.stat().st_mtime_ns for p in directory.iterdir()}


def test_the_same_parameters_give_the_same_bytes(tmp_path: Path) -> None:
    generate(tmp_path / "a", rows=10_000, files=3, seed=7)
    generate(tmp_path / "b", rows=10_000, files=3, seed=7)
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    assert len(digest(tmp_path / "a")) == 3


def test_another_seed_gives_other_data(tmp_path: Path) -> None:
    generate(tmp_path / "a", rows=1_000, files=1, seed=1)
    generate(tmp_path / "b", rows=1_000, files=1, seed=2)
    assert digest(tmp_path / "a") != digest(tmp_path / "b")


def test_files_hold_all_rows_in_order_of_time(tmp_path: Path) -> None:
    generate(tmp_path, rows=10_001, files=4, keys=50)
    table = pq.read_table(tmp_path)
    times = table["event_time"].cast(pa.int64()).to_pylist()
    assert table.num_rows == 10_001
    assert times == sorted(times)
    assert times[0] == START_US
    assert set(table["campaign_id"].to_pylist()) == set(range(50))
    assert set(table["value"].to_pylist()) == set(range(100))


def test_event_types_are_uniform() -> None:
    counts = Counter(ysb_batch(30_000)["event_type"].to_pylist())
    assert set(counts) == {"view", "click", "purchase"}
    assert all(9_500 < count < 10_500 for count in counts.values())


def test_parquet_has_the_types_that_spark_expects(tmp_path: Path) -> None:
    """TimestampType needs isAdjustedToUTC; event_type is a dictionary-encoded string."""
    generate(tmp_path, rows=1_000, files=1)
    file = pq.ParquetFile(tmp_path / "ysb-00000.parquet")
    assert file.schema_arrow.equals(SCHEMA)
    assert "isAdjustedToUTC=true, timeUnit=microseconds" in str(file.schema)
    assert file.metadata.row_group(0).column(0).has_dictionary_page
    assert file.metadata.row_group(0).column(0).compression == "SNAPPY"
    read = pq.read_table(tmp_path, read_dictionary=["event_type"])
    assert pa.types.is_dictionary(read.schema.field("event_type").type)


def test_row_groups_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ysb_data, "ROW_GROUP_ROWS", 400)
    generate(tmp_path, rows=1_000, files=1)
    metadata = pq.ParquetFile(tmp_path / "ysb-00000.parquet").metadata
    assert [metadata.row_group(i).num_rows for i in range(3)] == [400, 400, 200]


def test_a_complete_data_set_is_reused(tmp_path: Path) -> None:
    generate(tmp_path, rows=1_000, files=2)
    before = modified(tmp_path)
    done: list[int] = []
    generate(tmp_path, rows=1_000, files=2, progress=done.append)
    assert modified(tmp_path) == before
    assert done == [1_000]


def test_other_parameters_replace_the_data_set(tmp_path: Path) -> None:
    generate(tmp_path, rows=1_000, files=5)
    generate(tmp_path, rows=2_000, files=2)
    assert len(digest(tmp_path)) == 2
    assert pq.read_table(tmp_path).num_rows == 2_000
    assert json.loads((tmp_path / MANIFEST).read_text())["parameters"]["rows"] == 2_000


def damage_no_manifest(directory: Path) -> None:
    (directory / MANIFEST).unlink()


def damage_broken_manifest(directory: Path) -> None:
    (directory / MANIFEST).write_text('{"version": 1, "parameters"')


def damage_odd_manifest(directory: Path) -> None:
    (directory / MANIFEST).write_text("[]")


def damage_missing_file(directory: Path) -> None:
    (directory / "ysb-00001.parquet").unlink()


def damage_cut_file(directory: Path) -> None:
    (directory / "ysb-00001.parquet").write_bytes(b"PAR1")


@pytest.mark.parametrize(
    "damage",
    [
        damage_no_manifest,
        damage_broken_manifest,
        damage_odd_manifest,
        damage_missing_file,
        damage_cut_file,
    ],
)
def test_an_incomplete_data_set_is_made_again(tmp_path: Path, damage) -> None:  # type: ignore[no-untyped-def]
    generate(tmp_path, rows=1_000, files=2)
    before = digest(tmp_path)
    damage(tmp_path)
    generate(tmp_path, rows=1_000, files=2)
    assert digest(tmp_path) == before


def test_an_interrupted_run_leaves_no_manifest(tmp_path: Path) -> None:
    def interrupt(done: int) -> None:
        if done > 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(tmp_path, rows=1_000, files=2, progress=interrupt)
    assert [p.name for p in tmp_path.iterdir()] == ["ysb-00000.parquet"]


def test_progress_counts_rows(tmp_path: Path) -> None:
    done: list[int] = []
    generate(tmp_path, rows=1_000, files=4, progress=done.append)
    assert done == [250, 500, 750, 1_000]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rows": 0}, "rows must be positive, got 0"),
        ({"rows": 10, "files": 0}, "files must be positive"),
        ({"rows": 10, "keys": -1}, "keys must be positive"),
        ({"rows": 3, "files": 4}, "4 files need at least as many rows"),
        ({"rows": 10, "seed": -1}, "seed must not be negative"),
    ],
)
def test_bad_arguments_are_named(tmp_path: Path, arguments: dict[str, int], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        generate(tmp_path / "data", **arguments)
    assert not (tmp_path / "data").exists()


def test_a_file_is_not_a_directory(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.touch()
    with pytest.raises(NotADirectoryError, match="data is a file"):
        generate(path, rows=10, files=1)


def test_foreign_files_are_not_mixed_in_or_deleted(tmp_path: Path) -> None:
    (tmp_path / "mine.parquet").touch()
    with pytest.raises(FileExistsError, match=r"holds mine\.parquet"):
        generate(tmp_path, rows=10, files=1)
    assert (tmp_path / "mine.parquet").exists()


def test_a_full_disk_names_directory_and_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ysb_data.shutil, "disk_usage", lambda _: SimpleNamespace(free=10))
    with pytest.raises(OSError, match="rows need about 12,000 bytes, 10 are free") as caught:
        generate(tmp_path, rows=1_000, files=1)
    assert caught.value.errno == errno.ENOSPC
    assert str(tmp_path) in str(caught.value)


def test_a_disk_that_fills_meanwhile_is_reported_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(ysb_data, "_part", no_space)
    with pytest.raises(OSError, match="not enough disk space in"):
        generate(tmp_path, rows=1_000, files=1)
    assert list(tmp_path.iterdir()) == []


def test_batches_of_one_stream_differ() -> None:
    first = ysb_batch(1_000)
    second = ysb_batch(1_000, start_us=START_US + 2_500)
    assert not first["campaign_id"].equals(second["campaign_id"])
    assert second["event_time"][0].value == START_US + 2_500


def test_both_encodings_hold_the_same_events() -> None:
    plain = ysb_batch(1_000, dictionary=False)
    coded = ysb_batch(1_000, dictionary=True)
    assert plain.schema.equals(SCHEMA)
    assert coded.to_pylist() == plain.to_pylist()
