"""What runs natively, what stays in Spark, and why: the data behind `ad.explain`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MERGE = "shuffle and merge partials"  # the last of what Spark does for a native aggregate


class StaysInSpark(Exception):
    """A construct that the native path does not take; the text says what and what to change."""


class CannotAdaptError(RuntimeError):
    """Raised by `mode="always"` where the query, or a part of it, stays in Spark."""

    def __init__(self, explanation: Explanation) -> None:
        super().__init__(f'mode="always", but not all of the query runs natively:\n{explanation}')
        self.explanation = explanation

    def __reduce__(self) -> tuple[type[CannotAdaptError], tuple[Explanation]]:
        return (CannotAdaptError, (self.explanation,))


@dataclass(frozen=True, slots=True)
class PlanNode:
    """An operator of the query, or what Spark does for a native one, and all that is below it."""

    text: str
    native: bool
    reason: str  # why it is where it is; the same for all of a part
    operator: str = ""  # the kind of an operator of the query; empty for what Spark does besides
    children: tuple[PlanNode, ...] = ()

    def walk(self) -> Iterator[PlanNode]:
        """This one and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def lines(self, depth: int = 0, above: str = "") -> Iterator[str]:
        """The tree as text; a reason is told where a part begins."""
        branch = "   " * (depth - 1) + "+- " if depth else ""
        why = f"  ({self.reason})" if self.reason and self.reason != above else ""
        yield f"{'native' if self.native else 'Spark':6}  {branch}{self.text}{why}"
        for child in self.children:
            yield from child.lines(depth + 1, self.reason)


@dataclass(frozen=True, slots=True)
class Fragment:
    """One aggregate of the query: what of it is native, what stays in Spark, and why."""

    name: str
    native: tuple[str, ...] = ()  # operators, in the order in which rows meet them
    kept: tuple[str, ...] = ()  # what Spark does for this aggregate
    reasons: tuple[str, ...] = ()  # why nothing is native; empty when the fragment is

    @property
    def is_native(self) -> bool:
        """Whether the native path took this aggregate over."""
        return bool(self.native)

    @property
    def own(self) -> tuple[str, ...]:
        """What Spark does for the native part, without the operators above it."""
        end = self.kept.index(MERGE) + 1 if MERGE in self.kept else len(self.kept)
        return self.kept[:end]

    def __str__(self) -> str:
        lines = [f"{self.name}: {'native' if self.is_native else 'stays in Spark'}"]
        lines += [f"  native  {text}" for text in self.native]
        lines += [f"  Spark   {text}" for text in self.kept]
        lines += [f"  why     {text}" for text in self.reasons]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of a query; `str()` is a readable tree, `fragments` and `tree` are the data."""

    fragments: tuple[Fragment, ...] = ()
    reasons: tuple[str, ...] = ()  # why there is no fragment to look at
    tree: PlanNode | None = None  # the query's plan, where Spark shows it

    @property
    def is_native(self) -> bool:
        """Whether any part of the query runs natively."""
        return any(fragment.is_native for fragment in self.fragments)

    @property
    def is_fully_native(self) -> bool:
        """Whether every aggregate of the query that could be looked at runs natively."""
        return self.is_native and all(fragment.is_native for fragment in self.fragments)

    @property
    def all_reasons(self) -> tuple[str, ...]:
        """Every reason for which something stays in Spark."""
        return self.reasons + tuple(r for fragment in self.fragments for r in fragment.reasons)

    @property
    def operators(self) -> tuple[PlanNode, ...]:
        """The operators of the query, from the last one down to the sources."""
        return tuple(node for node in self.tree.walk() if node.operator) if self.tree else ()

    @property
    def summary(self) -> str:
        """One line: how much of the query is native, and what Spark keeps."""
        if not self.operators:
            return "nothing runs natively"
        native = [node for node in self.operators if node.native]
        kept = dict.fromkeys(node.operator for node in self.operators if not node.native)
        parts = [f"{len(native)} of {len(self.operators)} operators native"]
        parts += ["scan fused"] if any(node.operator == "scan" for node in native) else []
        parts += [f"kept in Spark: {', '.join(kept)}"] if kept else []
        return "; ".join(parts)

    def __str__(self) -> str:
        told = self.tree.lines() if self.tree else (f"why     {text}" for text in self.reasons)
        return "\n".join([self.summary, *told])
