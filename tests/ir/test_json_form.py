"""Plans and specs survive JSON exactly, and what is not ours is refused with advice."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ir import (
    DATE,
    FLOAT32,
    FLOAT64,
    INT64,
    STRING,
    DataType,
    Filter,
    IrError,
    Literal,
    Named,
    Project,
    Scalar,
    SelectRows,
    Sink,
    Tier,
    VariantSpec,
    content_hash,
    from_json,
    spec_from_json,
    spec_to_json,
    to_json,
)
from tests.ir.build import EVENTS, FLAG, REVENUE, TRUE, patiently
from tests.strategies import any_plans

SPECS = st.builds(
    VariantSpec,
    st.sampled_from(Tier),
    st.just(()),
    st.sampled_from([(), (SelectRows(),), (SelectRows(block_rows=64),)]),
)


@patiently
@given(any_plans())
@example(REVENUE)
def test_a_plan_survives(plan: Sink) -> None:
    text = to_json(plan)
    back = from_json(text)
    assert back == plan
    assert back.schema == plan.schema
    assert to_json(back) == text


@patiently
@given(SPECS)
def test_a_spec_survives(spec: VariantSpec) -> None:
    assert spec_from_json(spec_to_json(spec)) == spec


@pytest.mark.parametrize(
    ("value", "type_"),
    [
        (math.nan, FLOAT64),
        (-math.inf, FLOAT32),
        (-0.0, FLOAT64),
        (5e-324, FLOAT64),
        (INT64.low, INT64),
        (INT64.high, INT64),
        ("\0\u2028é😀", STRING),
        (-1, DATE),
        (None, STRING),
    ],
)
def test_a_value_survives_to_the_bit(value: Scalar, type_: DataType) -> None:
    plan = Sink(Project(EVENTS, (Named("x", Literal(value, type_)),)), "out")
    project = from_json(to_json(plan)).source
    assert isinstance(project, Project)
    made = project.columns[0].expr
    assert isinstance(made, Literal)
    assert repr(made.value) == repr(value)
    assert made.type is type_


def test_names_that_utf8_cannot_encode_survive() -> None:
    plan = Sink(EVENTS, "half \ud83d")
    assert from_json(to_json(plan)) == plan


def test_the_text_is_canonical() -> None:
    text = to_json(REVENUE)
    assert text.isascii()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"))


def test_the_hash_names_the_content() -> None:
    changed = Sink(Filter(EVENTS, TRUE), "out")
    assert content_hash(REVENUE) == content_hash(from_json(to_json(REVENUE)))
    assert content_hash(REVENUE) != content_hash(changed)
    assert len(content_hash(REVENUE)) == 64


def test_the_hash_is_the_same_in_another_process() -> None:
    program = "import sys, ir; print(ir.content_hash(ir.from_json(sys.stdin.read())))"
    other = subprocess.run(
        [sys.executable, "-c", program], input=to_json(REVENUE), capture_output=True, text=True
    )
    assert other.stdout.strip() == content_hash(REVENUE), other.stderr


def edited(before: str, after: str) -> str:
    text = to_json(Sink(Filter(EVENTS, FLAG), "out"))
    assert before in text
    return text.replace(before, after, 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a kodiak-ir document"),
        ('{"format":"other"}', "not a kodiak-ir document"),
        (edited('"version":1', '"version":2'), "version 2 .* install the same Kodiak version"),
        (edited('"node":"filter"', '"node":"teleport"'), "unknown node 'teleport'.* upgrade"),
        (edited('{"type":"bool"}', '{"shape":"bool"}'), r"unknown value with \(shape\).* upgrade"),
        (edited('{"type":"bool"}', '{"type":"complex"}'), "unknown type 'complex'"),
        (edited('"predicate":', '"condition":'), "malformed node 'filter'"),
        (edited('"name":"out"', '"name":7'), r"sink\.name: expected str, got int"),
        (edited('"plan":', '"plans":'), "expected the plan"),
        (edited('"name":"out"', '"name":0.5'), "not in canonical form"),
        (edited('"name":"out"', '"name":{"float":"x"}'), "'x' is not a float"),
        (spec_to_json(VariantSpec()), "expected the plan"),
    ],
)
def test_what_is_not_ours_is_refused(text: str, message: str) -> None:
    with pytest.raises(IrError, match=message):
        from_json(text)
