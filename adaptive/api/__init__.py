"""Queries without Spark: streams, expressions, windows and aggregates as Python objects."""

from adaptive.api.aggregation import Aggregation
from adaptive.api.expression import Expression
from adaptive.api.query import GroupedStream, Stream, stream
from adaptive.api.windows import WindowOver

__all__ = ["Aggregation", "Expression", "GroupedStream", "Stream", "WindowOver", "stream"]
