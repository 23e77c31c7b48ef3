"""The script that starts the cluster: what it says, and where the cluster listens."""

from __future__ import annotations

import subprocess
from ipaddress import ip_address
from pathlib import Path

import psutil

from tests.cluster.conftest import SCRIPT, Cluster


def call(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPT, *arguments], capture_output=True, text=True, check=False)


def test_it_says_whether_the_cluster_runs(cluster: Cluster, tmp_path: Path) -> None:
    assert call("status", str(cluster.folder)).stdout.strip() == cluster.url
    again = call("start", str(cluster.folder))
    assert again.returncode == 1
    assert "running already" in again.stderr
    missing = call("status", str(tmp_path))
    assert missing.returncode == 1
    assert "master is not running" in missing.stderr
    assert call("stop", str(tmp_path)).returncode == 0  # nothing to do
    assert call("restart").returncode == 2


def test_master_and_workers_listen_on_loopback_only(cluster: Cluster) -> None:
    pids = [int(path.read_text()) for path in cluster.folder.glob("*.pid")]
    assert len(pids) == 3
    for pid in pids:
        sockets = psutil.Process(pid).net_connections()
        listening = [ip_address(one.laddr.ip) for one in sockets if one.status == "LISTEN"]
        assert listening
        for address in listening:
            mapped = getattr(address, "ipv4_mapped", None)
            assert (mapped or address).is_loopback
