"""Executors learn by themselves from what they see, and their new workers from the old ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ir import KeysInRange
from ir.json_form import spec_from_json
from tests.cluster.conftest import Cluster

ROWS = 1_000_000


def write(path: Path, keys: int) -> None:
    rng = np.random.default_rng(3)
    texts = pa.array(rng.integers(0, keys, ROWS).astype(str))
    pq.write_table(pa.table({"k": texts, "x": np.arange(ROWS)}), path)


def test_executors_that_see_different_data_choose_different_variants(
    cluster: Cluster, tmp_path: Path
) -> None:
    """And a worker that follows one that was killed starts with the choice of that one."""
    folder = tmp_path / "run"
    folder.mkdir()
    write(folder / "few.parquet", 500)
    write(folder / "many.parquet", 300_000)
    settings = {"cluster": str(cluster.folder)}
    result = cluster.start(folder, "learner.py", **settings).result()
    chosen = {name: spec_from_json(text) for name, text in result["judged"].items()}
    killed, executors = result["killed"], {name.split("/")[0] for name in chosen}
    assert executors == {"0", "1"}, result
    assert chosen[killed].find(KeysInRange) is not None
    for name, spec in chosen.items():
        if name.startswith("1/"):
            assert spec != chosen[killed], result
    assert result["shared"] == ["learned", "objects", "runs"]
    [follower] = [name for name in chosen if name.startswith("0/") and name != killed]
    first = next(swap for swap in result["swaps"] if swap[0] == follower)
    assert first[1] == "sibling"
    sibling = f"process {killed.split('/')[1]}, a sibling: has chosen it"
    assert any(name == follower and sibling in why for name, _, why in result["swaps"])
