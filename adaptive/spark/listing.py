"""The listing of files: which files, in which micro-batch and in how many tasks, is Spark's.

A `binaryFile` relation gives one row a file, reads nothing of it in the JVM, and
puts the same files into the same micro-batches as the file's own format does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from adaptive.explain import StaysInSpark
from adaptive.spark.catalyst import (
    Catalyst,
    JavaObject,
    children,
    class_name,
    expr_id,
    seq,
)
from adaptive.spark.file_rows import PATH, SHARE, SIZE, FileRows, partition
from adaptive.spark.sharing import (
    LARGEST_TASK,
    Sharing,
    chosen_sharing,
    sharing,
    worth_cutting,
)
from adaptive.spark.sources import LISTED, LISTING_OPTIONS, LISTING_SCHEMA, FileSource

TASK_SIZE_SETTING = "spark.sql.files.maxPartitionBytes"
_DEFAULT_TASK_SIZES = frozenset({"128mb", "128m", "134217728", "134217728b"})
_DATASOURCES = "org.apache.spark.sql.execution.datasources"

# Sizes come one by one from the JVM; of more files than that, none stands out.
_MOST_FILES = 256


def file_rows(cx: Catalyst, source: FileSource, columns: Iterable[str]) -> FileRows:
    """How tasks read a source for a plan that needs these columns."""
    used = frozenset(columns)
    partitions = tuple(name for name in source.partitions if name in used)
    for name in source.partitions if source.is_streaming else partitions:
        if name.lower() in LISTED:
            raise StaysInSpark(f"partition column `{name}` has a name that the listing uses")
    shared = _sharing(cx, source)
    return FileRows(
        source.format,
        tuple(source.options.items()),
        partitions,
        shared.tasks,
        shared.least_bytes,
        source.storage,
    )


def list_files(
    cx: Catalyst, source: FileSource, files: FileRows, conditions: Sequence[JavaObject] = ()
) -> DataFrame:
    """One row a file, with Spark in charge of which files and when.

    `conditions` are on partition columns: Spark leaves out what does not meet them.
    """
    listing = _listing(cx, source)
    for condition in conditions:
        listing = cx.logical.Filter(_over(cx, condition, source, listing), listing)
    listed = cx.frame(listing)
    chosen = [F.col(_quoted(name)).alias(partition(n)) for n, name in enumerate(files.partitions)]
    if files.tasks == 1:
        return listed.select(PATH, *chosen)
    # All tasks see all files. Sizes are those of the listing, which a file that grows does
    # not change, so that all tasks agree. A shuffle would need a stage of its own.
    sized = listed.select(PATH, F.col("_metadata.file_size").alias(SIZE), *chosen)
    if _task_size(cx) is None:
        sized = sized.coalesce(1)
    shares = cx.spark.range(0, files.tasks, 1, files.tasks).select(F.col("id").alias(SHARE))
    return shares.hint("shuffle_replicate_nl").crossJoin(sized)


def _listing(cx: Catalyst, source: FileSource) -> JavaObject:
    session = _listing_session(cx)
    if not source.is_streaming:
        return _batch_listing(cx, session, source)
    fields = [f"{_quoted(name)} {type_}" for name, type_ in source.partitions.items()]
    reader = session.readStream().format("binaryFile").schema(", ".join([LISTING_SCHEMA, *fields]))
    for key, value in source.options.items():
        if key.lower() in LISTING_OPTIONS - {"path"}:
            reader = reader.option(key, value)
    return reader.load(source.lowered_options["path"]).queryExecution().analyzed()


def _listing_session(cx: Catalyst) -> JavaObject:
    """The session with larger tasks, unless the user has chosen their size.

    Spark makes tasks of at most 128 MiB, which native code is through in half a
    second: 40 M rows of YSB on 2 cores are 3 tasks, and a core idles during the
    third. With one task a core, the scan took 0.55 s instead of 0.79 s.
    """
    if _task_size(cx) is not None:
        return cx.session
    session = cx.session.cloneSession()
    session.conf().set(TASK_SIZE_SETTING, str(LARGEST_TASK))
    return session


def _batch_listing(cx: Catalyst, session: JavaObject, source: FileSource) -> JavaObject:
    """The same file index under another format, so that both see exactly the same files."""
    relation = source.relation.relation()
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


def _over(
    cx: Catalyst, condition: JavaObject, source: FileSource, listing: JavaObject
) -> JavaObject:
    """A condition on partition columns of the source, as one on those of the listing."""
    by_name = {str(a.name()).lower(): a for a in seq(listing.output())}
    names = {expr_id(a): str(a.name()).lower() for a in seq(source.leaf.output())}

    def moved(node: JavaObject) -> JavaObject:
        if class_name(node) == "AttributeReference":
            return by_name[names[expr_id(node)]]
        below = children(node)
        return node.withNewChildren(cx.sequence(map(moved, below))) if below else node

    return moved(condition)


def _sharing(cx: Catalyst, source: FileSource) -> Sharing:
    """How tasks share the files; for a stream a guess from those that are there by now."""
    chosen = _task_size(cx)
    if chosen is not None:
        return chosen_sharing(_sizes(cx, source, chosen), chosen)
    cores = int(cx.session.sparkContext().defaultParallelism())
    sizes = _sizes(cx, source, worth_cutting(source.format))
    return sharing(sizes, source.format, cores, source.files_per_trigger)


def _sizes(cx: Catalyst, source: FileSource, least: int) -> list[int]:
    """The sizes of the files that are there now, if together they are at least so large.

    Of very many, a part where a micro-batch takes few of them, and else none.
    """
    try:
        index = file_index(cx, source)
        if class_name(index) == "CatalogFileIndex" or index.sizeInBytes() < least:
            return []
        files = index.allFiles()
        if files.size() > _MOST_FILES and source.files_per_trigger is None:
            return []
        return [int(file.getLen()) for file in seq(files.take(_MOST_FILES))]
    except Py4JJavaError:
        return []  # no such folder yet


def file_index(cx: Catalyst, source: FileSource) -> JavaObject:
    """The files that a query would see now."""
    if not source.is_streaming:
        return source.relation.relation().location()
    reader = cx.session.read().format("binaryFile")
    for key, value in source.options.items():
        if key.lower() in LISTING_OPTIONS - {"path"}:
            reader = reader.option(key, value)
    plan = reader.load(source.lowered_options["path"]).queryExecution().analyzed()
    return plan.relation().location()


def _task_size(cx: Catalyst) -> int | None:
    """The largest size of a task, if the user has chosen one."""
    chosen = str(cx.spark.conf.get(TASK_SIZE_SETTING))
    if chosen.lower() in _DEFAULT_TASK_SIZES:
        return None
    return int(cx.jvm.org.apache.spark.network.util.JavaUtils.byteStringAsBytes(chosen))


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
