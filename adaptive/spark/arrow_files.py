"""Arrow IPC files as DataFrames: Spark has no reader for them.

Spark lists the files and a Python function reads them: that works by itself, in any
query. Where an adapted query reads such a DataFrame, the native code takes the place
of the function. Both use the same scan, so that they read the same rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

import pyarrow as pa
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader
from pyspark.sql.types import DecimalType, StructField, StructType

from adaptive.api.column_types import schema_of
from adaptive.explain import StaysInSpark
from adaptive.runtime import arrow_schema
from adaptive.scan.arrow_ipc import file_schema
from adaptive.scan.storage import Storage
from adaptive.spark.catalyst import JavaObject, analyzed_plan, class_name, seq, walk
from adaptive.spark.file_rows import PATH, FileRows, partition
from adaptive.spark.prompt_socket import acknowledge_now
from adaptive.spark.sources import (
    LISTED,
    LISTING_OPTIONS,
    LISTING_SCHEMA,
    FileSource,
    storage_of,
)
from adaptive.spark.types import IR_TYPES, spark_type
from ir import BINARY, DataType, Field, Schema, decimal

NAME = "kodiakarrow"

# What each function reads, by the id that its name carries in Spark's plan.
_READS: dict[str, ArrowRows] = {}


def read_arrow(
    spark: SparkSession, path: str, schema: str | StructType | None = None, **options: str
) -> DataFrame:
    """Arrow IPC files as a table; without a schema, it is that of the first file.

    Options are those of Spark's file sources that say which files are read.
    """
    listing = _listing(spark.read, path, options)
    if schema is None:
        schema = _schema_of_first(listing, path)
    declared = _declared(schema, listing)
    return _rows(_listing(spark.read, path, options, declared), declared, path, options)


def read_arrow_stream(
    spark: SparkSession, path: str, schema: str | StructType, **options: str
) -> DataFrame:
    """Arrow IPC files as a stream, with the options of Spark's file source."""
    declared = _declared(schema, _listing(spark.read, path, options))
    return _rows(_listing(spark.readStream, path, options, declared), declared, path, options)


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a DataFrame of Arrow files has for columns, and which of them are folders."""

    schema: StructType
    folders: tuple[str, ...]


@dataclass(frozen=True)
class ArrowRows:
    """Reads Arrow files in Spark's Python workers, wherever the query has no native form."""

    files: FileRows
    schema: Schema

    @property
    def id(self) -> str:
        """The same for all reads that read the same."""
        return sha256(repr((self.files, self.schema)).encode()).hexdigest()[:16]

    @property
    def __name__(self) -> str:
        """Spark's name of the function in plans, by which the source is found again."""
        return f"{NAME}_{self.id}"

    def __call__(self, listing: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of all files whose paths are in the batches."""
        acknowledge_now()
        target = arrow_schema(self.schema)
        for batch in self.files.read(listing, self.schema):
            # Spark takes no dictionaries.
            yield pa.RecordBatch.from_arrays(
                [c.cast(f.type) for c, f in zip(batch.columns, target, strict=True)], schema=target
            )


def arrow_source(node: JavaObject) -> FileSource | None:
    """The Arrow files that a node of a plan reads, if it is one that does."""
    if class_name(node) != "MapInArrow":
        return None
    prefix, _, found = str(node.functionExpr().name()).partition("_")
    if prefix != NAME or found not in _READS:
        return None
    read = _READS[found].files
    relation = next(part for part in walk(node) if not part.children().size())
    types = {str(a.name()): str(a.dataType().sql()) for a in seq(node.output())}
    return FileSource(
        node,
        bool(node.isStreaming()),
        dict(read.options),
        {name: types[name] for name in read.partitions},
        "arrow",
        relation,
        read.storage,
    )


def _declared(schema: str | StructType, listing: DataFrame) -> _Declared:
    """The columns that the user declares and, as Spark has it, all those of directories."""
    struct = _from_ddl(schema) if isinstance(schema, str) else schema
    folders = [field for field in listing.schema if field.name.lower() not in LISTED]
    declared = {field.name.lower() for field in struct}
    more = [field for field in folders if field.name.lower() not in declared]
    names = {field.name.lower() for field in folders}
    whole = StructType([*struct.fields, *more])
    return _Declared(whole, tuple(f.name for f in whole if f.name.lower() in names))


def _listing(
    reader: DataFrameReader | DataStreamReader,
    path: str,
    options: dict[str, str],
    declared: _Declared | None = None,
) -> DataFrame:
    """One row a file."""
    for key in options:
        if key.lower() not in LISTING_OPTIONS - {"path"}:
            known = ", ".join(sorted(LISTING_OPTIONS - {"path"}))
            raise ValueError(f"Arrow files have no option {key!r}; known are: {known}")
    if declared is not None:
        fields = [declared.schema[name] for name in declared.folders]
        typed = [f"`{field.name}` {field.dataType.simpleString()}" for field in fields]
        reader = reader.schema(", ".join([LISTING_SCHEMA, *typed]))
    return reader.format("binaryFile").options(**options).load(path)


def _rows(listing: DataFrame, declared: _Declared, path: str, options: dict[str, str]) -> DataFrame:
    chosen = [listing[name].alias(partition(n)) for n, name in enumerate(declared.folders)]
    kept = (("path", path), *options.items())
    files = FileRows("arrow", kept, declared.folders, storage=_storage(listing))
    fields = (Field(field.name, _ir_type(field)) for field in declared.schema)
    read = ArrowRows(files, Schema(tuple(fields)))
    _READS[read.id] = read
    return listing.select(PATH, *chosen).mapInArrow(read, declared.schema)


def _storage(listing: DataFrame) -> Storage:
    relation = next(part for part in walk(analyzed_plan(listing)) if not part.children().size())
    try:
        return storage_of(listing.sparkSession, relation)
    except StaysInSpark as reason:
        raise ValueError(f"Arrow files need pyarrow: {reason}") from None


def _schema_of_first(listing: DataFrame, path: str) -> StructType:
    """The columns of the file that comes first by name."""
    first = listing.select(PATH).orderBy(PATH).first()
    if first is None:
        raise ValueError(f"{path} has no files: say which schema they will have")
    there = schema_of(file_schema(first[0], _storage(listing)))
    for field in there:
        if field.type is BINARY:
            raise ValueError(f"column {field.name!r} is binary: give a schema without it")
    return StructType([StructField(field.name, spark_type(field.type)) for field in there])


def _from_ddl(text: str) -> StructType:
    struct = StructType.fromDDL(text)
    assert isinstance(struct, StructType)
    return struct


def _ir_type(field: StructField) -> DataType:
    name = field.dataType.simpleString()
    if isinstance(field.dataType, DecimalType):
        return decimal(field.dataType.precision, field.dataType.scale)
    if name not in IR_TYPES:
        known = ", ".join((*IR_TYPES, "decimal"))
        raise ValueError(f"column {field.name!r} has type {name}; Arrow files are read as {known}")
    return IR_TYPES[name]
