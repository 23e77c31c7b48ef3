"""Compiled variants, kept for as long as the process may need them again."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict

from codegen_llvm import CompiledVariant, InputLayout, SlotLayout, compile_variant
from ir import VariantSpec
from ir.pipelines import RowProgram

_MOST_VARIANTS = 256

logger = logging.getLogger(__name__)

Key = tuple[RowProgram, InputLayout, SlotLayout, VariantSpec]


class VariantCache:
    """The most recently used variants of all queries in this process."""

    def __init__(self, most: int = _MOST_VARIANTS) -> None:
        self._most = most
        self._variants: OrderedDict[Key, CompiledVariant] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self, program: RowProgram, layout: InputLayout, slots: SlotLayout, spec: VariantSpec
    ) -> CompiledVariant:
        """A variant, compiled if it is not here yet."""
        key = (program, layout, slots, spec)
        with self._lock:
            if key not in self._variants:
                self._variants[key] = compile_variant(program, layout, slots, spec)
                _report(self._variants[key])
            self._variants.move_to_end(key)
            while len(self._variants) > self._most:
                self._variants.popitem(last=False)
            return self._variants[key]


def _report(variant: CompiledVariant) -> None:
    code = variant.code
    logger.info(
        "compiled a %s variant in %.0f ms (optimised in %.0f, linked in %.0f)",
        variant.spec.tier.value,
        variant.compile_ns / 1e6,
        code.optimize_ns / 1e6,
        code.link_ns / 1e6,
    )


VARIANTS = VariantCache()
