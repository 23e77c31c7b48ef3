"""The forms of `adaptive` and what `explain` tells."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import adaptive as ad
from adaptive import adaptive
from policies import Fixed
from tests.spark.comparison import EVENTS_DDL, assert_same_rows, events, rows_of, write_files


@pytest.fixture
def clicks(spark: SparkSession, data: Path) -> DataFrame:
    write_files(data, [events([("view", n % 3, n, n) for n in range(30)])])
    return spark.read.schema(EVENTS_DDL).parquet(str(data))


def totals(df: DataFrame, least: int = 0) -> DataFrame:
    """Sums of a campaign."""
    return df.where(F.col("value") >= least).groupBy("campaign_id").agg(F.sum("value"))


def test_every_form_gives_the_same_rows(clicks: DataFrame, spark: SparkSession) -> None:
    expected = rows_of(totals(clicks, least=4))
    clicks.createOrReplaceTempView("clicks")
    sql = "select campaign_id, sum(value) from clicks where value >= 4 group by campaign_id"
    forms = [
        adaptive(totals)(clicks, least=4),
        adaptive(name="totals", policy="generic", mode="always")(totals)(clicks, 4),
        adaptive(policy=Fixed())(totals)(clicks, 4),
        adaptive(totals(clicks, 4)),
        adaptive(spark.sql(sql), mode="always"),
        adaptive(adaptive(totals(clicks, 4)), mode="always"),
    ]
    for df in forms:
        assert ad.explain(df).is_native
        assert_same_rows(rows_of(df), expected)


def test_the_decorated_function_keeps_its_name_and_text() -> None:
    assert adaptive(totals).__name__ == "totals"
    assert adaptive(totals).__doc__ == totals.__doc__


def test_mode_off_returns_the_same_object(clicks: DataFrame) -> None:
    df = totals(clicks)
    assert adaptive(df, mode="off") is df
    assert adaptive(mode="off")(totals)(clicks).explain is not None


def test_mode_always_raises_with_the_reasons(clicks: DataFrame) -> None:
    @adaptive(mode="always")
    def spread(df: DataFrame) -> DataFrame:
        return df.groupBy("campaign_id").agg(F.skewness("value"))

    with pytest.raises(ad.CannotAdaptError, match=r"(?i)skewness") as caught:
        spread(clicks)
    assert caught.value.explanation.fragments[0].name == "spread"


def test_arguments_are_checked(clicks: DataFrame) -> None:
    with pytest.raises(ValueError, match="mode is one of"):
        adaptive(clicks, mode="sometimes")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="policy is one of"):
        adaptive(clicks, policy="magic")  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="takes a DataFrame or a function"):
        adaptive(3)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="returned int"):
        adaptive(lambda: 3)()  # type: ignore[arg-type, return-value]
    with pytest.raises(TypeError, match="explain takes a DataFrame"):
        ad.explain(3)  # type: ignore[arg-type]


def test_explain_is_a_tree_with_a_summary(clicks: DataFrame) -> None:
    lines = str(ad.explain(adaptive(totals)(clicks, 4))).splitlines()
    assert lines[0] == "3 of 3 operators native; scan fused"
    assert [line[:6].strip() for line in lines[1:]] == ["Spark", *["native"] * 3, "Spark"]
    assert lines[2].endswith("(totals: compiled into one loop over the rows of the files)")
    assert lines[3] == "native     +- filter value >= int32 4"
    having = totals(clicks, 4).where("campaign_id > 1").orderBy("campaign_id")
    assert ad.explain(having).fragments[0].kept[-2:] == ("Filter", "Sort")
    assert ad.explain(having).summary.endswith("; kept in Spark: Sort, Filter")


def test_the_tree_as_data(clicks: DataFrame, spark: SparkSession) -> None:
    """Two branches, one native and one not; each part has its own reason."""
    clicks.createOrReplaceTempView("clicks")
    df = spark.sql(
        "with good as (select campaign_id, sum(value) s from clicks group by campaign_id)"
        " select g.s, b.n from good g join"
        " (select initcap(event_type), count(*) n from clicks group by 1) b on g.s > b.n"
    )
    for explanation in (ad.explain(df), ad.explain(adaptive(df))):
        assert explanation.tree is not None
        assert (explanation.tree.operator, explanation.tree.native) == ("Project", False)
        [join] = explanation.tree.children
        good, bad = join.children
        while good.text != "shuffle and merge partials":  # a projection of Spark's
            [good] = good.children
        assert [node.operator for node in good.walk()] == ["", "aggregate", "scan", ""]
        assert [node.native for node in good.walk()] == [False, True, True, False]
        while bad.operator != "Aggregate":
            [bad] = bad.children
        assert "`initcap(clicks.event_type)`: InitCap has no native form" in bad.reason
        assert all(not node.native for node in bad.walk())
        assert "(works on what the native part puts out)" in str(explanation).splitlines()[1]
        assert explanation.summary.startswith("2 of ")


def test_the_tree_without_a_native_part(clicks: DataFrame) -> None:
    explanation = ad.explain(clicks.limit(3))
    kept = "GlobalLimit, LocalLimit, scan"
    assert explanation.summary == f"0 of 3 operators native; kept in Spark: {kept}"
    assert str(explanation).count("neither an aggregate nor a filter") == 1
    assert ad.Explanation(reasons=("because",)).summary == "nothing runs natively"


def test_explain_of_what_was_derived_from_an_adapted_dataframe(clicks: DataFrame) -> None:
    derived = adaptive(totals)(clicks).where("campaign_id > 0").orderBy("campaign_id")
    assert [f.name for f in ad.explain(derived).fragments] == ["totals"]


def test_explain_does_not_change_the_dataframe(clicks: DataFrame) -> None:
    df = totals(clicks)
    assert ad.explain(df).is_native
    assert "MapInArrow" not in df._jdf.queryExecution().toString()


def test_a_dataframe_without_a_jvm_stays_as_it_is() -> None:
    """Spark Connect has no plan to look at."""
    # Made up, because the real class needs grpc to be installed.
    df: DataFrame = type("DataFrame", (), {"__module__": "pyspark.sql.connect.dataframe"})()
    assert adaptive(df) is df
    assert "Spark Connect" in str(ad.explain(df))
    with pytest.raises(ad.CannotAdaptError, match="Spark Connect"):
        adaptive(df, mode="always")
