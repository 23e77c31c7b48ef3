"""Groups that are read by one native call are those that are read column by column."""

from __future__ import annotations

import pyarrow as pa
import pytest

from adaptive import functions as f
from adaptive import stream
from adaptive.api.expression import Expression
from adaptive.runtime import export
from adaptive.runtime.combine import combine
from adaptive.runtime.groups import Groups
from adaptive.runtime.plain_export import plain_batch
from adaptive.runtime.runner import PlanRunner
from adaptive.runtime.state import Table
from ir import GENERIC, KeysInRange, SelectRows, Tier, VariantSpec
from policies import Fixed

SECOND_US = 1_000_000
COLUMNS = {"key": "int32", "at": "timestamp", "value": "int64", "part": "float64"}
AGGREGATES = {
    "sums": f.sum("value"),
    "mean": f.avg("part"),
    "least": f.min("part"),
    "greatest": f.max("value"),
    "rows": f.count(),
}
DENSE = VariantSpec(Tier.SPECULATIVE, (KeysInRange(((-5, 94),)),), (SelectRows(),))


def runner(spec: VariantSpec = GENERIC, **aggregates: Expression) -> PlanRunner:
    events = stream(COLUMNS).watermark("at", "0 seconds")
    grouped = events.group_by(f.window("at", "1 second"), "key")
    return PlanRunner(grouped.agg(**(aggregates or AGGREGATES)).plan, Fixed(spec))


def batch(keys: list[int | None], values: list[int | None]) -> pa.RecordBatch:
    rows = len(keys)
    return pa.record_batch(
        {
            "key": pa.array(keys, pa.int32()),
            "at": pa.array([7 * SECOND_US] * rows, pa.timestamp("us", tz="UTC")),
            "value": pa.array(values, pa.int64()),
            "part": pa.array([None if v is None else v / 8 for v in values], pa.float64()),
        }
    )


def table_of(made: PlanRunner) -> Table:
    """The one table with groups, whatever form it has."""
    states = made._kernels.states
    (found,) = [t for state in states.all() for t in state.tables.values() if t.groups]
    return found


def both(made: PlanRunner, table: Table) -> tuple[pa.RecordBatch | None, pa.RecordBatch]:
    bounds = (7 * SECOND_US, 8 * SECOND_US)
    plain = plain_batch(made.program, table, *bounds)
    return plain, export._batch(made.program, Groups(table.layout, [table]), bounds)


@pytest.mark.parametrize("spec", [GENERIC, DENSE], ids=["hash", "dense"])
@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_plain_groups_are_the_same_by_one_call(spec: VariantSpec, rows: int) -> None:
    made = runner(spec)
    made.consume(batch([n % 97 - 5 for n in range(rows)], [n * n - 50 for n in range(rows)]))
    plain, column_by_column = both(made, table_of(made))
    if spec is DENSE:
        assert made.generic.groups < rows
    assert plain is not None
    plain.validate(full=True)
    assert plain.equals(column_by_column)
    assert plain.num_rows == min(rows, 97)


def test_combined_groups_have_sums_in_two_words() -> None:
    made, other = runner(), runner()
    made.consume(batch([1, 2, 3], [2**62, -(2**62), 5]))
    other.consume(batch([1, 2, 4], [-(2**61), 7, 9]))
    whole = combine(made.program, [table_of(made), table_of(other)])
    plain, column_by_column = both(made, whole.table)
    assert plain is not None
    assert plain.equals(column_by_column)
    assert plain.num_rows == 4


def test_a_sum_beyond_64_bits_is_told_as_before() -> None:
    made = runner(sums=f.sum("value"))
    other = runner(sums=f.sum("value"))
    made.consume(batch([1], [2**62]))
    other.consume(batch([1], [2**62]))
    whole = combine(made.program, [table_of(made), table_of(other)])
    assert plain_batch(made.program, whole.table, 0, SECOND_US) is None
    with pytest.raises(Exception, match="ARITHMETIC_OVERFLOW"):
        export.export_table(made.program, whole.table, 0, SECOND_US)


@pytest.mark.parametrize(
    ("keys", "values"), [([1, None], [1, 2]), ([1, 2], [1, None])], ids=["key", "value"]
)
def test_nulls_are_looked_at_more_closely(keys: list[int | None], values: list[int | None]) -> None:
    made = runner()
    made.consume(batch(keys, values))
    plain, column_by_column = both(made, table_of(made))
    assert plain is None
    exported = export.export_table(made.program, table_of(made), 7 * SECOND_US, 8 * SECOND_US)
    assert exported.equals(column_by_column)


def test_other_columns_are_not_plain() -> None:
    made = runner(spread=f.stddev("part"))
    made.consume(batch([1, 2], [3, 4]))
    assert plain_batch(made.program, table_of(made), 0, SECOND_US) is None
