"""Scans: files as Arrow batches of exactly the columns and types that a plan reads."""

from adaptive.scan.arrow_ipc import ArrowScan
from adaptive.scan.constants import CompletedParquet, ConstantColumns
from adaptive.scan.csv_lines import CsvScan
from adaptive.scan.errors import ScanError
from adaptive.scan.event_times import TimeUse, time_use, timed_rows
from adaptive.scan.json_lines import JsonScan
from adaptive.scan.parquet import OpenParquet, ParquetScan
from adaptive.scan.pieces import Piece, Scan
from adaptive.scan.record_modes import CorruptRecords, RecordError, RecordMode
from adaptive.scan.shares import ListedFile, Share
from adaptive.scan.storage import Storage

__all__ = [
    "ArrowScan",
    "CompletedParquet",
    "ConstantColumns",
    "CorruptRecords",
    "CsvScan",
    "JsonScan",
    "ListedFile",
    "OpenParquet",
    "ParquetScan",
    "Piece",
    "RecordError",
    "RecordMode",
    "Scan",
    "ScanError",
    "Share",
    "Storage",
    "TimeUse",
    "time_use",
    "timed_rows",
]
