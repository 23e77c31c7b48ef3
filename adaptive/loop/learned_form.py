"""What loops have learned as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from adaptive.loop.learned import Learned
from ir.json_form import spec_from_json, spec_to_json
from profiler.profile import ColumnFacts, HotKey, KeyFacts, Profile


def learned_to_json(learned: Learned) -> dict[str, Any]:
    """As data that JSON has."""
    return {
        "running": spec_to_json(learned.running),
        "trials": learned.trials,
        "won": [[spec_to_json(spec), time] for spec, time in learned.won.items()],
        "failed": [[sorted(kinds), count] for kinds, count in learned.failed.items()],
        "profile": None if learned.profile is None else _profile(learned.profile),
    }


def learned_from_json(found: dict[str, Any]) -> Learned:
    """The same again; any error means that it was written by another version, or is damaged."""
    profile = found["profile"]
    return Learned(
        spec_from_json(found["running"]),
        int(found["trials"]),
        {spec_from_json(spec): float(time) for spec, time in found["won"]},
        {frozenset(map(str, kinds)): int(count) for kinds, count in found["failed"]},
        None if profile is None else _parsed_profile(**profile),
    )


def _profile(profile: Profile) -> dict[str, Any]:
    """All but what ran when it was made."""
    return {
        "rows": profile.rows,
        "outcomes": list(map(list, profile.outcomes.items())),
        "filters": profile.filters,
        "keys": list(map(asdict, profile.keys)),
        "hot": [[list(hot.key), hot.share] for hot in profile.hot],
        "groups": profile.groups,
        "columns": {name: asdict(facts) for name, facts in profile.columns.items()},
        "back_in_time": profile.back_in_time,
        "dictionaries": dict(profile.dictionaries),
        "threads": profile.threads,
    }


def _parsed_profile(
    outcomes: list[tuple[int, int]],
    keys: list[dict[str, Any]],
    hot: list[list[Any]],
    columns: dict[str, dict[str, Any]],
    **others: Any,
) -> Profile:
    return Profile(
        outcomes=dict(outcomes),
        keys=tuple(KeyFacts(**facts) for facts in keys),
        hot=tuple(HotKey(tuple(key), share) for key, share in hot),
        columns={name: ColumnFacts(**facts) for name, facts in columns.items()},
        **others,
    )
