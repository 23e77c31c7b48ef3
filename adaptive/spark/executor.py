"""What the Python workers of one executor share: a folder that lives as long as the executor."""

from __future__ import annotations

import os
from dataclasses import is_dataclass
from pathlib import Path

from adaptive.loop.events import SiblingLearned
from adaptive.loop.learned import Learned
from adaptive.runtime.adaptation import Adaptation, AdaptiveLoop
from adaptive.runtime.learned_store import LearnedStore
from adaptive.runtime.stores import is_off, open_shared_stores
from policies import Policy

LOCAL_DIRS = "SPARK_LOCAL_DIRS"  # Spark sets it for workers: each executor has folders of its own


def executor_folder() -> Path | None:
    """Kodiak's part of the executor's local directory; None outside of Spark, or without cache."""
    first = os.environ.get(LOCAL_DIRS, "").split(",")[0]
    return None if not first or is_off(os.environ) else Path(first) / "kodiak"


class Siblings:
    """What workers of this executor know of a plan, those that are gone included."""

    def __init__(self, plan_json: str, policy: Policy | None) -> None:
        folder = executor_folder()
        # What does not say what it is, by its text, could be taken for another one.
        is_named = policy is None or is_dataclass(policy)
        self._program = f"{policy!r}\n{plan_json}"
        self._store: LearnedStore | None = None
        self._written = Learned()
        if folder is not None:
            open_shared_stores(folder)
            self._store = LearnedStore(folder / "learned") if is_named else None

    def known(self) -> SiblingLearned | None:
        """What a new worker starts from."""
        return None if self._store is None else self._store.read(self._program)

    def tell(self, loop: Adaptation) -> None:
        """Leave what a loop has learned, if that is new; to write it took 1 to 7 ms."""
        if self._store is None or not isinstance(loop, AdaptiveLoop):
            return
        learned = loop.learned
        if learned.is_worth_telling and learned != self._written:
            self._store.write(self._program, learned)
            self._written = learned
