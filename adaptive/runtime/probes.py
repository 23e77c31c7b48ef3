"""Compiled probes, kept for as long as the process may need them again."""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable

from adaptive.runtime.kernels import VARIANTS
from adaptive.runtime.stores import ensure_stores
from codegen_llvm import InputLayout
from codegen_llvm.probe import CompiledProbe, compile_probe
from ir.pipelines import RowProgram

_MOST_PROBES = 64

logger = logging.getLogger(__name__)

Key = tuple[RowProgram, InputLayout]


class ProbeCache:
    """The most recently used probes of all queries in this process."""

    def __init__(self) -> None:
        self._probes: OrderedDict[Key, CompiledProbe] = OrderedDict()
        self.renew_lock()

    def ready(self, program: RowProgram, layout: InputLayout) -> CompiledProbe | None:
        """A probe if it is here already."""
        with self._lock:
            return self._probes.get((program, layout))

    def request(
        self, program: RowProgram, layout: InputLayout, done: Callable[[str], None]
    ) -> None:
        """Make a probe ready without waiting; `done` gets why there is none, or nothing."""

        def work() -> None:
            if self.ready(program, layout) is None:
                try:
                    ensure_stores()
                    self._keep((program, layout), compile_probe(program, layout))
                except Exception as error:
                    logger.exception("a probe was not compiled")
                    done(str(error) or type(error).__name__)
                    return
            done("")

        VARIANTS.later(work)

    def renew_lock(self) -> None:
        """In a forked child: a thread that held the lock is not here."""
        self._lock = threading.Lock()

    def _keep(self, key: Key, probe: CompiledProbe) -> None:
        with self._lock:
            self._probes[key] = probe
            while len(self._probes) > _MOST_PROBES:
                self._probes.popitem(last=False)


PROBES = ProbeCache()
os.register_at_fork(after_in_child=PROBES.renew_lock)
