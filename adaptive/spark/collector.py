"""Python's garbage collector in Spark's workers, which run it in full after every task.

It goes through all objects that a process holds, and what the modules of a worker are made of
stays for good: some 35 ms of CPU for each task, where a task of 100,000 rows takes 7 to 9 ms
itself. So a task begins by setting apart what the collection after the one before it has left.
"""

from __future__ import annotations

import gc
from itertools import count

# After so many tasks, what was set apart is looked at again: some of it is garbage by then, what
# a compiler was building when a task began, for one.
EVERY = 64

_tasks = count()


def set_lasting_apart() -> None:
    """For a task at its start: Spark's next collection is of objects that come from now on.

    Outside of Spark's workers, the collector is others' business.
    """
    if not _is_worker():
        return
    if next(_tasks) % EVERY == EVERY - 1:
        gc.unfreeze()
    else:
        gc.freeze()


def _is_worker() -> bool:
    from pyspark import TaskContext

    return TaskContext.get() is not None
