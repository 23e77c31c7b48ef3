"""The demonstration: one stream query on the same files, by Spark alone and with Kodiak.

What is timed is the whole query: from the call that builds it, which is where
Kodiak translates it, to the end of the last micro-batch. The timed rounds write to
Spark's `noop` sink, which computes every result row and throws it away, so both
sides pay the same for output. The warm-up round is not timed; it collects the
rows of both, and they have to be identical. A timed round that puts out another
number of rows than the warm-up did ends the demonstration.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.readwriter import DataStreamWriter
from rich.console import Console

import adaptive as ad
from adaptive.demo.compare import Comparison, compare, in_batch
from adaptive.demo.session import SparkFailed, first_line, local_session, usable_cores
from adaptive.demo.show import show_difference, show_report
from adaptive.demo.ysb_data import generate_with_progress, remove
from adaptive.spark import StreamHistory

COLUMNS = "event_type string, campaign_id bigint, event_time timestamp, value bigint"
SPARK, KODIAK = "Spark alone", "Spark with Kodiak"
FILES = 10

Query = Callable[[DataFrame], DataFrame]


def revenue(events: DataFrame) -> DataFrame:
    """The query of the Yahoo Streaming Benchmark: revenue of views by campaign and window."""
    return (
        events.where(F.col("event_type") == "view")
        .withWatermark("event_time", "10 seconds")
        .groupBy(F.window("event_time", "10 seconds"), "campaign_id")
        .agg(F.sum("value").alias("revenue"))
    )


CONTESTANTS: Mapping[str, Query] = {SPARK: revenue, KODIAK: ad.adaptive(revenue)}


class DataSetError(RuntimeError):
    """The data set could not be written; the text names the file and the reason."""


@dataclass(frozen=True, slots=True)
class DemoSettings:
    """What to run on which files."""

    rows: int
    data: Path
    rounds: int
    keep: bool = True

    def __post_init__(self) -> None:
        if self.rows < 1 or self.rounds < 1:
            raise ValueError(
                f"needs at least one row and one round, got {self.rows} and {self.rounds}"
            )


@dataclass(frozen=True, slots=True)
class DemoReport:
    """What the demonstration found."""

    rows: int
    cores: int
    seconds: Mapping[str, tuple[float, ...]]
    comparison: Comparison
    explanation: ad.Explanation
    history: StreamHistory = field(default_factory=StreamHistory)  # of all runs with Kodiak

    @property
    def speed_up(self) -> float:
        """How many times as fast the best round with Kodiak was as the best one without."""
        return min(self.seconds[SPARK]) / min(self.seconds[KODIAK])

    @property
    def round_speed_ups(self) -> tuple[float, ...]:
        """The same of each round: noise of the machine hits both sides of a round alike."""
        pairs = zip(self.seconds[SPARK], self.seconds[KODIAK], strict=True)
        return tuple(alone / with_kodiak for alone, with_kodiak in pairs)


def run_demo(
    settings: DemoSettings, console: Console, spark: SparkSession | None = None
) -> DemoReport:
    """Make the data, run both contestants in turn, compare and show the outcome."""
    with _data_set(settings, console) as data, _session(spark, console) as session:
        stage = _Stage(session, data, console)
        try:
            report = stage.run(settings)
        except (PySparkException, StreamingQueryException) as error:
            raise SparkFailed(f"the query failed: {first_line(error)}") from error
    if report.comparison.identical:
        show_report(report, console)
    else:
        show_difference(report.comparison, console)
    return report


class _Stage:
    """A session and a data set on which queries run."""

    def __init__(self, spark: SparkSession, data: Path, console: Console) -> None:
        self._spark, self._data, self._console = spark, data, console
        self._histories: list[StreamHistory] = []

    def run(self, settings: DemoSettings) -> DemoReport:
        """All rounds; a wrong result is reported without timing anything."""
        explanation = ad.explain(CONTESTANTS[KODIAK](self._events()))
        self._console.print(f"{KODIAK}: {explanation.summary}", highlight=False)
        results = {name: self._collect(name) for name in CONTESTANTS}
        comparison = compare(results[SPARK], results[KODIAK])
        seconds: Mapping[str, tuple[float, ...]] = {}
        if comparison.identical:
            seconds = self._time_rounds(settings.rounds, comparison.expected_rows)
        cores = self._spark.sparkContext.defaultParallelism
        history = StreamHistory.joined(self._histories)
        return DemoReport(settings.rows, cores, seconds, comparison, explanation, history)

    def _time_rounds(self, rounds: int, result_rows: int) -> Mapping[str, tuple[float, ...]]:
        taken: dict[str, list[float]] = {name: [] for name in CONTESTANTS}
        for number in range(rounds):
            # The other one starts each time, so that neither always follows a pause.
            for name in list(CONTESTANTS)[:: 1 if number % 2 == 0 else -1]:
                taken[name].append(self._time(name, result_rows))
            times = "   ".join(f"{name} {taken[name][-1]:6.2f} s" for name in CONTESTANTS)
            self._console.print(f"round {number + 1} of {rounds}   {times}", highlight=False)
        return {name: tuple(samples) for name, samples in taken.items()}

    def _time(self, name: str, result_rows: int) -> float:
        """The seconds of one run into the sink that throws rows away, once it has had them all."""
        with self._console.status(f"{name} ..."), TemporaryDirectory(prefix="kodiak-") as folder:
            begin = time.perf_counter()
            query = _run(self._writer(name, Path(folder)).format("noop"))
            elapsed = time.perf_counter() - begin
        self._keep_history(name, query)
        written = sum(progress.sink.numOutputRows for progress in query.recentProgress)
        if written != result_rows:
            raise SparkFailed(
                f"{name} put out {written:,} rows in a timed round, {result_rows:,} before"
            )
        return elapsed

    def _collect(self, name: str) -> pa.Table:
        """The rows of all micro-batches; this is also the warm-up."""
        batches: list[pa.Table] = []

        def take(rows: DataFrame, number: int) -> None:
            flat = rows.select("window.start", "window.end", "campaign_id", "revenue")
            batches.append(in_batch(number, flat.toArrow()))

        status = self._console.status(f"{name}: warming up, collecting its result ...")
        with status, TemporaryDirectory(prefix="kodiak-") as folder:
            query = _run(self._writer(name, Path(folder)).foreachBatch(take))
        self._keep_history(name, query)
        result = pa.concat_tables(batches)
        self._console.print(f"warm-up     {name}: {result.num_rows:,} groups", highlight=False)
        return result

    def _keep_history(self, name: str, query: StreamingQuery) -> None:
        """What the workers did; a query that stays in Spark has nothing to tell."""
        if name == KODIAK:
            with suppress(ValueError):
                self._histories.append(ad.history(query))

    def _writer(self, name: str, checkpoint: Path) -> DataStreamWriter:
        """All files in one trigger; update mode puts every group out, also of open windows."""
        frame = CONTESTANTS[name](self._events())
        writer = frame.writeStream.outputMode("update").trigger(availableNow=True)
        return writer.option("checkpointLocation", str(checkpoint))

    def _events(self) -> DataFrame:
        return self._spark.readStream.schema(COLUMNS).parquet(str(self._data))


def _run(writer: DataStreamWriter) -> StreamingQuery:
    query = writer.start()
    query.awaitTermination()
    return query


@contextmanager
def _data_set(settings: DemoSettings, console: Console) -> Iterator[Path]:
    files = min(FILES, settings.rows)
    try:
        data = generate_with_progress(settings.data, settings.rows, files, console=console)
    except OSError as error:
        raise DataSetError(_reason(error)) from error
    try:
        yield data
    finally:
        if not settings.keep:
            remove(data)


def _reason(error: OSError) -> str:
    """What the system said, with the file; errors of the data set say it themselves."""
    if error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return error.strerror or str(error)


@contextmanager
def _session(given: SparkSession | None, console: Console) -> Iterator[SparkSession]:
    """The given session, or one that lives as long as the demonstration."""
    if given is not None:
        yield given
        return
    cores = usable_cores()
    console.print(f"starting Spark on {cores} cores", highlight=False)
    with local_session(cores) as session:
        yield session
