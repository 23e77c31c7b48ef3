"""NUMA nodes and their CPUs: where threads run, and whose state is merged with whose first."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_NODES = Path("/sys/devices/system/node")


@dataclass(frozen=True, slots=True)
class Node:
    """The CPUs that share a memory and that this process may use, one a core first."""

    number: int
    cpus: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a thread runs."""

    node: int
    cpu: int


@dataclass(frozen=True, slots=True)
class Topology:
    """The nodes of a machine; `reason` says why they may not be the real ones."""

    nodes: tuple[Node, ...]
    reason: str | None = None

    def __post_init__(self) -> None:
        if not any(node.cpus for node in self.nodes):
            raise ValueError("a topology needs a CPU: give a node some, or use Topology.detect()")

    @classmethod
    def detect(cls, folder: Path = _NODES, allowed: Iterable[int] | None = None) -> Topology:
        """What the kernel says of this machine, as far as this process may use it.

        Containers often hide the nodes, or show those of CPUs that are not
        theirs; the CPUs that a process may use already respect its cpuset.
        """
        usable = frozenset(_usable_cpus() if allowed is None else allowed)
        nodes = tuple(_nodes(folder, usable))
        if usable == {cpu for node in nodes for cpu in node.cpus}:
            return cls(nodes)
        return cls(
            (Node(0, tuple(sorted(usable))),),
            f"{folder} does not say on which node all CPUs are: they count as one",
        )

    @property
    def cpus(self) -> int:
        """How many CPUs there are."""
        return sum(len(node.cpus) for node in self.nodes)

    def assign(self, threads: int) -> list[Placement]:
        """A place for each thread, node by node, so that few threads share one memory.

        Threads beyond the CPUs start again with the first one.
        """
        places = [Placement(node.number, cpu) for node in self.nodes for cpu in node.cpus]
        return [places[thread % len(places)] for thread in range(threads)]

    def affinity(self, places: Sequence[Placement]) -> list[frozenset[int]]:
        """The CPUs that each thread is kept on.

        Threads for all CPUs get one each. Fewer may run anywhere on their node:
        another process with as few threads would be given the same CPUs.
        """
        if len(places) == self.cpus:
            return [frozenset((place.cpu,)) for place in places]
        nodes = {node.number: frozenset(node.cpus) for node in self.nodes}
        return [nodes[place.node] for place in places]


def by_node(placements: Sequence[Placement]) -> list[list[int]]:
    """The numbers of the threads on each node.

    State that is merged within these first crosses from node to node only once.
    """
    groups: dict[int, list[int]] = {}
    for thread, place in enumerate(placements):
        groups.setdefault(place.node, []).append(thread)
    return [groups[node] for node in sorted(groups)]


def pin(cpus: Iterable[int]) -> str | None:
    """Keep the calling thread on some CPUs; returns the reason if that is not possible."""
    if sys.platform != "linux":
        return f"threads cannot be pinned on {sys.platform}"
    wanted = sorted(cpus)
    try:
        os.sched_setaffinity(threading.get_native_id(), wanted)
    except OSError as error:
        listed = ", ".join(map(str, wanted))
        return f"no thread can be pinned to CPU {listed}: {error.strerror}"
    return None


def parse_cpus(text: str) -> list[int]:
    """The CPUs of a list as the kernel writes it: `0-3,8,10-11`."""
    cpus: list[int] = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        cpus += range(int(first), int(last or first) + 1)
    return cpus


def _usable_cpus() -> Iterable[int]:
    if sys.platform == "linux":
        return os.sched_getaffinity(0)
    return range(os.cpu_count() or 1)


def _nodes(folder: Path, usable: frozenset[int]) -> Iterable[Node]:
    """The nodes with a usable CPU; a node may also have memory only."""
    numbered = ((path.name.removeprefix("node"), path) for path in folder.glob("node[0-9]*"))
    for number, path in sorted((int(name), path) for name, path in numbered):
        cpus = _read(path / "cpulist")
        mine = [cpu for cpu in parse_cpus(cpus or "") if cpu in usable]
        if mine:
            yield Node(number, tuple(_cores_first(path, mine)))


def _cores_first(node: Path, cpus: list[int]) -> list[int]:
    """One CPU of each core, then their siblings: two threads on a core share its units."""

    def rank(cpu: int) -> tuple[int, int]:
        siblings = parse_cpus(_read(node / f"cpu{cpu}" / "topology/thread_siblings_list") or "")
        return (siblings.index(cpu) if cpu in siblings else 0, cpu)

    return sorted(cpus, key=rank)


def _read(path: Path) -> str | None:
    try:
        return path.read_text()
    except OSError:
        return None
