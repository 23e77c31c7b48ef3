"""Errors of scans."""

from __future__ import annotations


class ScanError(ValueError):
    """A file that cannot be read as the query needs it.

    `condition` is Spark's error condition, so that users find the same name
    whether the native scan or the JVM raised it.
    """

    def __init__(self, condition: str, path: str, problem: str) -> None:
        super().__init__(f"[{condition}] {path}: {problem}")
        self.condition = condition
        self.path = path
        self.problem = problem

    def __reduce__(self) -> tuple[type[ScanError], tuple[str, str, str]]:
        return (ScanError, (self.condition, self.path, self.problem))


UNREADABLE = "FAILED_READ_FILE.NO_HINT"
TYPE_MISMATCH = "FAILED_READ_FILE.PARQUET_COLUMN_DATA_TYPE_MISMATCH"
