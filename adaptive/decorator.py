"""`adaptive`: a decorator for functions that return DataFrames, and a function on DataFrames."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, overload

from adaptive.explain import Explanation
from policies import Fixed, Policy

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery

    from adaptive.spark import StreamHistory

P = ParamSpec("P")
Mode = Literal["auto", "always", "off"]
PolicyName = Literal["adaptive", "generic"]
MODES = ("auto", "always", "off")


@overload
def adaptive(
    target: DataFrame,
    *,
    name: str | None = ...,
    policy: PolicyName | Policy = ...,
    mode: Mode = ...,
) -> DataFrame: ...


@overload
def adaptive(
    target: Callable[P, DataFrame],
    *,
    name: str | None = ...,
    policy: PolicyName | Policy = ...,
    mode: Mode = ...,
) -> Callable[P, DataFrame]: ...


@overload
def adaptive(
    target: None = None,
    *,
    name: str | None = ...,
    policy: PolicyName | Policy = ...,
    mode: Mode = ...,
) -> Callable[[Callable[P, DataFrame]], Callable[P, DataFrame]]: ...


def adaptive(
    target: Any = None,
    *,
    name: str | None = None,
    policy: PolicyName | Policy = "adaptive",
    mode: Mode = "auto",
) -> Any:
    """Run natively what has a native form; Spark keeps the rest, and `explain` says why.

    On a DataFrame it gives a DataFrame, on a function that returns one it gives a
    function, and without either a decorator. `mode="off"` changes nothing,
    `mode="always"` raises where something stays in Spark.
    """
    if mode not in MODES:
        raise ValueError(f"mode is one of {', '.join(MODES)}; got {mode!r}")
    chosen = policy_of(policy)
    if target is None:
        return functools.partial(adaptive, name=name, policy=policy, mode=mode)
    if is_dataframe(target):
        return _adapt(target, name, chosen, mode)
    if callable(target):
        return _decorated(target, name, chosen, mode)
    raise TypeError(f"adaptive takes a DataFrame or a function, got {type(target).__name__}")


def explain(df: DataFrame) -> Explanation:
    """What of a DataFrame runs natively, what stays in Spark, and why."""
    if not is_dataframe(df):
        raise TypeError(f"explain takes a DataFrame, got {type(df).__name__}")
    from adaptive.spark import explain_frame

    return explain_frame(df)


def history(query: StreamingQuery | str) -> StreamHistory:
    """What the workers of an adapted stream have done so far: variants, swaps, micro-batches.

    A query is also known by its id, for some time after its end.
    """
    if not isinstance(query, str) and not _is_of_spark(query, "StreamingQuery"):
        raise TypeError(
            f"history takes a streaming query or its id, got {type(query).__name__};"
            " an engine has a history of its own: engine.history()"
        )
    from adaptive.spark import query_history

    return query_history(query)


def is_dataframe(value: object) -> bool:
    """Whether a value is a Spark DataFrame, classic or Connect, without importing Spark."""
    return _is_of_spark(value, "DataFrame")


def _is_of_spark(value: object, name: str) -> bool:
    return any(
        cls.__name__ == name and cls.__module__.startswith("pyspark.sql")
        for cls in type(value).__mro__
    )


def policy_of(policy: PolicyName | Policy) -> Policy | None:
    """The policy that a name stands for; None is the runtime's own choice."""
    if not isinstance(policy, str):
        return policy
    named: dict[str, Policy | None] = {"adaptive": None, "generic": Fixed()}
    if policy not in named:
        raise ValueError(f"policy is one of {', '.join(named)} or a Policy; got {policy!r}")
    return named[policy]


def _decorated(
    query: Callable[P, DataFrame], name: str | None, policy: Policy | None, mode: Mode
) -> Callable[P, DataFrame]:
    label = name or getattr(query, "__name__", None)

    @functools.wraps(query)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> DataFrame:
        df = query(*args, **kwargs)
        if not is_dataframe(df):
            raise TypeError(
                f"an @adaptive function returns a DataFrame; {label} returned {type(df).__name__}"
            )
        return _adapt(df, label, policy, mode)

    return wrapper


def _adapt(df: DataFrame, name: str | None, policy: Policy | None, mode: Mode) -> DataFrame:
    if mode == "off":
        return df
    # Only here: Engine users need no JVM, and import no pyspark.
    from adaptive.spark import adapt

    return adapt(df, name, policy, mode)
