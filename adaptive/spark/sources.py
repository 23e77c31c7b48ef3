"""File sources: what a query reads, and whether the native scan may read it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pyspark.sql import SparkSession

from adaptive.explain import StaysInSpark
from adaptive.scan.remote import PREFIXES, Unreachable
from adaptive.scan.storage import LOCAL, Storage
from adaptive.spark.catalyst import JavaObject, class_name, option, seq, string_map
from adaptive.spark.text_sources import TEXT_TITLES, refuse_text_options

# Which files are read and when: meant for the listing, which gets them as they are.
LISTING_OPTIONS = frozenset(
    {
        "path",
        "basepath",
        "cleansource",
        "discardcachedinputratio",
        "filenameonly",
        "ignorecorruptfiles",
        "ignoremissingfiles",
        "latestfirst",
        "maxbytespertrigger",
        "maxcachedfiles",
        "maxfileage",
        "maxfilespertrigger",
        "modifiedafter",
        "modifiedbefore",
        "pathglobfilter",
        "recursivefilelookup",
        "sourcearchivedir",
        "sourcearchivedirnumthreads",
        "timezone",  # of modifiedAfter and modifiedBefore
    }
)
# How the schema is inferred: done before the native path sees the query.
SCHEMA_OPTIONS = frozenset({"mergeschema", "inferschema"})
REBASE_OPTIONS = {
    "datetimerebasemode": "spark.sql.parquet.datetimeRebaseModeInRead",
    "int96rebasemode": "spark.sql.parquet.int96RebaseModeInRead",
}
# Session settings that change what a Parquet file means; all are off by default.
READER_SETTINGS = {
    "spark.sql.parquet.fieldId.read.enabled": "columns are found by field id, not by name",
    "spark.sql.parquet.int96TimestampConversion": "Impala's timestamps are shifted to UTC",
    "spark.sql.legacy.parquet.nanosAsLong": "timestamps in nanoseconds are read as numbers",
}
# What `explain` calls the formats.
TITLES = {"parquet": "Parquet", "arrow": "Arrow", **TEXT_TITLES}
# What a `binaryFile` relation has for columns.
LISTING_SCHEMA = "path string, modificationTime timestamp, length bigint, content binary"
LISTED = frozenset({"path", "modificationtime", "length", "content"})
_DATASOURCES = "org.apache.spark.sql.execution.datasources"


@dataclass(frozen=True, slots=True)
class FileSource:
    """Files as one leaf of a plan, streaming or batch."""

    leaf: JavaObject
    is_streaming: bool
    options: dict[str, str]
    partitions: dict[str, str]  # columns that directories have values of, with Spark's types
    format: str = "parquet"
    listed: JavaObject | None = None  # the relation that Spark lists, where the leaf is another
    storage: Storage = LOCAL

    @property
    def relation(self) -> JavaObject:
        """The relation that Spark lists."""
        return self.leaf if self.listed is None else self.listed

    @property
    def lowered_options(self) -> dict[str, str]:
        """The reader options by lower-case name, as Spark looks them up."""
        return {key.lower(): value for key, value in self.options.items()}

    @property
    def files_per_trigger(self) -> int | None:
        """The most files of a micro-batch, if the user has set it."""
        chosen = self.lowered_options.get("maxfilespertrigger", "")
        return int(chosen) if self.is_streaming and chosen.isdigit() else None

    def describe(self) -> str:
        """The source in a few words, for `explain`."""
        kind = "stream" if self.is_streaming else "table"
        return f"{TITLES[self.format]} {kind} {self.lowered_options.get('path', '')}".rstrip()


def file_source(spark: SparkSession, leaf: JavaObject) -> FileSource:
    """The files that a leaf reads, or the reason why Spark must read them."""
    readers = {"StreamingRelation": _streaming_source, "LogicalRelation": _batch_source}
    kind = class_name(leaf)
    if kind not in readers:
        raise StaysInSpark(f"the source is a {kind}; the native scan reads files")
    source = readers[kind](spark, leaf)
    _refuse_options(spark, source)
    return source


def _streaming_source(spark: SparkSession, leaf: JavaObject) -> FileSource:
    data_source = leaf.dataSource()
    format_ = _format(str(data_source.className()))
    if data_source.catalogTable().isDefined():
        raise StaysInSpark("the source is a catalog table; read its files by their path")
    options = string_map(data_source.options())
    path = {key.lower(): value for key, value in options.items()}.get("path")
    if path is None:
        raise StaysInSpark("the source has no single path")
    names = map(str, seq(data_source.sourceInfo().partitionColumns()))
    return FileSource(
        leaf, True, options, _partitions(leaf, names), format_, storage=storage_of(spark, leaf)
    )


def _batch_source(spark: SparkSession, leaf: JavaObject) -> FileSource:
    relation = leaf.relation()
    if class_name(relation) != "HadoopFsRelation":
        raise StaysInSpark(f"the source is a {class_name(relation)}; the native scan reads files")
    format_ = _format(str(relation.fileFormat().getClass().getName()))
    if option(relation.bucketSpec()) is not None:
        raise StaysInSpark("the table is bucketed, which Spark may use to avoid a shuffle")
    names = map(str, relation.partitionSchema().fieldNames())
    return FileSource(
        leaf,
        False,
        string_map(relation.options()),
        _partitions(leaf, names),
        format_,
        storage=storage_of(spark, leaf),
    )


def _partitions(leaf: JavaObject, names: Iterable[str]) -> dict[str, str]:
    """The partition columns as the leaf names them."""
    wanted = {name.lower() for name in names}
    return {
        str(attribute.name()): str(attribute.dataType().sql())
        for attribute in (seq(leaf.output()) if wanted else [])
        if str(attribute.name()).lower() in wanted
    }


def _format(name: str) -> str:
    """The short name of a format that the native scan reads."""
    for known in ("parquet", *TEXT_TITLES):
        if name.lower() in (known, f"{_DATASOURCES}.{known}.{known}fileformat"):
            return known
    short = name.rpartition(".")[2]
    raise StaysInSpark(f"the files are {short}; the native scan reads Parquet, JSON lines and CSV")


def relation_paths(spark: SparkSession, relation: JavaObject) -> list[JavaObject]:
    """The folders that a relation lists, as Hadoop's paths."""
    if class_name(relation) == "LogicalRelation":
        return seq(relation.relation().location().rootPaths())
    options = string_map(relation.dataSource().options())
    found = [value for key, value in options.items() if key.lower() == "path"]
    return [spark._jvm.org.apache.hadoop.fs.Path(path) for path in found]  # type: ignore[union-attr]


