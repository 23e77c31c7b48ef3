"""The data types of columns and expressions, and schemas made of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ir.errors import IrSchemaError, IrTypeError


@dataclass(frozen=True, slots=True)
class DataType:
    """A scalar type, named as in schemas (`int64`); nullability belongs to the field."""

    name: str

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[Callable[[str], DataType], tuple[str]]:
        return (type_named, (self.name,))  # types are singletons, also after pickling

    @property
    def is_integer(self) -> bool:
        """Whether values are signed integers with arithmetic."""
        return self in INTEGER_BITS

    @property
    def is_float(self) -> bool:
        """Whether values are IEEE floating-point numbers."""
        return self in (FLOAT32, FLOAT64)

    @property
    def is_decimal(self) -> bool:
        """Whether values are numbers with a fixed number of digits behind the point."""
        return isinstance(self, DecimalType)

    @property
    def is_numeric(self) -> bool:
        """Whether arithmetic is defined."""
        return self.is_integer or self.is_float or self.is_decimal

    @property
    def is_bytes(self) -> bool:
        """Whether values are runs of bytes of any length."""
        return self in (STRING, BINARY)

    @property
    def bits(self) -> int:
        """The width of a value; only fixed-width types have one."""
        try:
            return FIXED_BITS[self]
        except KeyError:
            raise IrTypeError(f"{self} has no fixed width") from None

    @property
    def low(self) -> int:
        """The least integer of this integer type."""
        return -(1 << (INTEGER_BITS[self] - 1))

    @property
    def high(self) -> int:
        """The greatest integer of this integer type."""
        return (1 << (INTEGER_BITS[self] - 1)) - 1


@dataclass(frozen=True, slots=True)
class DecimalType(DataType):
    """A decimal number of at most `precision` digits, `scale` of them behind the point.

    Values are unscaled integers: 12.34 is 1234 of decimal(4,2). Made by `decimal`.
    """

    precision: int
    scale: int

    def __reduce__(self) -> tuple[Callable[[str], DataType], tuple[str]]:
        return (type_named, (self.name,))

    @property
    def bits(self) -> int:
        """The width of the unscaled integer, whatever the precision: Arrow's decimal128."""
        return 128

    @property
    def low(self) -> int:
        """The least unscaled integer."""
        return -self.high

    @property
    def high(self) -> int:
        """The greatest unscaled integer: all digits are 9."""
        return int(10**self.precision) - 1


MAX_PRECISION = 38
_DECIMALS: dict[tuple[int, int], DecimalType] = {}
_DECIMAL_NAME = re.compile(r"decimal\((\d{1,2}),(-?\d{1,2})\)")


def decimal(precision: int, scale: int) -> DecimalType:
    """The decimal type of these digits; there is one object for each."""
    if not (1 <= precision <= MAX_PRECISION and 0 <= scale <= precision):
        raise IrTypeError(
            f"decimal({precision},{scale}) is no type: a decimal has 1 to {MAX_PRECISION} digits,"
            " and 0 to all of them behind the point"
        )
    made = DecimalType(f"decimal({precision},{scale})", precision, scale)
    return _DECIMALS.setdefault((precision, scale), made)


BOOL = DataType("bool")
INT8 = DataType("int8")
INT16 = DataType("int16")
INT32 = DataType("int32")
INT64 = DataType("int64")
FLOAT32 = DataType("float32")
FLOAT64 = DataType("float64")
STRING = DataType("string")
BINARY = DataType("binary")
DATE = DataType("date")  # days since 1970-01-01
TIMESTAMP = DataType("timestamp")  # microseconds since 1970-01-01 00:00 UTC

_PLAIN = (BOOL, INT8, INT16, INT32, INT64, FLOAT32, FLOAT64, STRING, BINARY, DATE, TIMESTAMP)
TYPES: dict[str, DataType] = {t.name: t for t in _PLAIN}  # without the decimals
INTEGER_BITS: dict[DataType, int] = {INT8: 8, INT16: 16, INT32: 32, INT64: 64}
FIXED_BITS: dict[DataType, int] = {
    BOOL: 1,
    **INTEGER_BITS,
    FLOAT32: 32,
    FLOAT64: 64,
    DATE: 32,
    TIMESTAMP: 64,
}


def type_named(name: str) -> DataType:
    """The type with this name, or an error that lists the names there are."""
    if name in TYPES:
        return TYPES[name]
    digits = _DECIMAL_NAME.fullmatch(name)
    if digits is None:
        raise IrTypeError(f"unknown type {name!r}; known types: {', '.join(TYPES)}, decimal(p,s)")
    return decimal(int(digits[1]), int(digits[2]))


@dataclass(frozen=True, slots=True)
class Field:
    """A named column of a schema; `nullable` says whether null may occur in it."""

    name: str
    type: DataType
    nullable: bool = True

    def __post_init__(self) -> None:
        if not self.name:
            raise IrSchemaError("a field needs a name; give the expression an alias")

    def __str__(self) -> str:
        return f"{self.name}: {self.type}{'?' if self.nullable else ''}"


@dataclass(frozen=True, slots=True)
class Schema:
    """An ordered list of fields with distinct names."""

    fields: tuple[Field, ...]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for field in self.fields:
            if field.name in seen:
                raise IrSchemaError(f"column {field.name!r} occurs twice; rename one of them")
            seen.add(field.name)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def __len__(self) -> int:
        return len(self.fields)

    def __contains__(self, name: object) -> bool:
        return any(field.name == name for field in self.fields)

    def __getitem__(self, name: str) -> Field:
        for field in self.fields:
            if field.name == name:
                return field
        raise IrSchemaError(f"no column {name!r}; there are: {', '.join(self.names) or 'none'}")

    def __str__(self) -> str:
        return ", ".join(map(str, self.fields))

    @property
    def names(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(field.name for field in self.fields)

    def index(self, name: str) -> int:
        """The position of a column."""
        return self.fields.index(self[name])
