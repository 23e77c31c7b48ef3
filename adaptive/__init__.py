"""Adaptive just-in-time compilation for Spark stream queries."""

from adaptive.decorator import adaptive, explain
from adaptive.explain import CannotAdaptError, Explanation

__all__ = ["CannotAdaptError", "Explanation", "adaptive", "explain"]
