"""The Spark session of the demonstration: local, quiet, the same for both contestants."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from adaptive.java import find_java

_LOG_SETTINGS = """\
rootLogger.level = error
# Named, or else PySpark sets its own level and says so in two lines.
logger.pyspark.name = org.apache.spark.api.python.PythonGatewayServer
logger.pyspark.level = error
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.target = SYSTEM_ERR
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
"""


class SparkFailed(RuntimeError):
    """Spark did not start, or a query of it failed."""


def usable_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def prepare_environment() -> None:
    """Let Spark find Java and this Python; another Spark that is installed is not meant."""
    os.environ["JAVA_HOME"] = str(find_java().home)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # Spark's parts talk over this address; a container's host name may not resolve.
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    for name in ("SPARK_HOME", "SPARK_CONF_DIR", "PYSPARK_DRIVER_PYTHON"):
        os.environ.pop(name, None)


@contextmanager
def local_session(cores: int) -> Iterator[SparkSession]:
    """A session on this machine that ends with the block."""
    prepare_environment()
    with TemporaryDirectory(prefix="kodiak-spark-") as folder:
        try:
            session = _start(cores, Path(folder))
        except PySparkException as error:
            raise SparkFailed(f"Spark did not start: {first_line(error)}") from error
        try:
            yield session
        finally:
            session.stop()


def first_line(error: BaseException) -> str:
    """The part of an error that says what happened, without Java's stack."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def _start(cores: int, folder: Path) -> SparkSession:
    log_settings = folder / "log4j2.properties"
    log_settings.write_text(_LOG_SETTINGS, encoding="ascii")
    settings = {
        "spark.driver.memory": "2g",
        "spark.driver.extraJavaOptions": f"-Dlog4j2.configurationFile=file:{log_settings}",
        "spark.local.dir": str(folder),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        # One task a core: with the default of 200, empty tasks would be most of the time.
        "spark.sql.shuffle.partitions": str(cores),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("kodiak-demo")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()
