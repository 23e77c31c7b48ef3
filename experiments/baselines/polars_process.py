"""Polars in a process of its own, which is kept warm: its number of threads is set at import."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.connection import Connection
from typing import Any

import pyarrow as pa

from experiments.workloads import Workload

THREADS_VARIABLE = "POLARS_MAX_THREADS"


class PolarsFailed(RuntimeError):
    """A query raised in the process of Polars; the message is the one from there."""


class Polars:
    """Polars with a number of threads, timed where it runs."""

    name = "Polars"

    def __init__(self, threads: int) -> None:
        self.threads = threads
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, threads), daemon=True)
        self._process.start()
        theirs.close()

    def formulations(self, workload: Workload, rows: int) -> tuple[str, ...]:
        """The names of the ways to write the query."""
        found: tuple[str, ...] = self._ask("formulations", workload)
        return found

    def run(self, workload: Workload, rows: int, way: str) -> tuple[pa.Table, int]:
        """The query's result, in no particular order, and the nanoseconds that it took."""
        table, elapsed_ns = self._ask("run", workload, rows, way)
        return table, elapsed_ns

    def close(self) -> None:
        """End the process."""
        self._connection.close()
        self._process.join()

    def _ask(self, *request: object) -> Any:
        self._connection.send(request)
        answer = self._connection.recv()
        if isinstance(answer, Exception):
            raise PolarsFailed(f"Polars, {self.threads} threads, {request}: {answer}") from answer
        return answer


def _serve(connection: Connection, threads: int) -> None:
    """Answer requests until the other side closes the connection."""
    os.environ[THREADS_VARIABLE] = str(threads)
    from experiments.baselines import polars_queries

    while True:
        try:
            what, *arguments = connection.recv()
        except EOFError:
            return
        try:
            if what == "run":
                connection.send(polars_queries.run(*arguments))
            else:
                connection.send(tuple(polars_queries.formulations(*arguments)))
        except Exception as error:
            connection.send(RuntimeError(f"{type(error).__name__}: {error}"))
