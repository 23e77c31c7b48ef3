"""File sources: what a query reads, whether the native scan may read it, and the listing of it.

Spark keeps the listing. A `binaryFile` relation with only the path selected gives
one row a file, reads nothing in the JVM, and puts the same files into the same
micro-batches as the Parquet source does.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import Catalyst, JavaObject, class_name, option, seq, string_map

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
LISTING_SCHEMA = "path string, modificationTime timestamp, length bigint, content binary"
TASK_SIZE_SETTING = "spark.sql.files.maxPartitionBytes"
LARGEST_TASK = "1g"
_DEFAULT_TASK_SIZES = frozenset({"128mb", "128m", "134217728", "134217728b"})
_DATASOURCES = "org.apache.spark.sql.execution.datasources"


@dataclass(frozen=True, slots=True)
class FileSource:
    """Parquet files as one leaf of a plan, streaming or batch."""

    leaf: JavaObject
    is_streaming: bool
    options: dict[str, str]
    partition_columns: frozenset[str]

    @property
    def lowered_options(self) -> dict[str, str]:
        """The reader options by lower-case name, as Spark looks them up."""
        return {key.lower(): value for key, value in self.options.items()}

    def describe(self) -> str:
        """The source in a few words, for `explain`."""
        kind = "stream" if self.is_streaming else "table"
        return f"Parquet {kind} {self.lowered_options.get('path', '')}".rstrip()


def file_source(spark: SparkSession, leaf: JavaObject) -> FileSource:
    """The Parquet files that a leaf reads, or the reason why Spark must read them."""
    readers = {"StreamingRelation": _streaming_source, "LogicalRelation": _batch_source}
    kind = class_name(leaf)
    if kind not in readers:
        raise StaysInSpark(f"the source is a {kind}; the native scan reads Parquet files")
    source = readers[kind](spark, leaf)
    _refuse_options(spark, source)
    return source


def _streaming_source(spark: SparkSession, leaf: JavaObject) -> FileSource:
    data_source = leaf.dataSource()
    _refuse_format(str(data_source.className()))
    if data_source.catalogTable().isDefined():
        raise StaysInSpark("the source is a catalog table; read its files with readStream.parquet")
    options = string_map(data_source.options())
    path = {key.lower(): value for key, value in options.items()}.get("path")
    if path is None:
        raise StaysInSpark("the source has no single path")
    _refuse_remote(spark, spark._jvm.org.apache.hadoop.fs.Path(path))  # type: ignore[union-attr]
    partitions = frozenset(map(str, seq(data_source.sourceInfo().partitionColumns())))
    return FileSource(leaf, True, options, partitions)


def _batch_source(spark: SparkSession, leaf: JavaObject) -> FileSource:
    relation = leaf.relation()
    if class_name(relation) != "HadoopFsRelation":
        raise StaysInSpark(f"the source is a {class_name(relation)}; the native scan reads files")
    _refuse_format(str(relation.fileFormat().getClass().getName()))
    if option(relation.bucketSpec()) is not None:
        raise StaysInSpark("the table is bucketed, which Spark may use to avoid a shuffle")
    for path in seq(relation.location().rootPaths()):
        _refuse_remote(spark, path)
    partitions = frozenset(map(str, relation.partitionSchema().fieldNames()))
    return FileSource(leaf, False, string_map(relation.options()), partitions)


def _refuse_format(name: str) -> None:
    if name.lower() not in ("parquet", f"{_DATASOURCES}.parquet.parquetfileformat"):
        short = name.rpartition(".")[2]
        raise StaysInSpark(f"the files are {short}; the native scan reads Parquet")


def _refuse_remote(spark: SparkSession, path: JavaObject) -> None:
    hadoop = spark._jsparkSession.sessionState().newHadoopConf()
    scheme = str(path.getFileSystem(hadoop).getUri().getScheme())
    if scheme != "file":
        raise StaysInSpark(f"{path.toString()}: the native scan reads local files, not {scheme}:")


def _refuse_options(spark: SparkSession, source: FileSource) -> None:
    for key in source.options:
        if key.lower() not in LISTING_OPTIONS | SCHEMA_OPTIONS | REBASE_OPTIONS.keys():
            raise StaysInSpark(f"reader option {key} has no native form; leave it out")
    for setting, effect in READER_SETTINGS.items():
        if str(spark.conf.get(setting)) == "true":
            raise StaysInSpark(f"{setting} is true: {effect}")


def refuse_legacy_calendar(spark: SparkSession, source: FileSource) -> None:
    """A session that rebases dates of files without a writer version must read them itself."""
    for key, conf in REBASE_OPTIONS.items():
        mode = source.lowered_options.get(key) or str(spark.conf.get(conf))
        if mode.upper() != "CORRECTED":
            raise StaysInSpark(
                f"dates and timestamps are rebased ({conf} is {mode}); set it to CORRECTED"
            )


def list_files(cx: Catalyst, source: FileSource) -> DataFrame:
    """One row a file, column `path`, with Spark in charge of which files and when."""
    session = _listing_session(cx)
    if not source.is_streaming:
        return cx.frame(_batch_listing(cx, session, source)).select("path")
    reader = session.readStream().format("binaryFile").schema(LISTING_SCHEMA)
    for key, value in source.options.items():
        if key.lower() in LISTING_OPTIONS - {"path"}:
            reader = reader.option(key, value)
    listing = reader.load(source.lowered_options["path"])
    return cx.frame(listing.queryExecution().analyzed()).select("path")


def _listing_session(cx: Catalyst) -> JavaObject:
    """The session with larger tasks, unless the user has chosen their size.

    Spark makes tasks of at most 128 MiB, which native code is through in half a
    second: 40 M rows of YSB on 2 cores are 3 tasks, and a core idles during the
    third. With one task a core, the scan took 0.55 s instead of 0.79 s.
    """
    chosen = str(cx.spark.conf.get(TASK_SIZE_SETTING))
    if chosen.lower() not in _DEFAULT_TASK_SIZES:
        return cx.session
    session = cx.session.cloneSession()
    session.conf().set(TASK_SIZE_SETTING, LARGEST_TASK)
    return session


def _batch_listing(cx: Catalyst, session: JavaObject, source: FileSource) -> JavaObject:
    """The same file index under another format, so that both see exactly the same files."""
    relation = source.leaf.relation()
    datasources = getattr(cx.jvm, _DATASOURCES)
    binary = cx.singleton(f"{_DATASOURCES}.binaryfile.BinaryFileFormat")
    listing = datasources.HadoopFsRelation(
        relation.location(),
        relation.partitionSchema(),
        binary.schema(),
        cx.none,
        datasources.binaryfile.BinaryFileFormat(),
        relation.options(),
        session,
    )
    return cx.singleton(f"{_DATASOURCES}.LogicalRelation").apply(listing, False)
