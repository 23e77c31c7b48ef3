"""What an experiment found, as data: tables of figures, and targets that hold or do not."""

from __future__ import annotations

from dataclasses import dataclass

from rich.box import SIMPLE
from rich.table import Table

Cell = str | float | int | None


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of figures; None stands for what does not exist or could not be measured."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.title}: {row} has not the columns {self.columns}")

    def render(self) -> Table:
        """The table for a console."""
        table = Table(title=self.title, box=SIMPLE, padding=(0, 1, 0, 0))
        for index, name in enumerate(self.columns):
            table.add_column(name, justify="right" if index else "left")
        for row in self.rows:
            table.add_row(*map(shown, row))
        return table


@dataclass(frozen=True, slots=True)
class Target:
    """A figure that should reach a bound; without a figure it is not measured."""

    name: str
    measured: float | None
    needed: float
    at_most: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether it is reached; None where nothing was measured."""
        if self.measured is None:
            return None
        return self.measured <= self.needed if self.at_most else self.measured >= self.needed


def targets_table(targets: tuple[Target, ...]) -> Table:
    """Which targets hold."""
    table = Table(title="targets", box=SIMPLE, padding=(0, 1, 0, 0))
    table.add_column("target")
    for name in ("needed", "measured", "holds"):
        table.add_column(name, justify="right")
    for target in targets:
        bound = f"{'<=' if target.at_most else '>='} {target.needed:g}"
        verdict = {True: "[green]yes[/green]", False: "[red]no[/red]", None: "not measured"}
        table.add_row(target.name, bound, shown(target.measured), verdict[target.holds])
    return table


def shown(cell: Cell) -> str:
    """A figure with about three digits."""
    match cell:
        case None:
            return "-"
        case float():
            return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"
        case int():
            return f"{cell:,}"
    return cell
