"""Compiled variants, kept for as long as the process may need them again."""

from __future__ import annotations

import logging
import os
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from dataclasses import replace
from typing import TypeAlias, TypeVar
from weakref import WeakSet

from adaptive.runtime.background import BackgroundThread
from adaptive.runtime.bans import BAN_LIST, VariantBanned, variant_key
from adaptive.runtime.stores import ensure_stores
from codegen_llvm import CompiledVariant, InputLayout, Program, SlotLayout, compile_variant
from ir import GENERIC, KeysInRange, ShareGroups, Tier, VariantSpec

_MOST_VARIANTS = 256

logger = logging.getLogger(__name__)

# Without a layout of groups, rows are written and not grouped.
Key = tuple[Program, InputLayout, SlotLayout | None, VariantSpec]
# Gets the variant and "", or None and why there is none.
Done: TypeAlias = Callable[[CompiledVariant | None, str], None]


_V = TypeVar("_V")


def code_spec(spec: VariantSpec) -> VariantSpec:
    """What the machine code of a variant depends on, besides the layout of groups.

    That layout says by itself whether groups are dense or shared. Ranges of keys are data, those
    of values decide which checks there are.
    """
    if not spec.assumptions and spec.hints == GENERIC.hints:
        return GENERIC  # also the instrumented one: what it samples is sampled beside it
    kept = tuple(one for one in spec.assumptions if not isinstance(one, KeysInRange))
    hints = tuple(one for one in spec.hints if not isinstance(one, ShareGroups))
    return replace(spec, tier=Tier.SPECULATIVE, assumptions=kept, hints=hints)


class VariantCache:
    """The most recently used variants of all queries in this process.

    A variant that is dropped here lives on for those that still hold it: the object
    owns its machine code, and whoever runs it holds the object.
    """

    def __init__(self, most: int = _MOST_VARIANTS) -> None:
        self._most = most
        self._variants: OrderedDict[Key, CompiledVariant] = OrderedDict()
        self._names: OrderedDict[Key, str] = OrderedDict()
        self._background = BackgroundThread("kodiak-compiler")
        self.renew_locks()
        _CACHES.add(self)

    def get(
        self, program: Program, layout: InputLayout, slots: SlotLayout | None, spec: VariantSpec
    ) -> CompiledVariant:
        """A variant, compiled if it is not here yet; only those who want the same one wait.

        Raises `VariantBanned` for one that has crashed a process.
        """
        key = (program, layout, slots, spec)
        self._refuse_banned(key)
        while True:
            with self._lock:
                variant = self._find(key)
                if variant is not None:
                    return variant
                coming, mine = self._coming.get(key), False
                if coming is None:
                    coming, mine = self._coming.setdefault(key, Future()), True
            if mine:
                self._compile(key, coming)
            with suppress(CancelledError):  # the thread that compiled it was interrupted
                return coming.result()

    def ready(
        self, program: Program, layout: InputLayout, slots: SlotLayout | None, spec: VariantSpec
    ) -> CompiledVariant | None:
        """A variant if it is here already; raises `VariantBanned` as `get` does."""
        key = (program, layout, slots, spec)
        self._refuse_banned(key)
        with self._lock:
            return self._find(key)

    def request(
        self,
        program: Program,
        layout: InputLayout,
        slots: SlotLayout | None,
        spec: VariantSpec,
        done: Done,
    ) -> None:
        """Make a variant ready without waiting; another thread calls `done` in any case."""

        def work() -> None:
            try:
                variant = self.get(program, layout, slots, spec)
            except Exception as error:
                if not isinstance(error, VariantBanned):
                    logger.exception("a %s variant was not compiled", spec.tier.value)
                done(None, str(error) or type(error).__name__)
            else:
                done(variant, "")

        self._background.add(work)

    def later(self, work: Callable[[], None]) -> None:
        """Do something behind the requests, on the same thread."""
        self._background.add(work)

    def name(
        self, program: Program, layout: InputLayout, slots: SlotLayout | None, spec: VariantSpec
    ) -> str:
        """What journals and bans call a variant; see `variant_key`."""
        return self._name((program, layout, slots, spec))

    def close(self) -> None:
        """End the background thread; what it has begun is finished, what waits is dropped."""
        self._background.end()

    def renew_locks(self) -> None:
        """In a forked child: threads that held a lock, or were compiling, are not here."""
        self._lock = threading.Lock()
        self._coming: dict[Key, Future[CompiledVariant]] = {}

    def _find(self, key: Key) -> CompiledVariant | None:
        variant = self._variants.get(key)
        if variant is not None:
            self._variants.move_to_end(key)
        return variant

    def _compile(self, key: Key, coming: Future[CompiledVariant]) -> None:
        """Compile a variant for all who wait for it."""
        try:
            ensure_stores()
            variant = compile_variant(*key)
        except BaseException as error:
            with self._lock:
                self._coming.pop(key, None)
            if not isinstance(error, Exception):
                coming.cancel()
                raise
            coming.set_exception(error)
            return
        _report(variant)
        with self._lock:
            self._coming.pop(key, None)
            self._variants[key] = variant
            dropped = _trim(self._variants, self._most)
        coming.set_result(variant)
        del dropped  # outside of the lock: LLVM takes its time to free code

    def _refuse_banned(self, key: Key) -> None:
        if key[3].tier is not Tier.GENERIC:
            ensure_stores()
            reason = BAN_LIST.is_banned(self._name(key))
            if reason is not None:
                raise VariantBanned(reason)

    def _name(self, key: Key) -> str:
        """Kept, because hashing a program's text takes a hundred times as long as finding it."""
        name = self._names.get(key)
        if name is None:
            name = variant_key(*key)
            with self._lock:
                self._names[key] = name
                _trim(self._names, 4 * self._most)
        return name


_CACHES: WeakSet[VariantCache] = WeakSet()


def _trim(kept: OrderedDict[Key, _V], most: int) -> list[_V]:
    """Take the longest unused out, until there are no more than `most`."""
    return [kept.popitem(last=False)[1] for _ in range(len(kept) - most)]


def _report(variant: CompiledVariant) -> None:
    code = variant.code
    logger.info(
        "%s a %s variant in %.0f ms (optimised in %.0f, linked in %.0f)",
        "loaded" if code.from_cache else "compiled",
        variant.spec.tier.value,
        variant.compile_ns / 1e6,
        code.optimize_ns / 1e6,
        code.link_ns / 1e6,
    )


def _after_fork() -> None:
    for cache in list(_CACHES):
        cache.renew_locks()


os.register_at_fork(after_in_child=_after_fork)

VARIANTS = VariantCache()
