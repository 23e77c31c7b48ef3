"""Command line of the experiments: `python -m experiments list | run NAME`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from experiments.baselines.c_compiler import CompilerError
from experiments.registry import EXPERIMENTS

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Measure Kodiak.")
console = Console()


@app.command("list")
def list_experiments() -> None:
    """List the experiments."""
    width = max(map(len, EXPERIMENTS))
    for name, experiment in EXPERIMENTS.items():
        line = f"{name:{width}}  {experiment.description} Scale: {experiment.scale:g}."
        console.print(line, highlight=False, soft_wrap=True)


@app.command("run")
def run_experiment(
    name: Annotated[str, typer.Argument(help="One of: " + ", ".join(EXPERIMENTS) + ".")],
    scale: Annotated[
        float | None,
        typer.Option(
            help="How much: "
            + "; ".join(f"{n}: {e.scale:g}, in {e.unit}" for n, e in EXPERIMENTS.items())
            + ".",
            show_default=False,
        ),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(help="Of an experiment with parts, only this one; may be given again."),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="Also write the record to this file.")] = None,
) -> None:
    """Run one experiment and print its tables, ratios and targets."""
    if name not in EXPERIMENTS:
        raise typer.BadParameter(f"no experiment {name!r}; there are: {', '.join(EXPERIMENTS)}")
    experiment = EXPERIMENTS[name]
    scale = experiment.scale if scale is None else scale
    if not 1e-6 <= scale < math.inf:
        raise typer.BadParameter(f"--scale is in {experiment.unit}, at least 1e-6; got {scale}")
    chosen = {"only": tuple(_known_parts(name, only))} if only else {}
    try:
        record = experiment.run(scale, console, **chosen)
    except CompilerError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(1) from error
    record.show(console)
    if json is not None:
        record.write(json)
        console.print(f"record: {json}")


def _known_parts(name: str, only: list[str]) -> list[str]:
    """The parts of an experiment that were asked for."""
    parts = EXPERIMENTS[name].parts
    for part in only:
        if part not in parts:
            there = f"there are: {'; '.join(parts)}" if parts else "it has no parts"
            raise typer.BadParameter(f"{name} has no part {part!r}; {there}")
    return only


if __name__ == "__main__":
    app()
