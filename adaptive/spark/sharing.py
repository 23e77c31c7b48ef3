"""How many tasks share files, from the sizes of the files; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LARGEST_TASK = 1 << 30
# Half a second of native Parquet decoding is some 128 MiB: below a quarter of that,
# a second task gains less than it costs. Texts take longer.
WORTH_CUTTING = {"parquet": 32 << 20, "arrow": 128 << 20}
_TEXT_WORTH_CUTTING = 8 << 20
# Spark packs files into tasks by itself: where the largest file is less than a quarter
# of a task, its tasks are even enough.
_PART_OF_TASK = 4
LEAST_TASK = 4 << 20
# A user may ask for smaller tasks, but not for one a byte.
_LEAST_CHOSEN = 64 << 10


@dataclass(frozen=True, slots=True)
class Sharing:
    """Tasks that share the files that one task would have; 1 where Spark's own tasks will do."""

    tasks: int = 1
    least_bytes: int = 1


def worth_cutting(format_: str) -> int:
    """The size from which a file is worth more than one task."""
    return WORTH_CUTTING.get(format_, _TEXT_WORTH_CUTTING)


def sharing(sizes: Sequence[int], format_: str, cores: int, at_once: int | None) -> Sharing:
    """For files of these sizes, of which a micro-batch takes at most `at_once`."""
    largest = sorted(sizes, reverse=True)[:at_once]
    if not largest or largest[0] < worth_cutting(format_):
        return Sharing()
    total = sum(largest)
    if largest[0] * _PART_OF_TASK * cores < total:
        return Sharing()
    rounds = -(-total // (cores * LARGEST_TASK))
    return Sharing(cores * rounds, LEAST_TASK)


def chosen_sharing(sizes: Sequence[int], chosen: int) -> Sharing:
    """Where the user has set the largest size of a task: as many as the largest file needs."""
    least = max(chosen, _LEAST_CHOSEN)
    return Sharing(max(1, -(-max(sizes, default=0) // least)), least)
