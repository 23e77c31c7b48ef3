"""Compiled functions of strings and binaries give what the evaluator gives, fact by fact."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adaptive.runtime import Projection
from ir import (
    BINARY,
    INT32,
    STRING,
    Call,
    Column,
    EvalMode,
    EvaluationError,
    Expr,
    Field,
    Literal,
    Named,
    Project,
    Scalar,
    Schema,
    Sink,
    Source,
    evaluate_expr,
)
from ir.letter_case import cased, ignored, lower_mapping, upper_mapping
from tests.arrow import canonical, from_table, to_batch
from tests.ir.fact import ANSI, Fact, Fails
from tests.ir.text_facts import TEXT_FACTS

Rows = list[dict[str, Scalar]]


def computed(schema: Schema, rows: Rows, *columns: Expr) -> Rows:
    """What the compiled columns are."""
    named = tuple(Named(f"r{i}", column) for i, column in enumerate(columns))
    made = Projection(Sink(Project(Source("in", schema), named), "out")).run(to_batch(rows, schema))
    made.validate(full=True)
    return from_table(made)


def check(schema: Schema, rows: Rows, *columns: Expr) -> None:
    """Compare all columns of all rows with the evaluator."""
    expected = [{f"r{i}": evaluate_expr(c, row) for i, c in enumerate(columns)} for row in rows]
    for made, wanted in zip(computed(schema, rows, *columns), expected, strict=True):
        assert canonical([made]) == canonical([wanted])


def shared(facts: list[Fact]) -> tuple[Schema, Rows, list[Expr]]:
    """All facts in one row: a column for each argument, a result for each fact."""
    fields = [Field(c.name, c.type) for n, fact in enumerate(facts) for c in fact.columns(f"f{n}_")]
    row = {name: v for n, fact in enumerate(facts) for name, v in fact.row(f"f{n}_").items()}
    return Schema(tuple(fields)), [row], [f.expr(ANSI, f"f{n}_") for n, f in enumerate(facts)]


@pytest.mark.parametrize("function", dict.fromkeys(fact.function for fact in TEXT_FACTS))
def test_facts(function: str) -> None:
    of_it = [fact for fact in TEXT_FACTS if fact.function == function]
    facts = [fact for fact in of_it if not isinstance(fact.expected[ANSI], Fails)]
    schema, rows, columns = shared(facts)
    (made,) = computed(schema, rows, *columns)
    wrong = {str(f): v for f, v in zip(facts, made.values(), strict=True) if f.expected[ANSI] != v}
    assert not wrong


def test_facts_of_constants() -> None:
    """The second argument is a constant: patterns are then known when code is generated."""
    schema, columns = Schema((Field("s", STRING),)), []
    for fact in TEXT_FACTS:
        if fact.type is STRING and not fact.types and len(fact.values) > 1:
            constants = (Literal(value, STRING) for value in fact.values[1:])
            columns.append(Call(fact.function, (Column("s", STRING), *constants), EvalMode.TRY))
    texts = [fact.values[0] for fact in TEXT_FACTS if fact.type is STRING]
    check(schema, [{"s": text} for text in dict.fromkeys(texts)], *columns)


@pytest.mark.parametrize("mode", [EvalMode.ANSI, EvalMode.LEGACY, EvalMode.TRY])
def test_wrong_patterns(mode: EvalMode) -> None:
    facts = [fact for fact in TEXT_FACTS if isinstance(fact.expected[ANSI], Fails)]
    for fact in facts:
        schema, rows, _ = shared([fact])
        column = fact.expr(mode, "f0_")
        if mode is not ANSI:
            check(schema, rows, column)
            continue
        with pytest.raises(EvaluationError) as raised:
            computed(schema, rows, column)
        assert Fails(raised.value.condition) == fact.expected[mode]


def test_every_letter_in_both_cases() -> None:
    """Each character by itself, and as a neighbour of a sigma, where it decides its form."""
    special = sorted({*lower_mapping(), *upper_mapping(), *cased(), *ignored()})
    neighbours = {chr(ord(char) + 1) for char in special if char not in ("\ud7ff", "\U0010ffff")}
    texts = [*special, *sorted(neighbours - set(special)), "\U0010ffff", "\U000e0fff"]
    rows: Rows = [{"s": text} for text in texts]
    s, sigma, letter = Column("s", STRING), Literal("Σ", STRING), Literal("a", STRING)
    forms: list[Expr] = [Call(case, (s,)) for case in ("lower", "upper")]
    for parts in ((s, sigma), (letter, s, sigma), (letter, sigma, s), (letter, sigma, s, letter)):
        forms.append(Call("lower", (Call("concat", parts),)))
    check(Schema((Field("s", STRING),)), rows, *forms)


def test_words_with_sigmas() -> None:
    texts = ["", "ΣΣΣ", "ΟΔΥΣΣΕΥΣ ΟΔΥΣΣΕΥΣ", "Σ'Σ", "a" * 100 + "Σ", "ΑΣ" * 50, "ẞİŉ" * 30]
    s = Column("s", STRING)
    check(
        Schema((Field("s", STRING),)),
        [{"s": text} for text in texts],
        *(Call(case, (s,)) for case in ("lower", "upper")),
    )


def test_a_null_argument_takes_no_memory() -> None:
    """Its value may be anything, also a length of 2 GiB."""
    schema = Schema((Field("s", STRING), Field("n", INT32)))
    s, n = Column("s", STRING), Column("n", INT32)
    null = Literal(None, STRING)
    huge = Literal(INT32.high, INT32)
    rows: Rows = [{"s": None, "n": INT32.high}, {"s": "abc", "n": None}, {"s": "é", "n": 3}]
    check(
        schema,
        rows,
        Call("repeat", (null, n)),
        Call("repeat", (null, huge)),
        Call("lpad", (s, huge, null)),
        Call("rpad", (null, n, s)),
        Call("rpad", (s, n, Literal("x", STRING))),
    )


def test_too_much_for_a_row_says_so() -> None:
    schema = Schema((Field("s", STRING),))
    vast = Call("repeat", (Column("s", STRING), Literal(INT32.high, INT32)))
    with pytest.raises(MemoryError, match="2 GiB"):
        computed(schema, [{"s": "ab"}], vast)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    texts=st.lists(st.text(alphabet="ab\\%_é😀", max_size=9), min_size=1, max_size=30),
    pattern=st.text(alphabet="ab%_é", max_size=8),
)
def test_patterns(texts: list[str], pattern: str) -> None:
    """Patterns as constants and as columns, over texts that nearly match."""
    schema = Schema((Field("s", STRING), Field("p", STRING)))
    rows: Rows = [{"s": t, "p": p} for t, p in zip(texts, reversed(texts), strict=True)]
    rows += [{"s": text, "p": pattern} for text in texts]
    s, p = Column("s", STRING), Column("p", STRING)
    constant = Call("like", (s, Literal(pattern, STRING)))
    check(schema, rows, constant, Call("like", (s, p), EvalMode.TRY))


def test_binaries() -> None:
    schema = Schema((Field("b", BINARY), Field("p", BINARY)))
    b, p = Column("b", BINARY), Column("p", BINARY)
    rows: Rows = [{"b": b"\xff\x00\xc3" * i, "p": b"\x00\xc3"} for i in range(4)]
    lengths = (Call(name, (b,)) for name in ("length", "octet_length", "bit_length"))
    tests = (Call(name, (b, p)) for name in ("startswith", "endswith", "contains", "concat"))
    part = Call("substring", (b, Literal(-4, INT32), Literal(2, INT32)))
    check(schema, rows, *lengths, *tests, part, Call("left", (b, Literal(2, INT32))))
