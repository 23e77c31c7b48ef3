"""How threads pass the end of a window: each on its own, and the last one finalises.

A thread that passes hands over its pieces and goes on. Whoever finds that all have
passed does what is to be done, unless somebody is at it already: then that one does
it, too. So nobody waits, and what is delivered comes in the order of windows.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from adaptive.runtime.state import Table


@dataclass(frozen=True, slots=True)
class Handed:
    """Pieces of a slice, of rows that came when windows were closed up to `after`."""

    start: int
    pieces: list[Table]
    after: int | None


Deliver = Callable[[int, list[Handed]], None]
Merge = Callable[[list[Handed]], list[Handed]]


class Passage:
    """A place that participants pass in the order of windows."""

    def __init__(self, participants: int, deliver: Deliver) -> None:
        self._deliver = deliver
        self._passed: list[int | None] = [None] * participants
        self._handed: deque[Handed] = deque()
        self._delivered: int | None = None
        self._token = threading.Lock()  # of the one who delivers; nobody waits for it

    def passed(self, participant: int) -> int | None:
        """The last end of a window that a participant has passed."""
        return self._passed[participant]

    def hand_over(self, participant: int, boundary: int, handed: Sequence[Handed]) -> None:
        """Pass a window's end; what belongs to windows up to it must be handed over by now."""
        self._handed.extend(handed)
        self._passed[participant] = boundary

    def settle(self) -> None:
        """Deliver what all have passed, unless somebody else does."""
        while self._is_due() and self._token.acquire(blocking=False):
            try:
                self._deliver_due()
            finally:
                self._token.release()
            # Whoever found the token taken meanwhile has left its share to us.

    def drain(self) -> list[Handed]:
        """What was handed over and not delivered; nobody passes any more."""
        rest = list(self._handed)
        self._handed.clear()
        return rest

    def _deliver_due(self) -> None:
        boundary = self._all_passed()
        if boundary is None or (self._delivered is not None and boundary <= self._delivered):
            return
        handed = [self._handed.popleft() for _ in range(len(self._handed))]
        self._delivered = boundary
        self._deliver(boundary, handed)

    def _is_due(self) -> bool:
        boundary = self._all_passed()
        return boundary is not None and (self._delivered is None or boundary > self._delivered)

    def _all_passed(self) -> int | None:
        least: int | None = None
        for boundary in self._passed:
            if boundary is None:
                return None
            least = boundary if least is None else min(least, boundary)
        return least


class NodePassage:
    """A passage of threads on several NUMA nodes: the last thread of each node merges its state.

    So what crosses from node to node is one piece of each slice, and not one for
    each thread.
    """

    def __init__(self, nodes: Sequence[Sequence[int]], merge: Merge, deliver: Deliver) -> None:
        self._places = {
            thread: (node, place)
            for node, threads in enumerate(nodes)
            for place, thread in enumerate(threads)
        }
        self._merge = merge
        self._all = Passage(len(nodes), deliver)
        self._nodes = [
            Passage(len(threads), partial(self._deliver_node, node))
            for node, threads in enumerate(nodes)
        ]

    def passed(self, participant: int) -> int | None:
        """The last end of a window that a thread has passed."""
        node, place = self._places[participant]
        return self._nodes[node].passed(place)

    def hand_over(self, participant: int, boundary: int, handed: Sequence[Handed]) -> None:
        """A thread passes a window's end."""
        node, place = self._places[participant]
        self._nodes[node].hand_over(place, boundary, handed)

    def settle(self) -> None:
        """Merge what all threads of a node have passed, and deliver what all nodes have."""
        for node in self._nodes:
            node.settle()
        self._all.settle()

    def drain(self) -> list[Handed]:
        """What was handed over and not delivered, merged by node."""
        return [h for node in self._nodes for h in self._merge(node.drain())] + self._all.drain()

    def _deliver_node(self, node: int, boundary: int, handed: list[Handed]) -> None:
        self._all.hand_over(node, boundary, self._merge(handed))


def passage(
    nodes: Sequence[Sequence[int]], merge: Merge, deliver: Deliver
) -> Passage | NodePassage:
    """The passage for threads on these nodes."""
    if len(nodes) == 1:
        return Passage(len(nodes[0]), deliver)
    return NodePassage(nodes, merge, deliver)
