"""Scans: files as Arrow batches of exactly the columns and types that a plan reads."""

from adaptive.scan.errors import ScanError
from adaptive.scan.parquet import ParquetScan

__all__ = ["ParquetScan", "ScanError"]
