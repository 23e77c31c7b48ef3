"""The policy that a program gets where the user chooses none."""

from __future__ import annotations

from ir.aggregates import AggregateCall
from ir.expr import Column, Expr
from ir.pipelines import RowProgram
from ir.types import DataType
from ir.windows import TimeWindow
from policies.bets import NarrowKeys, NoNulls
from policies.composition import Hysteresis, Together
from policies.decision import Policy
from policies.filters import PredicateOrder, filter_facts
from policies.ranges import Domain, domain_of
from policies.table_bets import HeavyHitters, LargeTables, ManyKeys
from policies.value_bets import ProvenFilters

_TAG_BYTES = 8


def default_policy(program: RowProgram) -> Policy:
    """Every bet that this program can gain from."""
    # Sessions and count windows keep state of their own kind, in which bets on tables have no
    # form, and their kernels prove nothing by values.
    by_slices = program.window is None or isinstance(program.window, TimeWindow)
    bets: list[Policy] = [
        _filter_bet(program.filters, may_prove=by_slices),
        NoNulls(tuple(field.name for field in program.input if field.nullable)),
    ]
    if by_slices:
        bets += _table_bets(program)
    return Hysteresis(Together(tuple(bets)))


def slot_bytes(program: RowProgram) -> int:
    """About how many bytes a group has in a table."""
    keys = sum(_key_bytes(key.expr.type) for key in program.keys)
    return _TAG_BYTES + keys + sum(_state_bytes(one.call) for one in program.aggregates)


def _filter_bet(filters: tuple[Expr, ...], *, may_prove: bool) -> Policy:
    """Their order; where some can fail, what proves that they do not as well."""
    if may_prove and any(predicate.can_fail for predicate in filters):
        return ProvenFilters(filters)
    return PredicateOrder(tuple(map(filter_facts, filters)))


def _table_bets(program: RowProgram) -> list[Policy]:
    if not program.keys:
        return []
    large = LargeTables(slot_bytes(program))
    bets: list[Policy] = [NarrowKeys(_domains(program)), large, ManyKeys()]
    # Strings are not compared beside a table, whether they have codes or not.
    if not any(key.expr.type.is_bytes for key in program.keys):
        bets.append(HeavyHitters(min_groups=large.l2_bytes // large.slot_bytes))
    return bets


def _domains(program: RowProgram) -> tuple[Domain | None, ...]:
    exprs = (key.expr for key in program.keys)
    return tuple(domain_of(e.type, e.name if isinstance(e, Column) else None) for e in exprs)


def _key_bytes(type_: DataType) -> int:
    return 16 if type_.is_bytes or type_.is_decimal else 8


def _state_bytes(call: AggregateCall) -> int:
    """A word for what is counted or summed; two where a mean or a wide value is kept."""
    return 8 if call.function in ("count", "sum", "min", "max") and not call.type.is_bytes else 16
