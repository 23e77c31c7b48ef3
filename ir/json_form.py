"""Plans and variant specs as JSON: canonical text that other processes rebuild exactly."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from hashlib import sha256
from typing import Any, TypeAlias, TypeVar

from ir.aggregates import AggregateCall
from ir.errors import IrError
from ir.expr import Call, Cast, Column, Literal
from ir.operators import (
    Aggregate,
    Filter,
    LookUp,
    Named,
    NamedAggregate,
    Project,
    Sink,
    Source,
    Watermark,
)
from ir.signatures import EvalMode
from ir.types import DataType, Field, Schema, type_named
from ir.user_aggregates import UserAggregate
from ir.variant import (
    FilterOrder,
    HotKeys,
    KeysInRange,
    NoNulls,
    Prefetch,
    SelectRows,
    ShareGroups,
    Tier,
    ValuesInRange,
    VariantSpec,
)
from ir.verify import verify
from ir.windows import CountWindow, SessionWindow, SlidingWindow, TumblingWindow

FORMAT = "kodiak-ir"
VERSION = 1

Json: TypeAlias = Any  # what json.loads returns
T = TypeVar("T")

# The names are part of the format: a class may be renamed, its entry here may not.
NODES: dict[str, Callable[..., object]] = {
    "aggregate": Aggregate,
    "aggregate_call": AggregateCall,
    "call": Call,
    "count_window": CountWindow,
    "cast": Cast,
    "column": Column,
    "field": Field,
    "filter": Filter,
    "filter_order": FilterOrder,
    "hot_keys": HotKeys,
    "keys_in_range": KeysInRange,
    "literal": Literal,
    "look_up": LookUp,
    "named": Named,
    "named_aggregate": NamedAggregate,
    "no_nulls": NoNulls,
    "prefetch": Prefetch,
    "project": Project,
    "schema": Schema,
    "select_rows": SelectRows,
    "session_window": SessionWindow,
    "share_groups": ShareGroups,
    "sink": Sink,
    "sliding_window": SlidingWindow,
    "source": Source,
    "tumbling_window": TumblingWindow,
    "user_aggregate": UserAggregate,
    "values_in_range": ValuesInRange,
    "watermark": Watermark,
    "variant": VariantSpec,
}
_NAMES: dict[object, str] = {node: name for name, node in NODES.items()}

# What JSON has no value for is an object with one of these keys.
_LEAVES: dict[str, Callable[[Any], object]] = {
    "binary": bytes.fromhex,
    "float": float,  # its repr, because JSON has no NaN, infinity or exact -0.0
    "mode": EvalMode,
    "tier": Tier,
    "type": type_named,
}
_ENUMS: dict[type[Enum], str] = {EvalMode: "mode", Tier: "tier"}


def to_json(plan: Sink) -> str:
    """The canonical JSON of a plan: equal plans, and only those, have equal text."""
    return _wrapped("plan", plan)


def from_json(text: str) -> Sink:
    """The plan that `to_json` wrote, verified."""
    plan = _unwrapped("plan", text, Sink)
    verify(plan)
    return plan


def spec_to_json(spec: VariantSpec) -> str:
    """The canonical JSON of a variant spec."""
    return _wrapped("variant", spec)


def spec_from_json(text: str) -> VariantSpec:
    """The variant spec that `spec_to_json` wrote."""
    return _unwrapped("variant", text, VariantSpec)


def content_hash(plan: Sink) -> str:
    """A name for what the plan computes: the SHA-256 of its canonical JSON, in hex."""
    return sha256(to_json(plan).encode("ascii")).hexdigest()


def _wrapped(kind: str, value: object) -> str:
    document = {"format": FORMAT, "version": VERSION, kind: _encode(value)}
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _unwrapped(kind: str, text: str, wanted: type[T]) -> T:
    document = _parse(text)
    if document.get("version") != VERSION:
        raise IrError(
            f"this is {FORMAT} version {document.get('version')!r} and this Kodiak reads"
            f" version {VERSION}; install the same Kodiak version on driver and executors"
        )
    made = _decode(document.get(kind))
    if not isinstance(made, wanted):
        raise IrError(f"expected the {kind} of a {FORMAT} document, got {type(made).__name__}")
    return made


def _parse(text: str) -> Mapping[str, Json]:
    try:
        document = json.loads(text)
    except ValueError as error:
        raise IrError(f"not JSON ({error}); write it with ir.json_form") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise IrError(f"not a {FORMAT} document; write it with ir.json_form")
    return document


def _encode(value: object) -> Json:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return {"float": repr(value)}
        case bytes():
            return {"binary": value.hex()}
        case DataType(name):
            return {"type": name}
        case Enum():
            return {_ENUMS[type(value)]: value.value}
        case tuple():
            return [_encode(part) for part in value]
    return _encode_node(value)


def _encode_node(node: Any) -> Json:
    name = _NAMES.get(type(node))
    if name is None:
        raise IrError(f"{type(node).__name__} has no JSON form; add it to ir.json_form.NODES")
    parts = {f.name: _encode(getattr(node, f.name)) for f in fields(node) if f.init}
    return {"node": name, **parts}


def _decode(value: Json) -> object:
    match value:
        case dict() if "node" in value:
            return _decode_node(value)
        case dict():
            return _decode_leaf(value)
        case list():
            return tuple(_decode(part) for part in value)
        case float():
            raise IrError(f"number {value!r} is not in canonical form; write it with ir.json_form")
    return value


def _decode_node(value: Mapping[str, Json]) -> object:
    name = value["node"]
    node = NODES.get(name) if isinstance(name, str) else None
    if node is None:
        raise IrError(f"unknown node {name!r}: a newer Kodiak wrote this plan; upgrade this one")
    parts = {key: _decode(part) for key, part in value.items() if key != "node"}
    try:
        return node(**parts)
    except (TypeError, AttributeError) as error:
        raise IrError(f"malformed node {name!r} ({error}); write it with ir.json_form") from error


def _decode_leaf(value: Mapping[str, Json]) -> object:
    match list(value.items()):
        case [(kind, content)] if kind in _LEAVES:
            return _read_leaf(kind, content)
    listed = ", ".join(sorted(map(str, value)))
    raise IrError(f"unknown value with ({listed}): a newer Kodiak wrote this; upgrade this one")


def _read_leaf(kind: str, content: Json) -> object:
    try:
        return _LEAVES[kind](content)
    except IrError:
        raise
    except (TypeError, ValueError) as error:
        raise IrError(f"{content!r} is not a {kind}; write it with ir.json_form") from error
