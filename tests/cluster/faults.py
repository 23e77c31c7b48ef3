"""A policy that bets on nonsense, and kills a process in the middle of a task, once."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil

from ir import GENERIC, FilterOrder, KeysInRange, SelectRows, Tier, VariantSpec
from policies import Decision
from profiler import Profile
from tests.bets import Erratic

# Bets for one integer key; the keys of the data are 1 to 5, so the first two are wrong.
VARIANTS = (
    VariantSpec(Tier.SPECULATIVE, (KeysInRange(((2, 3),)),)),
    VariantSpec(Tier.SPECULATIVE, (KeysInRange(((40, 49),)),)),
    VariantSpec(Tier.SPECULATIVE, (KeysInRange(((0, 9),)),), (SelectRows(7), FilterOrder((0,)))),
    GENERIC,
)


@dataclass(frozen=True)
class KillOnce(Erratic):
    """Another variant for each batch of rows; whoever of all workers is first, kills."""

    victim: str = ""
    folder: str = ""  # where it is written down that it was done, and the driver's process id
    after_rows: int = 0

    def decide(self, profile: Profile) -> Decision:
        """Asked before each batch, so that this is in the middle of a task."""
        if self.victim and profile.rows >= self.after_rows and self._is_first():
            os.kill(self._process(), signal.SIGKILL)
            if self.victim != "worker":
                signal.pause()  # the end comes from outside
        return super().decide(profile)

    def _is_first(self) -> bool:
        try:
            os.close(os.open(Path(self.folder, "killed"), os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def _process(self) -> int:
        if self.victim == "driver":
            return int(Path(self.folder, "driver.pid").read_text())
        if self.victim == "executor":
            parents = psutil.Process().parents()
            return next(int(one.pid) for one in parents if "--executor-id" in one.cmdline())
        return os.getpid()
