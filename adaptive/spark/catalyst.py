"""Thin reading helpers over Spark's Catalyst trees, which live in the JVM behind py4j."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from pyspark.sql import DataFrame, SparkSession

# A py4j proxy: plans, expressions, types and options are all of this kind.
JavaObject: TypeAlias = Any


def seq(items: JavaObject) -> list[JavaObject]:
    """A Scala sequence as a Python list."""
    return [items.apply(position) for position in range(items.size())]


def class_name(node: JavaObject) -> str:
    """The simple class name, by which nodes are told apart."""
    return str(node.getClass().getSimpleName())


def children(node: JavaObject) -> list[JavaObject]:
    """The children of a plan or expression node, in order."""
    return seq(node.children())


def walk(node: JavaObject) -> Iterator[JavaObject]:
    """The node and all below it, parents first."""
    yield node
    for child in children(node):
        yield from walk(child)


def expr_id(attribute: JavaObject) -> int:
    """The number that identifies an attribute, whatever its name."""
    return int(attribute.exprId().id())


def sql_text(expression: JavaObject) -> str:
    """The expression as SQL, short enough for a message."""
    text = str(expression.sql())
    return text if len(text) <= 120 else text[:117] + "..."


def option(value: JavaObject) -> JavaObject | None:
    """A Scala Option as a value or None."""
    return value.get() if value.isDefined() else None


def string_map(pairs: JavaObject) -> dict[str, str]:
    """A Scala map of strings as a dict."""
    found: dict[str, str] = {}
    entries = pairs.iterator()
    while entries.hasNext():
        entry = entries.next()
        found[str(entry._1())] = str(entry._2())
    return found


def analyzed_plan(df: DataFrame) -> JavaObject:
    """The plan of a DataFrame after analysis and before optimization."""
    return df._jdf.queryExecution().analyzed()


class Catalyst:
    """Builds Catalyst nodes in the JVM of one session."""

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark
        self.session: JavaObject = spark._jsparkSession
        self.jvm: JavaObject = spark._jvm
        catalyst: JavaObject = spark._jvm.org.apache.spark.sql.catalyst  # type: ignore[union-attr]
        self.expressions = catalyst.expressions
        self.logical = catalyst.plans.logical
        self.none: JavaObject = self.singleton("scala.None")

    def singleton(self, name: str) -> JavaObject:
        """The instance of a Scala object."""
        return getattr(getattr(self.jvm, f"{name}$"), "MODULE$")

    def sequence(self, items: Iterable[JavaObject]) -> JavaObject:
        """A Scala sequence of the items."""
        return self.jvm.PythonUtils.toSeq(list(items))

    def some(self, value: JavaObject) -> JavaObject:
        """A Scala Option that holds the value."""
        return self.singleton("scala.Some").apply(value)

    def renamed(self, child: JavaObject, target: JavaObject) -> JavaObject:
        """An alias of `child` that is indistinguishable from the attribute `target`."""
        return self.expressions.Alias(
            child,
            target.name(),
            target.exprId(),
            target.qualifier(),
            self.some(target.metadata()),
            self.sequence([]),
        )

    def parsed(self, text: str) -> JavaObject:
        """An expression from SQL text, still to be resolved by the analyzer."""
        return self.session.sessionState().sqlParser().parseExpression(text)

    def frame(self, plan: JavaObject) -> DataFrame:
        """A DataFrame over a logical plan, which is analyzed on the way."""
        dataset = self.singleton("org.apache.spark.sql.classic.Dataset")
        return DataFrame(dataset.ofRows(self.session, plan), self.spark)

    def optimized(self, plan: JavaObject) -> JavaObject:
        """The plan as Spark's optimizer leaves it; works for streaming plans too."""
        return self.session.sessionState().optimizer().execute(plan)
