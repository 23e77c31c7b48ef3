"""The fields of dates and timestamps that `extract` knows, by all of Spark's names."""

from __future__ import annotations

import ir

# The function of each field, and its names.
_FIELDS: tuple[tuple[str, str], ...] = (
    ("year", "year y years yr yrs"),
    ("yearofweek", "yearofweek"),
    ("quarter", "quarter qtr"),
    ("month", "month mon mons months"),
    ("weekofyear", "week w weeks"),
    ("day", "day d days"),
    ("dayofweek", "dayofweek dow"),
    ("dayofyear", "doy"),
    ("hour", "hour h hours hr hrs"),
    ("minute", "minute m min mins minutes"),
    ("second_with_fraction", "second s sec seconds secs"),
    ("microsecond", "microsecond us microseconds"),
)
FIELD_FUNCTIONS: dict[str, str] = {
    name: function for function, names in _FIELDS for name in names.split()
}


def field_function(field: str) -> str:
    """The function that gives a field."""
    function = FIELD_FUNCTIONS.get(field.lower())
    if function is None:
        known = ", ".join(names.split()[0] for _, names in _FIELDS)
        raise ir.IrTypeError(f"there is no field {field!r}; fields are {known}")
    return function
