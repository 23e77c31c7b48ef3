"""Types are one object each, whatever way they come."""

from __future__ import annotations

import pickle

import pytest

from ir import BINARY, INT64, STRING, DecimalType, Literal, decimal, expr_text, type_named
from ir.errors import IrTypeError


def test_a_decimal_type_is_one_object() -> None:
    made = decimal(10, 2)
    assert made is type_named("decimal(10,2)")
    assert made is pickle.loads(pickle.dumps(made))
    assert made is not decimal(10, 3)
    assert made != decimal(10, 3)
    assert (made.precision, made.scale, made.bits) == (10, 2, 128)
    assert (made.low, made.high) == (-9_999_999_999, 9_999_999_999)


def test_kinds_of_types() -> None:
    made = decimal(38, 0)
    assert made.is_decimal
    assert made.is_numeric
    assert not made.is_integer
    assert not made.is_float
    assert not made.is_bytes
    assert BINARY.is_bytes
    assert STRING.is_bytes
    assert not INT64.is_decimal


@pytest.mark.parametrize("name", ["decimal(39,0)", "decimal(0,0)", "decimal(5,6)", "decimal(5,-1)"])
def test_impossible_decimals(name: str) -> None:
    with pytest.raises(IrTypeError, match="1 to 38 digits"):
        type_named(name)


@pytest.mark.parametrize("name", ["decimal", "decimal(5)", "decimal(5, 2)", "varchar"])
def test_unknown_names(name: str) -> None:
    with pytest.raises(IrTypeError, match="unknown type"):
        type_named(name)


def test_a_type_that_was_not_made_by_decimal_is_another_object() -> None:
    assert DecimalType("decimal(4,1)", 4, 1) == decimal(4, 1)
    assert DecimalType("decimal(4,1)", 4, 1) is not decimal(4, 1)


def test_literals() -> None:
    assert expr_text(Literal(-1234, decimal(10, 2))) == "decimal(10,2) -12.34"
    assert expr_text(Literal(5, decimal(3, 3))) == "decimal(3,3) 0.005"
    assert expr_text(Literal(7, decimal(3, 0))) == "decimal(3,0) 7"
    assert expr_text(Literal(b"\x00\xff", BINARY)) == "binary '00ff'"
    with pytest.raises(IrTypeError):
        Literal(1000, decimal(3, 1))
    with pytest.raises(IrTypeError):
        Literal("ab", BINARY)
    with pytest.raises(IrTypeError):
        Literal(b"ab", STRING)
