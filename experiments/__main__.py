"""Command line of the experiments: `python -m experiments list | run NAME`."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from experiments.baselines.c_compiler import CompilerError
from experiments.registry import EXPERIMENTS, description

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Measure Kodiak.")
console = Console()


@app.command("list")
def list_experiments() -> None:
    """List the experiments."""
    width = max(map(len, EXPERIMENTS))
    for name, experiment in EXPERIMENTS.items():
        console.print(f"{name:{width}}  {description(experiment)}", highlight=False, soft_wrap=True)


@app.command("run")
def run_experiment(
    name: Annotated[str, typer.Argument(help="One of the names that `list` prints.")],
    scale: Annotated[float, typer.Option(help="Millions of rows.")] = 10.0,
    json: Annotated[Path | None, typer.Option(help="Also write the record to this file.")] = None,
) -> None:
    """Run one experiment and print its table and ratios."""
    if name not in EXPERIMENTS:
        raise typer.BadParameter(f"no experiment {name!r}; there are: {', '.join(EXPERIMENTS)}")
    if not 1 <= scale * 1_000_000 < math.inf:
        raise typer.BadParameter(f"--scale must give at least one row, got {scale} million")
    try:
        record = EXPERIMENTS[name](scale, console)
    except CompilerError as error:
        console.print(str(error), style="red", markup=False)
        raise typer.Exit(1) from error
    record.show(console)
    if json is not None:
        record.write(json)
        console.print(f"record: {json}")


if __name__ == "__main__":
    app()
