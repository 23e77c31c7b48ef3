"""Topologies of machines that are not this one, and of this one."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

from adaptive.engine.topology import Node, Placement, Topology, by_node, parse_cpus, pin

TWO_NODES = Topology((Node(0, (0, 1)), Node(1, (2, 3))))


def write_nodes(
    folder: Path, nodes: dict[int, str], siblings: dict[int, str] | None = None
) -> Path:
    """A folder as the kernel shows nodes."""
    for number, cpus in nodes.items():
        node = folder / f"node{number}"
        node.mkdir(parents=True)
        (node / "cpulist").write_text(cpus + "\n")
        for cpu in parse_cpus(cpus):
            core = node / f"cpu{cpu}" / "topology"
            core.mkdir(parents=True)
            (core / "thread_siblings_list").write_text((siblings or {}).get(cpu, str(cpu)) + "\n")
    (folder / "online").write_text("0\n")
    return folder


@pytest.mark.parametrize(
    ("text", "cpus"),
    [("0\n", [0]), ("0-2,5", [0, 1, 2, 5]), ("8,10-11\n", [8, 10, 11]), ("\n", [])],
)
def test_lists_of_cpus(text: str, cpus: list[int]) -> None:
    """As the kernel writes them; a node without CPUs has an empty one."""
    assert parse_cpus(text) == cpus


def test_two_nodes(tmp_path: Path) -> None:
    """Threads fill a node before the next, a core each before they share one."""
    folder = write_nodes(
        tmp_path,
        {0: "0-3", 1: "4-7", 10: ""},
        {0: "0,2", 2: "0,2", 1: "1,3", 3: "1,3"},
    )
    topology = Topology.detect(folder, range(8))
    assert topology == Topology((Node(0, (0, 1, 2, 3)), Node(1, (4, 5, 6, 7))))
    interleaved = write_nodes(tmp_path / "b", {0: "0-3"}, {0: "0-1", 1: "0-1", 2: "2-3", 3: "2-3"})
    assert Topology.detect(interleaved, range(4)).nodes == (Node(0, (0, 2, 1, 3)),)


def test_only_cpus_that_may_be_used(tmp_path: Path) -> None:
    """A cpuset may leave out some CPUs, or all of a node."""
    folder = write_nodes(tmp_path, {0: "0-3", 1: "4-7", 2: "8-11"})
    topology = Topology.detect(folder, [1, 3, 9])
    assert topology == Topology((Node(0, (1, 3)), Node(2, (9,))))
    assert topology.cpus == 3


@pytest.mark.parametrize("nodes", [{}, {0: "0-1"}])
def test_without_information_all_is_one_node(tmp_path: Path, nodes: dict[int, str]) -> None:
    """A container may hide the nodes, or show some that do not have its CPUs."""
    folder = write_nodes(tmp_path / "node", nodes) if nodes else tmp_path / "missing"
    topology = Topology.detect(folder, [4, 2])
    assert topology.nodes == (Node(0, (2, 4)),)
    assert topology.reason is not None
    assert str(folder) in topology.reason


def test_threads_are_assigned_node_by_node() -> None:
    """Few threads share one memory; more threads than CPUs start again."""
    places = [Placement(0, 0), Placement(0, 1), Placement(1, 2), Placement(1, 3)]
    assert TWO_NODES.assign(0) == []
    assert TWO_NODES.assign(2) == places[:2]
    assert TWO_NODES.assign(3) == places[:3]
    assert TWO_NODES.assign(6) == [*places, *places[:2]]


def test_pieces_are_merged_by_node() -> None:
    """Whatever the order of threads, those of a node come together."""
    assert by_node(TWO_NODES.assign(3)) == [[0, 1], [2]]
    assert by_node(TWO_NODES.assign(6)) == [[0, 1, 4, 5], [2, 3]]
    assert by_node([Placement(1, 2), Placement(0, 0), Placement(1, 3)]) == [[1], [0, 2]]
    assert by_node([]) == []


def test_a_topology_needs_a_cpu() -> None:
    """Else there is no place for a thread."""
    with pytest.raises(ValueError, match="needs a CPU"):
        Topology((Node(0, ()),))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux pins threads")
def test_this_machine() -> None:
    """A thread is pinned where the plan says, and only that thread."""
    before = os.sched_getaffinity(0)
    topology = Topology.detect()
    assert {cpu for node in topology.nodes for cpu in node.cpus} == before
    place = topology.assign(topology.cpus)[-1]
    found: list[object] = []

    def run() -> None:
        found.extend((pin([place.cpu]), os.sched_getaffinity(threading.get_native_id())))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [None, {place.cpu}]
    assert os.sched_getaffinity(0) == before


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux pins threads")
def test_why_a_thread_is_not_pinned() -> None:
    """A CPU that is not there is a reason, not an error."""
    reason = pin([1000])
    assert reason is not None
    assert "CPU 1000" in reason


def test_other_systems(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing is pinned, all CPUs are one node."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert pin([0]) == "threads cannot be pinned on darwin"
    assert Topology.detect(tmp_path).cpus == os.cpu_count()
