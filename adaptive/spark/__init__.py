"""Spark: from DataFrames to native fragments and back."""

from adaptive.spark.adapt import adapt, explain_frame
from adaptive.spark.listener import query_history
from adaptive.spark.stream_history import MicroBatch, StreamHistory, WorkerSwap, WorkerUse

__all__ = [
    "MicroBatch",
    "StreamHistory",
    "WorkerSwap",
    "WorkerUse",
    "adapt",
    "explain_frame",
    "query_history",
]
