"""Memory of a device, and of one learner.

Left: the most bytes that tensors have taken on the first device, by its learners. Right: what one
learner takes of them, without what is there whatever their number: the data and the central model.
Filled marks are runs, lines join the medians at one batch of a learner. Hollow marks are a tuned
run's numbers of learners on the way to its own, of the first seed. Baselines stand to the right. A
cross at the bottom is a configuration with a run that has no such number: it ran out of memory, or
nothing has told it; a question mark one with a run that was planned and not run. GiB are 2^30
bytes.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import (
    _absent,
    _axes,
    _hover,
    _legends,
    _medians,
    _panels,
    _runs,
    _series,
    _slots,
    _tuning,
    style,
)
from plots._tables import Tables

ROW = ["workload", "devices"]
CELL = [*ROW, "system", "series", "batch"]
COLUMNS = [*CELL, "learners", "slot", "kind", "run", "seed", "status", "memory_gib", "learner_gib"]
PANELS = {"memory_gib": "memory of the device (GiB)", "learner_gib": "memory of a learner (GiB)"}


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run or a tuned run's number of learners."""
    runs = _runs.prepare(tables.summary)
    # A CPU's is that of whole processes.
    runs["memory_bytes"] = runs["memory_bytes"].where(runs["device_type"] == "cuda")
    alike = [*ROW, "batch", "learners"]
    runs = _series.name_series(runs, alike, with_learners=False)
    if runs["memory_bytes"].isna().all():
        return _panels.nothing(runs, "has told the memory of a GPU", COLUMNS)
    table = pd.concat([_of_runs(runs), _of_tuning(runs, tables.autotune)], ignore_index=True)
    slots = _slots.of_workloads(table)
    looks = style.batch_looks(table["batch"])
    of_crossbow = table["system"] == "crossbow"
    lines = style.variant_looks(table.loc[of_crossbow, "series"].unique())
    rows = _panels.keys(table, ROW)
    wide, below = _slots.size(slots.values())
    numbers = [float(slot) for own in slots.values() for slot in own if not _slots.is_name(slot)]
    most = max([1.0, *numbers])
    inches = _slots.WIDTH / most
    places = {
        (workload, column): _slots.to_scale(
            own if column == "memory_gib" else _learners(own), wide, most
        )
        for workload, own in slots.items()
        for column in PANELS
    }
    spans = {
        column: _slots.span(places[workload, column] for workload in slots) for column in PANELS
    }
    widths = [_slots.width(span, inches) for span in spans.values()]
    size = (sum(widths) / len(widths), 2.3)
    figure, panels = _panels.grid(rows, list(PANELS), size, (0, below), width_ratios=widths)
    lowest = dict(rows)  # the last number of devices of each workload
    for (row, column), panel in panels.items():
        own = places[row[0], column]
        here = _panels.cut(table, ROW, row)
        here = here.assign(x=here["slot"].map(own)).dropna(subset="x")
        _slots.frame(panel, own, inches, spans[column])
        panel.tick_params(labelbottom=row[1] == lowest[row[0]])
        _draw_panel(panel, here, column, looks, lines)
        _axes.amount_up([panel], here[column])
        panel.set_ylabel(PANELS[column])
        if column == "memory_gib":
            _panels.head(panel, _panels.where(*row))
        if row == rows[-1]:
            panel.set_xlabel("Crossbow: learners per device")
    _legends.legend(figure, _marks(table, looks, lines))
    return figure, table[COLUMNS]


def _learners(slots: list[str]) -> list[str]:
    """Those of Crossbow: baselines have no learners."""
    return [slot for slot in slots if not _slots.order(slot)[0]] or ["1"]


def _of_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's memory; the most of a tuned one is not of the learners that it ended with."""
    is_tuned = runs["learners"] == "auto"
    return runs.assign(
        kind="run",
        slot=[_slots.slot(run) for run in runs.itertuples()],
        memory_gib=(runs["memory_bytes"] / 2**30).where(~is_tuned),
        learner_gib=runs["learner_memory_bytes"] / 2**30,
    )


def _of_tuning(runs: pd.DataFrame, autotune: pd.DataFrame) -> pd.DataFrame:
    """The memory of each number of learners that the first seed's tuner saw, when it came to it."""
    tuned = _tuning.of_first_seed(runs, autotune, CELL)
    seen = autotune.groupby(["run", "learners"], as_index=False)["memory_bytes"].max()
    seen = seen.rename(columns={"learners": "present", "memory_bytes": "seen_bytes"})
    table = tuned.merge(seen.dropna(), on="run")
    return table.assign(
        kind="tuner",
        slot=[f"{m:g}" for m in table["present"]],
        learners=[f"{m:g}" for m in table["present"]],
        memory_gib=table["seen_bytes"] / 2**30,
        learner_gib=float("nan"),
    )


def _draw_panel(panel: Axes, here: pd.DataFrame, column: str, looks: dict, lines: dict) -> None:
    known, is_missing = here.dropna(subset=column), _is_missing(here, column)
    of_lines = here[(here["system"] == "crossbow") & (here[column].notna() | is_missing)]
    for (batch, series), members in of_lines.groupby(["batch", "series"]):
        medians = _medians.add_medians(members, ["x"], column)
        medians = medians.dropna(subset=f"median_{column}").drop_duplicates("x").sort_values("x")
        look = looks[batch] | lines[series] | {"marker": ""}
        (line,) = panel.plot(medians["x"], medians[f"median_{column}"], **look)
        places = [f"m={slot}" for slot in medians["slot"]]
        _hover.tell(line, _hover.along(_hover.medians(medians, column), places))
    hollow = {"fillstyle": "full", "markerfacecolor": "white"}
    for kind, face in (("tuner", hollow), ("run", {})):
        for (batch, series), members in known[known["kind"] == kind].groupby(["batch", "series"]):
            look = looks[batch] | lines.get(series, {}) | {"linestyle": ""} | face
            (marks,) = panel.plot(members["x"], members[column], **look)
            _hover.tell(marks, _hover.values(members, column))
    _absent.along_bottom(panel, here[is_missing], looks)


def _is_missing(table: pd.DataFrame, column: str) -> pd.Series:
    """Whether a run lacks a number that it could have: baselines have no learners."""
    is_told = (table["learners"] != "auto") | _runs.is_planned(table)
    has_it = (column == "memory_gib") | (table["system"] == "crossbow")
    return table[column].isna() & (table["kind"] == "run") & is_told & has_it


def _marks(table: pd.DataFrame, looks: dict, lines: dict) -> list[Line2D]:
    marks = _slots.marks(table, looks, lines)
    if (table["kind"] == "tuner").any():
        marks.append(_legends.grey("while tuning", marker="o", markerfacecolor="white"))
    made = table[~_runs.is_planned(table)]
    if any(_is_missing(made, column).any() for column in PANELS):
        marks.append(_legends.grey("no number", marker="x", markersize=5))
    return marks
