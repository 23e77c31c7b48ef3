"""The generated LLVM of one kernel, before optimisation, as it was reviewed.

After a change that is meant: KODIAK_UPDATE_GOLDEN=1 pytest tests/codegen_llvm/test_golden.py
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from codegen_llvm import Encoding, InputLayout, block_filter, kernel, slot_layout
from ir import (
    GENERIC,
    INT64,
    STRING,
    TIMESTAMP,
    Aggregate,
    AggregateCall,
    Call,
    Column,
    Field,
    Filter,
    Literal,
    Named,
    NamedAggregate,
    Schema,
    Sink,
    Source,
    TumblingWindow,
)
from ir.pipelines import cut, flatten

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = Schema(
    (
        Field("event_type", STRING),
        Field("campaign_id", INT64),
        Field("event_time", TIMESTAMP),
        Field("value", INT64),
    )
)


def ysb() -> Sink:
    """The query of the demo."""
    view = Call("eq", (Column("event_type", STRING), Literal("view", STRING)))
    return Sink(
        Aggregate(
            Filter(Source("events", SCHEMA), view),
            TumblingWindow(Column("event_time", TIMESTAMP), 10_000_000),
            (Named("campaign_id", Column("campaign_id", INT64)),),
            (NamedAggregate("revenue", AggregateCall("sum", Column("value", INT64))),),
        ),
        "out",
    )


@pytest.mark.parametrize("encoding", list(Encoding), ids=lambda e: e.value)
def test_ysb_kernel(encoding: Encoding, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same text on every machine: the packing without AVX-512."""
    monkeypatch.setattr(block_filter, "host_has", lambda feature: False)
    program = flatten(cut(ysb())[0])
    layout = InputLayout((encoding, *[Encoding.PLAIN] * 3), has_nulls=False)
    built = kernel.build_kernel(program, layout, slot_layout(program, False), GENERIC)
    golden = GOLDEN / f"ysb_{encoding.value}.ll"
    if os.environ.get("KODIAK_UPDATE_GOLDEN"):
        golden.write_text(str(built.module))
    assert str(built.module) == golden.read_text()
