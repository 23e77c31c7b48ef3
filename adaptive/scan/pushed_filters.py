"""Filters that Spark's readers of text apply while they read a record.

A row that a filter drops is not read to its end, so what comes behind goes unnoticed: something
that is broken, or the same name with another value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import ir
from adaptive.scan.record_modes import Row
from adaptive.scan.text_values import BadField, Unsure

# Of the fields so far and the name of the latest one: whether the row is dropped.
Skips = Callable[[Row, str], bool]


class PushedFilters:
    """The filters of a reader; those on the same columns are evaluated together."""

    def __init__(self, filters: Sequence[ir.Expr]) -> None:
        groups: dict[frozenset[str], list[ir.Expr]] = defaultdict(list)
        for predicate in filters:
            groups[predicate.columns()].append(predicate)
        self._groups = list(groups.items())

    def begin(self) -> Skips:
        """For one record: filters are evaluated once, when as many fields as they read are there.

        Spark counts fields: a name that comes twice counts twice, and that there are more than
        the filters read makes the field a bad one.
        """
        missing = [len(columns) for columns, _ in self._groups]

        def skips(row: Row, latest: str) -> bool:
            concerned = [n for n, (columns, _) in enumerate(self._groups) if latest in columns]
            for number in concerned:
                missing[number] -= 1
            due = [number for number in concerned if missing[number] == 0]
            if any(missing[number] < 0 for number in concerned):
                if due:
                    raise Unsure(f"the name {latest!r} comes twice, and filters disagree about it")
                raise BadField(f"the name {latest!r} comes twice")
            return not all(_all_true(*self._groups[number], row) for number in due)

        return skips


def _all_true(columns: frozenset[str], predicates: Sequence[ir.Expr], row: Row) -> bool:
    known = {name: row.get(name) for name in columns}
    return all(
        ir.evaluate_expr(predicate, known) is True  # type: ignore[arg-type]
        for predicate in predicates
    )
