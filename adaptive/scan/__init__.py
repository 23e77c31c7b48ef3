"""Scans: files as Arrow batches of exactly the columns and types that a plan reads."""

from adaptive.scan.errors import ScanError
from adaptive.scan.event_times import TimeUse, time_use, timed_rows
from adaptive.scan.parquet import OpenParquet, ParquetScan

__all__ = ["OpenParquet", "ParquetScan", "ScanError", "TimeUse", "time_use", "timed_rows"]
