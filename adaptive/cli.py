"""The command `adaptive`: the demonstration, plans explained, and an examination of the machine.

Exit codes: 0 all is well; 1 it ran, but the outcome is bad (results differ, nothing of
a query is native, or something that is needed is missing); 2 it could not run as asked.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Kodiak: an adaptive just-in-time compiler for Spark stream queries.",
)


class Refusal(Exception):
    """Something that cannot be done as asked; the text names the option or file and the fix."""


Scale = Annotated[
    float, typer.Option(help="Size of the stream in millions of rows; about 7 MB each.")
]
Data = Annotated[
    Path | None,
    typer.Option(
        help="Directory for the Parquet files; a data set of the same size there is used again.",
        show_default="a folder in the user's cache",
    ),
]
Rounds = Annotated[int, typer.Option(help="Timed rounds of each side, after one to warm up.")]
Keep = Annotated[bool, typer.Option("--keep/--no-keep", help="Keep the files for the next time.")]


@app.command()
def demo(scale: Scale = 10.0, data: Data = None, rounds: Rounds = 5, keep: Keep = True) -> None:
    """Run one stream query by Spark alone and with Kodiak, compare results and times.

    The query is that of the Yahoo Streaming Benchmark: the revenue of views by
    campaign in windows of 10 seconds. Needs Java 17 or 21.
    """
    try:
        identical = _demo(_rows(scale), data, _checked_rounds(rounds), keep)
    except Refusal as refusal:
        raise _stop(str(refusal)) from refusal
    raise typer.Exit(0 if identical else 1)


@app.command()
def doctor() -> None:
    """Examine Python, compiler, Java, counters and memory; say how to get what is missing."""
    from adaptive.doctor import examine, show

    raise typer.Exit(0 if show(examine(), Console()) else 1)


@app.command()
def package(file: Annotated[Path, typer.Argument(help="The archive to write.")]) -> None:
    """Write Kodiak as a zip file for `SparkContext.addPyFile` or `spark-submit --py-files`.

    Executors then need only the packages that Kodiak imports: pyarrow, numpy, llvmlite, psutil.
    """
    from adaptive.packaging import package as write

    try:
        print(write(file))
    except OSError as error:
        raise _stop(f"cannot write {file}: {error.strerror}; name a file that can be") from error


Tables = Annotated[
    list[str] | None, typer.Option("--table", help="NAME=FOLDER of Parquet files; may be repeated.")
]


@app.command()
def explain(
    query: Annotated[str, typer.Argument(help="SQL text.")],
    table: Tables = None,
    stream: Annotated[bool, typer.Option(help="Read the files as a stream.")] = False,
) -> None:
    """Show which parts of a query would run natively, which stay in Spark, and why."""
    try:
        native = _explain(query, _tables(table or []), stream)
    except Refusal as refusal:
        raise _stop(str(refusal)) from refusal
    raise typer.Exit(0 if native else 1)


def main() -> None:
    """The entry point of the console script."""
    app(prog_name="adaptive")


def default_data(rows: int) -> Path:
    """Where the data set of a size is kept when the user does not say."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache, "kodiak", f"ysb-{rows}")


def _demo(rows: int, data: Path | None, rounds: int, keep: bool) -> bool:
    """Run the demonstration; true if both results were identical."""
    _require_java()
    # Only now: importing Spark takes a second.
    from adaptive.demo.run import DataSetError, DemoSettings, run_demo
    from adaptive.demo.session import SparkFailed

    settings = DemoSettings(rows, data or default_data(rows), rounds, keep)
    try:
        return run_demo(settings, Console()).comparison.identical
    except DataSetError as error:
        fix = "choose another directory with --data, or a smaller --scale"
        raise Refusal(f"cannot make the data set: {error}; {fix}") from error
    except SparkFailed as error:
        raise _stop(str(error), code=1) from error


def _tables(given: list[str]) -> dict[str, str]:
    pairs = [text.partition("=") for text in given]
    for name, _, path in pairs:
        if not (name and path):
            raise Refusal(f"--table is NAME=FOLDER, such as events=/data/events; got {name!r}")
    return {name: path for name, _, path in pairs}


def _explain(query: str, tables: dict[str, str], stream: bool) -> bool:
    """Print the plan as a tree; true if a part of it is native."""
    _require_java()
    from adaptive.demo.session import local_session
    from adaptive.spark.sql_explain import NotExplained, explain_sql

    with local_session(1) as spark:
        try:
            explanation = explain_sql(spark, query, tables, stream)
        except NotExplained as error:
            raise Refusal(str(error)) from error
    print(explanation)
    return explanation.is_native


def _require_java() -> None:
    """Before minutes go into making data."""
    from adaptive.java import JavaMissing, find_java

    try:
        find_java()
    except JavaMissing as error:
        raise Refusal(str(error)) from error


def _rows(scale: float) -> int:
    if not (math.isfinite(scale) and round(scale * 1_000_000) >= 1):
        raise Refusal(f"--scale is millions of rows and must be above 0, got {scale:g}; try 10")
    return round(scale * 1_000_000)


def _checked_rounds(rounds: int) -> int:
    if rounds < 1:
        raise Refusal(f"--rounds must be at least 1, got {rounds}; try 5")
    return rounds


def _stop(message: str, code: int = 2) -> typer.Exit:
    """Print one line to the standard error, and the exit that goes with it."""
    console = Console(stderr=True)
    console.print(f"error: {message}", style="red", markup=False, highlight=False, soft_wrap=True)
    return typer.Exit(code)


if __name__ == "__main__":
    main()
