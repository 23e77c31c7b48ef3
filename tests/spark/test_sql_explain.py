"""The command `adaptive explain`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner, Result

from adaptive import cli
from tests.spark.comparison import events, write_files


@pytest.fixture(autouse=True)
def one_session(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def session(cores: int) -> Iterator[SparkSession]:
        yield spark

    monkeypatch.setattr("adaptive.demo.session.local_session", session)


def explain(*arguments: str) -> Result:
    return CliRunner().invoke(cli.app, ["explain", *arguments])


def test_sql_text_over_files(data: Path) -> None:
    write_files(data, [events([("view", 1, 1, 1)])])
    table = f"--table=clicks={data}"
    query = "select campaign_id, sum(value) from clicks group by 1"
    for options, kind in ((), "table"), (("--stream",), "stream"):
        result = explain(query, table, *options)
        assert result.exit_code == 0, result.output
        assert result.stdout.startswith("2 of 2 operators native; scan fused\n")
        assert f"scan Parquet {kind} " in result.stdout
    refused = explain("select initcap(event_type), count(*) from clicks group by 1", table)
    assert refused.exit_code == 1
    assert "InitCap has no native form" in refused.stdout


def test_what_spark_does_not_understand_is_refused_in_a_line(tmp_path: Path) -> None:
    for arguments, text in (
        (("select 1 from nowhere",), "nowhere"),
        (("select 1 from t", f"--table=t={tmp_path / 'nothing'}"), "PATH_NOT_FOUND"),
        (("select 1", "--table=t"), "--table is NAME=FOLDER"),
    ):
        result = explain(*arguments)
        assert result.exit_code == 2
        *_, line = result.stderr.strip().splitlines()  # PySpark may log before it
        assert line.startswith("error: ")
        assert text in line
