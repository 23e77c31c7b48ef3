"""Spark: from DataFrames to native fragments and back."""

from adaptive.spark.adapt import adapt, explain_frame

__all__ = ["adapt", "explain_frame"]
