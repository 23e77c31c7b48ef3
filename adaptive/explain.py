"""What runs natively, what stays in Spark, and why: the data behind `ad.explain`."""

from __future__ import annotations

from dataclasses import dataclass


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

    def __str__(self) -> str:
        lines = [f"{self.name}: {'native' if self.is_native else 'stays in Spark'}"]
        lines += [f"  native  {text}" for text in self.native]
        lines += [f"  Spark   {text}" for text in self.kept]
        lines += [f"  why     {text}" for text in self.reasons]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of a query; `str()` is a readable tree, `fragments` is the data."""

    fragments: tuple[Fragment, ...] = ()
    reasons: tuple[str, ...] = ()  # why there is no fragment to look at

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
    def summary(self) -> str:
        """One line: how much of the query is native."""
        if not self.fragments:
            return "nothing runs natively"
        native = sum(fragment.is_native for fragment in self.fragments)
        noun = "aggregate runs" if len(self.fragments) == 1 else "aggregates run"
        return f"{native} of {len(self.fragments)} {noun} natively"

    def __str__(self) -> str:
        lines = [self.summary, *(f"  why     {text}" for text in self.reasons)]
        for fragment in self.fragments:
            lines += [f"  {line}" for line in str(fragment).splitlines()]
        return "\n".join(lines)
