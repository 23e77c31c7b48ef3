"""Adaptive just-in-time compilation for stream queries, in Spark or in process."""

from adaptive import functions
from adaptive.api import Stream, stream
from adaptive.arrow_files import read_arrow, read_arrow_stream
from adaptive.decorator import adaptive, explain, history
from adaptive.engine import Engine
from adaptive.explain import CannotAdaptError, Explanation
from adaptive.packaging import package

__all__ = [
    "CannotAdaptError",
    "Engine",
    "Explanation",
    "Stream",
    "adaptive",
    "explain",
    "functions",
    "history",
    "package",
    "read_arrow",
    "read_arrow_stream",
    "stream",
]
