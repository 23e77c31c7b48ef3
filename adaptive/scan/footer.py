"""What a Parquet file's footer tells before anything of it is decoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

# A string that is not dictionary-encoded takes four bytes for its length alone.
_LEAST_PLAIN_BYTES = 4
_DICTIONARY_ENCODINGS = frozenset({"PLAIN_DICTIONARY", "RLE_DICTIONARY"})
_SPARK_VERSION = b"org.apache.spark.version"
_LEGACY_KEYS = (b"org.apache.spark.legacyDateTime", b"org.apache.spark.legacyINT96")


@dataclass(frozen=True, slots=True)
class Span:
    """The least and the greatest value of a column in a row group without nulls."""

    low: int
    high: int


def midpoint(group: pq.RowGroupMetaData) -> int:
    """The byte in the middle of a row group, by which Spark says in which split it is."""
    chunk = group.column(0)
    pages = [chunk.data_page_offset]
    if chunk.has_dictionary_page and chunk.dictionary_page_offset is not None:
        pages.append(chunk.dictionary_page_offset)
    compressed = sum(group.column(c).total_compressed_size for c in range(group.num_columns))
    return int(min(pages) + compressed // 2)


def time_spans(metadata: pq.FileMetaData, name: str, groups: Sequence[int]) -> list[Span | None]:
    """For each row group the span of a timestamp column, or None where the file does not tell."""
    position = column_position(metadata, name)
    if position is None or not _is_in_microseconds(metadata, name):
        return [None for _ in groups]
    return [_span(metadata.row_group(group).column(position)) for group in groups]


def _is_in_microseconds(metadata: pq.FileMetaData, name: str) -> bool:
    type_ = metadata.schema.to_arrow_schema().field(name).type
    return bool(pa.types.is_timestamp(type_) and type_.unit == "us")


def _span(chunk: pq.ColumnChunkMetaData) -> Span | None:
    statistics = chunk.statistics
    if chunk.physical_type != "INT64" or statistics is None:
        return None
    if not (statistics.has_min_max and statistics.has_null_count) or statistics.null_count:
        return None
    return Span(int(statistics.min_raw), int(statistics.max_raw))


def column_position(metadata: pq.FileMetaData, name: str) -> int | None:
    """The number of a column that is not nested."""
    paths = [metadata.schema.column(number).path for number in range(metadata.num_columns)]
    return paths.index(name) if name in paths else None


def legacy_writer(metadata: pq.FileMetaData) -> str | None:
    """The Spark version that wrote dates in the old calendar, or None if they are as today."""
    pairs = metadata.metadata or {}
    version = pairs.get(_SPARK_VERSION, b"").decode()
    if any(key in pairs for key in _LEGACY_KEYS) or _is_before_spark_3_1(version):
        return version or "of an unknown version"
    return None


def is_dictionary_encoded(metadata: pq.FileMetaData, name: str) -> bool:
    """Whether a string column is kept as dictionary codes in every row group.

    A writer falls back to plain strings when the dictionary grows too large, and
    making codes of those costs more than reading them: bytes per value tell.
    """
    position = column_position(metadata, name)
    if position is None or not metadata.num_row_groups:
        return False
    groups = map(metadata.row_group, range(metadata.num_row_groups))
    return all(_has_codes(group.column(position)) for group in groups)


def _has_codes(chunk: pq.ColumnChunkMetaData) -> bool:
    if chunk.physical_type != "BYTE_ARRAY" or not _DICTIONARY_ENCODINGS & set(chunk.encodings):
        return False
    statistics = chunk.statistics
    nulls = statistics.null_count if statistics is not None and statistics.has_null_count else 0
    present = chunk.num_values - nulls
    return bool(chunk.total_uncompressed_size < _LEAST_PLAIN_BYTES * max(present, 1))


def _is_before_spark_3_1(version: str) -> bool:
    numbers = version.split(".")[:2]
    if len(numbers) < 2 or not all(number.isdigit() for number in numbers):
        return False
    return (int(numbers[0]), int(numbers[1])) < (3, 1)
