"""The experiments by name; the first line of each function's docstring describes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rich.console import Console

from experiments import kernel_ysb
from experiments.record import Record

Experiment = Callable[[float, Console], Record]

EXPERIMENTS: Mapping[str, Experiment] = {
    "kernel-ysb": kernel_ysb.run,
}


def description(experiment: Experiment) -> str:
    """What an experiment measures, in one line."""
    return (experiment.__doc__ or "").partition("\n")[0]