def storage_of(spark: SparkSession, relation: JavaObject) -> Storage:
    """How the native code opens the files of a relation, or the reason why it cannot."""
    hadoop = spark._jsparkSession.sessionState().newHadoopConf()
    storage = LOCAL
    for path in relation_paths(spark, relation):
        address = str(path.getFileSystem(hadoop).makeQualified(path).toString())
        scheme = address.partition(":")[0]
        if scheme == "file":
            continue
        storage = Storage(_hadoop_settings(hadoop, PREFIXES.get(scheme, "")))
        try:
            storage.check(address)
        except Unreachable as reason:
            raise StaysInSpark(f"{address}: {reason}; only Spark reaches the files") from None
    return storage


def _hadoop_settings(hadoop: JavaObject, prefix: str) -> tuple[tuple[str, str], ...]:
    """Hadoop's settings for one kind of file system."""
    found = hadoop.getPropsWithPrefix(prefix) if prefix else {}
    return tuple(sorted((prefix + str(key), str(found[key])) for key in found))


def _refuse_options(spark: SparkSession, source: FileSource) -> None:
    if source.format in TEXT_TITLES:
        refuse_text_options(spark, source.format, source.options, LISTING_OPTIONS)
        return
    for key in source.options:
        if key.lower() not in LISTING_OPTIONS | SCHEMA_OPTIONS | REBASE_OPTIONS.keys():
            raise StaysInSpark(f"reader option {key} has no native form; leave it out")
    for setting, effect in READER_SETTINGS.items():
        if str(spark.conf.get(setting)) == "true":
            raise StaysInSpark(f"{setting} is true: {effect}")


def refuse_legacy_calendar(spark: SparkSession, source: FileSource) -> None:
    """A session that rebases dates of files without a writer version must read them itself."""
    if source.format != "parquet":
        return
    for key, conf in REBASE_OPTIONS.items():
        mode = source.lowered_options.get(key) or str(spark.conf.get(conf))
        if mode.upper() != "CORRECTED":
            raise StaysInSpark(
                f"dates and timestamps are rebased ({conf} is {mode}); set it to CORRECTED"
            )
