"""Compare two results folders: `python -m bench.compare A B [--csv FILE]`.

Of two machines, or of two commits. Runs are paired where all settings and the seed are the same; of
throughput, time and epochs to the target and best accuracy there is the ratio B / A of each
configuration with its interval, and whether it is beyond the noise. docs/provenance.md says how.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from bench.claim_runs import CONFIGURATION
from bench.compare.folders import Side, common, read_side, warnings
from bench.compare.pairs import BETTER, METRICS, WORSE, Cell, cells

ALL = "all together"
COLUMNS = [
    *"metric,configuration,a_median,a_low,a_high,a_n,a_reached".split(","),
    *"b_median,b_low,b_high,b_n,b_reached".split(","),
    *"ratio,ratio_low,ratio_high,pairs,floor,says".split(","),
]
_HEADINGS = {
    "images_per_s": "Throughput, images per second",
    "median5_s": "Time to the target accuracy, training seconds (median5)",
    "median5_epochs": "Epochs to the target accuracy (median5)",
    "best_acc": "Best test accuracy",
}
_TIMES = ("median5_s", "median5_epochs")
_WIDE = 160  # of output that is no terminal
_LISTED = 10


def rows_of(a: Side, b: Side, runs: Sequence[str]) -> list[dict[str, Any]]:
    """One row for each metric and configuration, and for each metric of all together."""
    both = pd.concat([side.made[side.made["run"].isin(runs)] for side in (a, b)])
    told = {
        system: [name for name in CONFIGURATION if own.get(name, pd.Series()).nunique() > 1]
        for system, own in both.groupby("system")
    }
    return [_row(cell, told) for metric in METRICS for cell in cells(metric, a.made, b.made)]


def _row(cell: Cell, told: Mapping[Any, Sequence[str]]) -> dict[str, Any]:
    row: dict[str, Any] = {"metric": cell.metric, "floor": cell.floor, "says": cell.says}
    row["configuration"] = _words(cell.runs.iloc[0], told) if cell.a else ALL
    row["pairs"] = cell.ratio.n if cell.ratio else 0
    for name, value in (("a", cell.a), ("b", cell.b)):
        if value:
            row |= {f"{name}_median": value.median, f"{name}_low": value.low}
            row |= {f"{name}_high": value.high, f"{name}_n": value.n}
            row |= {f"{name}_reached": value.n - value.censored} if cell.metric in _TIMES else {}
    if cell.ratio:
        row |= {"ratio": cell.ratio.median, "ratio_low": cell.ratio.low}
        row |= {"ratio_high": cell.ratio.high}
    return row


def _words(run: pd.Series, told: Mapping[Any, Sequence[str]]) -> str:
    """A configuration by its system and the settings that differ among those of the system."""
    plain = ("", "False")
    said = [f"{name} {run[name]}" for name in told[run["system"]] if run[name] not in plain]
    return ", ".join([run["system"], *said])


def show(a: Side, b: Side, runs: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Print what the two are, what may mislead, a table for each metric, and what differs."""
    console = Console(width=None if sys.stdout.isatty() else _WIDE, highlight=False)
    for name, side in (("A", a), ("B", b)):
        of = [", ".join(side.of(column)) or "not recorded" for column in ("machine", "commit")]
        console.print(f"{name}: {side.path}: {len(side.made)} runs, {of[0]}, commit {of[1]}")
    for text in warnings(a, b, list(runs)):
        console.print(f"[bold]Beware:[/] {text}.", soft_wrap=True)
    for metric, heading in _HEADINGS.items():
        own = [row for row in rows if row["metric"] == metric]
        console.print(_table(heading, own))
    for name, side, other in (("A", a, b), ("B", b, a)):
        _show_alone(console, name, side, other, runs)
    found = [row for row in rows if row["says"] in (BETTER, WORSE)]
    number = sum(row["configuration"] != ALL for row in found)
    console.print(f"{number} of {len(rows)} comparisons are beyond the noise.")


def _table(heading: str, rows: Sequence[dict[str, Any]]) -> Table:
    floor = f"; noise stays within × {rows[0]['floor']:.3f}" if rows else ""
    table = Table("configuration", title=f"{heading}{floor}", title_justify="left", box=SIMPLE)
    for name in ("A", "B", "B / A", "pairs"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("")
    for row in rows:
        interval = "–"
        if "ratio" in row:
            interval = f"{row['ratio']:.3f} ({row['ratio_low']:.3f} to {row['ratio_high']:.3f})"
        style = "" if row["says"] in (BETTER, WORSE) else "dim"
        sides = [_side(row, name) for name in ("a", "b")]
        table.add_row(
            row["configuration"], *sides, interval, str(row["pairs"]), row["says"], style=style
        )
    return table


def _side(row: dict[str, Any], name: str) -> str:
    if f"{name}_median" not in row:
        return ""
    median, n = row[f"{name}_median"], row[f"{name}_n"]
    said = "never" if np.isinf(median) else f"{median:,.0f}" if median >= 1000 else f"{median:.4g}"
    reached = row.get(f"{name}_reached", n)
    return said if reached == n else f"{said}, {reached} of {n} reached"


def _show_alone(console: Console, name: str, side: Side, other: Side, runs: Sequence[str]) -> None:
    """The runs of one side alone, with how they ended on the other where they did there."""
    ended = dict(zip(other.rows["run"], other.rows["status"], strict=True))
    alone = [run for run in side.made["run"] if run not in set(runs)]
    if not alone:
        return
    console.print(f"Only in {name}: {len(alone)} runs")
    for run in alone[:_LISTED]:
        there = f" ({ended[run].replace('_', ' ')} in the other)" if run in ended else ""
        console.print(f"  {run}{there}", soft_wrap=True)
    if len(alone) > _LISTED:
        console.print(f"  and {len(alone) - _LISTED} more")


def main(arguments: list[str] | None = None) -> int:
    """The command line; a refusal is one sentence on standard error."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare", description=__doc__)
    parser.add_argument("a", type=Path, metavar="A")
    parser.add_argument("b", type=Path, metavar="B")
    parser.add_argument("--csv", type=Path, help="write the table here too")
    options = parser.parse_args(arguments)
    try:
        a, b = read_side(options.a), read_side(options.b)
        runs = common(a, b)
        rows = rows_of(a, b, runs)
        if options.csv:
            table = pd.DataFrame(rows).reindex(columns=COLUMNS)
            table.to_csv(options.csv, index=False, float_format="%.6g", lineterminator="\n")
    except (OSError, ValueError) as error:
        print(f"Cannot compare: {error}.", file=sys.stderr)
        return 1
    show(a, b, runs, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
