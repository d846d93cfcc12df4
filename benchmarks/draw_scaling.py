"""Throughput over devices, a panel per network: predicted, with its band, and measured."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks import draw_panels
from benchmarks import scaling_data as data
from benchmarks.draw_engine import NETWORKS
from benchmarks.draw_numbers import make_numbers
from benchmarks.draw_sources import tell
from benchmarks.inputs import rows_of
from benchmarks.results import Source
from benchmarks.scaling_measured import RUNS, SAME, base, beforehand, measurements, pairs
from plots import _counts, _hover, style

CELL = ["system", "batch", "learners", "precision"]
SPEED_UPS = ["speed_up", "speed_up_low", "speed_up_high"]
SHIFT = 0.1  # octaves between the marks of two lines


def draw(folder: Path) -> tuple[Figure, str]:
    """The figure and its caption.

    Raises:
        ValueError: scaling_prediction.csv, or what it was made of, is missing or is not what it
            should be; one sentence.
    """
    path = folder / "scaling_prediction.csv"
    again = "`python -m benchmarks.scaling_model predict` writes it"
    numbers = [*SPEED_UPS, "devices", "base_images_per_s"]
    table = pd.DataFrame(rows_of(path, [*SAME, *numbers, "images_per_s"], again))
    asked, systems = len(table), set(table["system"])
    table = table[table["images_per_s"] != ""]
    told = len(table)
    if not told:
        raise ValueError(f"{path} has no cell that could be predicted: {again}")
    make_numbers(table, path, numbers)
    # Of a cell that is asked for in two forms the first.
    table = table.drop_duplicates(["model", "dataset", *CELL, "devices"])
    measured = measurements(folder)
    panels_of = list(table.groupby(["model", "dataset"], sort=False))
    figure, panels = draw_panels.grid(len(panels_of), 2.6, 3.0, sharey=True)
    for panel, ((model, dataset), rows) in zip(panels, panels_of, strict=True):
        _panel(panel, rows, measured, systems)
        panel.set_title(NETWORKS.get(model, model) + (f", {dataset}" * (model == "lenet")))
    for panel in draw_panels.firsts(panels):
        panel.set_ylabel("throughput by that of as many alone")
    draw_panels.legends(draw_panels.rows(panels))
    return figure, (
        "Throughput of several devices, as a share of what as many would have alone. Hollow marks "
        "are predicted from one and two devices; their bars are the band, which is what "
        "different readings of the cell's own and of all measurements on two devices give, wider "
        "where the cell was on one alone. "
        "Full marks are measured: by one device in the same call, or, of training runs, by the one "
        "that the prediction is from. "
        f"{told} of {asked} cells could be predicted; m learners per device, "
        f"b their batch. Measured: {tell(figure, _sources(folder, table, measured))}"
    )


def _sources(
    folder: Path, table: pd.DataFrame, measured: list[dict]
) -> Iterator[tuple[str, Source]]:
    """What it was predicted from, and what is drawn beside."""
    before = beforehand(measured)
    used = [two for _, two in pairs(before)]
    for cell in table.to_dict("records"):
        used += filter(None, [base(cell, before)])
        used += [row for row, _ in _on_several(cell, measured).values()]
    for row in used:
        yield "training runs" if row["call"] == RUNS else f"call {row['call']}", row["source"]
    yield "all-reduces", data.source_of_sums(folder)


def _panel(panel: Axes, rows: pd.DataFrame, measured: list[dict], systems: set[str]) -> None:
    cells = list(rows.groupby(CELL, sort=False))
    names = [_name(*cell) for cell, _ in cells]
    told = pd.DataFrame([cell for cell, _ in cells], columns=CELL)
    looks = style.series_looks(told.assign(series=names, workload=""), systems)
    for turn, (name, (_, line)) in enumerate(zip(names, cells, strict=True)):
        look = looks[name] | ({} if len(line) > 1 else {"linestyle": ""})
        apart = 2 ** (SHIFT * (turn - (len(cells) - 1) / 2))
        shares = {end: line[f"speed_up{end}"] / line["devices"] for end in ("", "_low", "_high")}
        at = line["devices"] * apart
        panel.vlines(
            at, shares["_low"], shares["_high"], color=look["color"], linewidth=2, alpha=0.5
        )
        (drawn,) = panel.plot(at, shares[""], **look, markerfacecolor="white", linewidth=0.7)
        _hover.tell(drawn, [
            f"{name}, {one.devices} devices: predicted {one.speed_up:.2f} times "
            f"({one.speed_up_low:.2f} to {one.speed_up_high:.2f})"
            for one in line.itertuples()
        ])  # fmt: skip
        for devices, (_, speed_up) in _on_several(line.iloc[0].to_dict(), measured).items():
            dot = {"color": look["color"], "marker": look["marker"], "linestyle": ""}
            (drawn,) = panel.plot(devices * apart, speed_up / devices, **dot)
            _hover.tell(drawn, [f"{name}, {devices} devices: measured {speed_up:.2f} times"])
    panel.axhline(1, color=style.FAINT, linestyle=":", linewidth=1)
    panel.set_xscale("log", base=2)
    _counts.count_ticks(panel.xaxis, pd.Series([2, *rows["devices"]]))
    panel.set_xlim(1.5, rows["devices"].max() * 1.4)
    panel.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g}%")
    panel.set_xlabel("devices")


def _name(system: str, batch: str, learners: str, _: str) -> str:
    m = f" m={learners}" if system == "crossbow" else ""
    return f"{style.title(system)}{m} b={batch}"


def _on_several(cell: Mapping[str, Any], measured: list[dict]) -> dict[int, tuple[dict, float]]:
    """By devices the last measurement of a cell, and its speed-up.

    By one device in the same call; of training runs by the one that the prediction is from, since
    they are of many machines.
    """
    same = [row for row in measured if all(row[name] == cell[name] for name in SAME)]
    ones = {row["call"]: row["images_per_s"] for row in same if row["devices"] == 1}
    ones[RUNS] = float(cell["base_images_per_s"])
    return {
        row["devices"]: (row, row["images_per_s"] / ones[row["call"]])
        for row in same
        if row["devices"] > 1 and row["call"] in ones
    }
