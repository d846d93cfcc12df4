"""The table that `bench.watch` shows: a header, the runs, and why those that failed did."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Literal, NamedTuple

from rich.console import Group, RenderableType
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from bench import record
from bench.watch.device_use import use
from bench.watch.observe import PLANNED, RUNNING, WENT_WELL, Run
from bench.watch.remaining import all_left_s, left_s, used_s

BARS, ASCII_BARS = "▁▂▃▄▅▆▇█", "_.-~=+*#"
TREND, GAP, NARROWEST_ID = 12, 2, 30
STYLES = {RUNNING: "bold cyan", record.REACHED: "green", record.FINISHED: "yellow", PLANNED: "dim"}


class Column(NamedTuple):
    """A column beside the id: its width, a cell's text from a run and the time now, its side."""

    name: str
    width: int
    cell: Callable[[Run, float], str]
    justify: Literal["left", "right"] = "right"


def table(
    results: Path,
    runs: Sequence[Run],
    now: float,
    width: int,
    height: int | None = None,
    bars: str = BARS,
) -> RenderableType:
    """Everything, in `width` cells and, where given, `height` lines: what is cut is counted."""
    ordered = in_order(runs)
    columns, room = _fitting(width, bars)
    id_width = min(room, max(len("run"), *(len(run.id) for run in runs)))
    bad = [run for run in ordered if run.state not in (RUNNING, PLANNED, *WENT_WELL)]
    reasons = len(bad) if height is None else min(len(bad), max(1, height // 6))
    around = 5 + (reasons and reasons + 1 + (reasons < len(bad)))  # all lines that aren't runs
    shown = len(ordered) if height is None else max(1, height - around)
    grid = Table(box=None, padding=(0, GAP, 0, 0), pad_edge=False)
    grid.add_column("run", width=id_width, no_wrap=True)
    for column in columns:
        grid.add_column(column.name, width=column.width, justify=column.justify, no_wrap=True)
    for run in ordered[:shown]:
        cells = [column.cell(run, now) for column in columns]
        style = STYLES.get(run.state, "bold red")
        grid.add_row(shortened(run.id, id_width), Text(cells[0], style), *cells[1:])
    parts: list[RenderableType] = [*_header(results, runs, now, width), "", grid]
    if shown < len(ordered):
        parts.append(_cut(ordered[shown:]))
    if reasons:
        parts.append("")
        for run in bad[:reasons]:
            whole = Text(f"{run.state} {run.id}: {run.reason}", "red")
            parts.append(whole if height is None else _line(whole.plain, "red"))
        if reasons < len(bad):
            parts.append(_line(f"and {len(bad) - reasons} more that went wrong", "red"))
    return Group(*parts)


def in_order(runs: Sequence[Run]) -> list[Run]:
    """Running runs, what went wrong, the others from the latest on, and what is still to come."""

    def rank(run: Run) -> tuple[int, float]:
        groups = {RUNNING: 0, PLANNED: 3} | dict.fromkeys(WENT_WELL, 2)
        latest = 0.0 if run.state == PLANNED else -(run.ended_at or run.heard_at)
        return groups.get(run.state, 1), latest

    return sorted(runs, key=rank)


def counts(runs: Sequence[Run]) -> str:
    """How many runs have ended and how, in words."""
    by_state = Counter(run.state for run in in_order(runs))
    ended = sum(bool(run.ended_at) for run in runs)
    each = ", ".join(f"{count} {state}" for state, count in by_state.items())
    return f"{ended} of {len(runs)} runs ended: {each}"


def sparkline(values: Sequence[float], width: int, bars: str = BARS) -> str:
    """`values` in at most `width` bars, from the lowest of them to the highest.

    Of more values than bars, each bar has the last of its share.
    """
    finite = [value for value in values if math.isfinite(value)]
    if len(finite) > width:
        finite = [finite[(i + 1) * len(finite) // width - 1] for i in range(width)]
    if not finite:
        return ""
    low, span = min(finite), max(finite) - min(finite)
    top = len(bars) - 1
    return "".join(bars[round((v - low) / span * top) if span else top // 2] for v in finite)


def shortened(text: str, width: int) -> str:
    """`text` in at most `width` cells; of an id both ends matter, so the middle goes."""
    if len(text) <= width:
        return text
    kept = width - 2
    return f"{text[: kept // 2]}..{text[len(text) - (kept - kept // 2) :]}"


def duration(seconds: float | None) -> str:
    """Hours, minutes and seconds; empty for None."""
    return "" if seconds is None else str(timedelta(seconds=round(seconds)))


def _fitting(width: int, bars: str) -> tuple[list[Column], int]:
    """The columns for which `width` has room beside an id, and the room that is left for that.

    The last of this list go first.
    """
    columns = [
        Column("status", 13, lambda run, now: run.state, "left"),
        Column("epoch", 7, lambda run, now: _epoch(run)),
        Column("accuracy", 8, lambda run, now: _last(run, "test_acc", ".4f")),
        Column("left", 8, lambda run, now: duration(left_s(run, now))),
        Column("used", 8, lambda run, now: duration(used_s(run, now))),
        Column("images/s", 9, lambda run, now: _last(run, "images_per_s", ",.0f")),
        Column("use", 8, lambda run, now: _use(run)),
        Column("trend", TREND, lambda run, now: _trend(run, bars), "left"),
    ]
    while len(columns) > 1 and _room(width, columns) < NARROWEST_ID:
        columns.pop()
    order = ["status", "epoch", "accuracy", "trend", "images/s", "use", "used", "left"]
    return sorted(columns, key=lambda column: order.index(column.name)), _room(width, columns)


def _room(width: int, columns: Sequence[Column]) -> int:
    return max(1, width - sum(column.width + GAP for column in columns) - GAP)


def _header(results: Path, runs: Sequence[Run], now: float, width: int) -> list[RenderableType]:
    """How far the whole is: in words, as a bar, in time."""
    done = sum(
        1.0 if run.ended_at else len(run.epochs) / run.spec["epochs"] if run.spec else 0.0
        for run in runs
    )
    used = sum(used_s(run, now) or 0.0 for run in runs)
    time = f"{done / len(runs):.0%} done, {duration(used)} used"
    left = all_left_s(runs, now)
    if left is not None and done < len(runs):
        time += f", about {duration(left)} left"
    bar = Table.grid(padding=(0, GAP, 0, 0))
    bar.add_row(ProgressBar(total=len(runs), completed=done, width=max(1, width // 3)), _line(time))
    ended = counts(runs)  # matters more than all of a long path
    path = shortened(str(results), max(12, width - len(ended) - 2))
    return [_line(f"{path}: {ended}", "bold"), bar]


def _cut(rest: Sequence[Run]) -> Text:
    by_state = Counter(run.state for run in rest)
    return _line(f"and {', '.join(f'{n} more {state}' for state, n in by_state.items())}", "dim")


def _line(text: str, style: str = "") -> Text:
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def _epoch(run: Run) -> str:
    return f"{len(run.epochs)}/{run.spec['epochs']}" if run.spec else ""


def _last(run: Run, name: str, form: str) -> str:
    return format(run.epochs[-1][name], form) if run.epochs else ""


def _trend(run: Run, bars: str) -> str:
    return sparkline([epoch["test_acc"] for epoch in run.epochs], TREND, bars)


def _use(run: Run) -> str:
    busy = use(run)
    if busy is None:
        return ""
    return f"GPU {busy:.0%}" if run.spec["device_type"] == "cuda" else f"CPU {busy:.1f}"
