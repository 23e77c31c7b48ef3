"""Filters that Spark's readers of text apply while they read a record.

A row that a filter drops is not read to its end, so what comes behind goes unnoticed: something
that is broken, or the same name with another value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence

import ir
from adaptive.scan.record_modes import Row
from adaptive.scan.text_values import BadField

# Of the fields so far and the name of the latest one: whether the row is dropped.
Skips = Callable[[Row, str], bool]


class PushedFilters:
    """The filters of a reader, in its order; those on the same columns are evaluated together."""

    def __init__(self, filters: Sequence[ir.Expr]) -> None:
        groups: dict[frozenset[str], list[ir.Expr]] = defaultdict(list)
        for predicate in filters:
            groups[predicate.columns()].append(predicate)
        self._groups = list(groups.items())

    def begin(self) -> Skips:
        """For one record: filters are evaluated once, when as many fields as they read are there.

        Spark counts fields: a name that comes twice counts twice, and that there are more than
        a filter reads makes the field a bad one, which the filters behind it have not seen.
        """
        missing = [len(columns) for columns, _ in self._groups]

        def skips(row: Row, latest: str) -> bool:
            for number, (columns, predicates) in enumerate(self._groups):
                if latest not in columns:
                    continue
                missing[number] -= 1
                if missing[number] < 0:
                    raise BadField(f"the name {latest!r} comes twice")
                if missing[number] == 0 and not _all_true(columns, predicates, row):
                    return True
            return False

        return skips


def _all_true(columns: frozenset[str], predicates: Sequence[ir.Expr], row: Row) -> bool:
    known = {name: row.get(name) for name in columns}
    return all(
        ir.evaluate_expr(predicate, known) is True  # type: ignore[arg-type]
        for predicate in predicates
    )
