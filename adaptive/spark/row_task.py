"""What runs in Spark's Python workers for a query without an aggregate: files in, few rows out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa

from adaptive.runtime import Projection
from adaptive.scan.needed_rows import needed_rows
from adaptive.spark.file_rows import PARQUET, FileRows
from adaptive.spark.prompt_socket import acknowledge_now
from adaptive.spark.worker import NAME_PREFIX, parsed_plan, source_schema


@dataclass(frozen=True)
class RowTask:
    """Runs filters and projections over the files of a task; it holds only data."""

    fragment_id: str
    plan_json: str
    files: FileRows = PARQUET

    @property
    def __name__(self) -> str:
        """Spark's name of the function in plans, by which `explain` finds the fragment again."""
        return f"{NAME_PREFIX}_{self.fragment_id}"

    def __call__(self, listing: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows that pass, of all files of the listing."""
        acknowledge_now()
        plan = parsed_plan(self.plan_json)
        projection = Projection(plan)
        needed = needed_rows(plan)
        for rows in self.files.read(listing, source_schema(plan), needed=needed):
            made = projection.run(rows)
            if made.num_rows:
                yield made
