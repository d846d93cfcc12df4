"""Auto-tuning: how many learners, and what they brought.

One run for each tuned cell, that of the first seed. Left: learners per device over iterations, with
the tuner's decisions; of several batches the first has the widest line, so that all are seen where
they meet. The star is what the run ended with, the note what changing the number of learners took
of the training time. Right: throughput of all devices by learners per device. Small marks are the
tuner's samples, the first after a change, which it throws away, hollow; the solid line joins the
medians of the others. The dashed line is the exhaustive search: runs of the same cell that kept one
number of learners to the end, the median over seeds of their median over epochs; at the bottom a
cross is a number that has none, because runs failed, a question mark one that was planned and not
run.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plots import (
    _absent,
    _axes,
    _counts,
    _hover,
    _legends,
    _panels,
    _runs,
    _series,
    _stars,
    _tuning,
    style,
)
from plots._entries import Entry
from plots._tables import Tables

ROW = ["workload", "devices", "series"]
COLUMNS = [*_tuning.CELL, "kind", "run", "seed", "iteration", "learners", "images_per_s"]
COLUMNS += ["median_images_per_s", "decision", "is_thrown_away", "tuning_s"]
# None of them is a marker of a batch.
DECISIONS = {
    "grow": r"$\uparrow$",
    "shrink": r"$\downarrow$",
    "settle": "$=$",
    "out_of_memory": r"$\times$",
}


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a sample of the tuner or a fixed number of learners."""
    runs = _runs.prepare(tables.summary)
    alike = ["workload", "devices", "batch", "learners"]
    runs = _series.name_series(runs[runs["system"] == "crossbow"], alike, with_learners=False)
    chosen = _tuning.of_first_seed(runs, tables.autotune, _tuning.CELL)
    missing = _tuning.not_run(runs, chosen)
    if chosen.empty:
        return _panels.nothing(runs, "tuned its learners", COLUMNS)
    samples, fixed = _tuning.samples(chosen, tables.autotune), _tuning.kept(chosen, runs)
    looks = style.batch_looks(chosen["batch"])
    rows, tuned = _panels.keys(pd.concat([chosen, missing]), ROW), _panels.keys(chosen, ROW)
    heights = [2.2 if row in tuned else 0.8 for row in rows]
    figure, panels = _panels.grid(
        rows,
        ["learners", "throughput"],
        (3.3, sum(heights) / len(rows)),
        sharex="col",
        height_ratios=heights,
    )
    for row in rows:
        own = [_panels.cut(frame, ROW, row) for frame in (chosen, samples, fixed)]
        path, rates = panels[row, "learners"], panels[row, "throughput"]
        if len(own[0]):
            _draw_path(path, own[0], own[1], looks)
        _tell_missing(path, _panels.cut(missing, ROW, row), is_all=own[0].empty)
        are_named = len({name for _, _, name in rows}) > 1
        _panels.head(path, _panels.where(*row[:2], *([row[2]] if are_named else [])))
        if own[0].empty:
            path.set_axis_off()
            rates.set_axis_off()
            continue
        path.set_ylabel("learners per device")
        _draw_rates(rates, own[1], own[2], looks)
        _axes.amount_up([rates], pd.concat(own[1:])["images_per_s"])
        _counts.learner_axis(rates, pd.concat([samples, fixed])["learners"])
        rates.set_ylabel("images/s")
    for column, label in (("learners", "iterations"), ("throughput", "learners per device")):
        panels[tuned[-1], column].tick_params(labelbottom=True)
        panels[tuned[-1], column].set_xlabel(label)
    _legends.legend(figure, _marks(looks, samples, fixed))
    return figure, pd.concat([samples, fixed], ignore_index=True).reindex(columns=COLUMNS)


def _tell_missing(panel: Axes, missing: pd.DataFrame, is_all: bool) -> None:
    """Names the batches that were not run, in the middle of a panel that has none."""
    text = "\n".join(f"b={batch:g}: not run" for batch in sorted(missing["batch"]))
    if is_all:
        _absent.say(panel, text)
    elif text:
        corner = {"transform": panel.transAxes, "ha": "right", "va": "bottom", "fontsize": 6}
        panel.text(0.98, 0.05, text, color=style.INK, **corner)


def _draw_path(panel: Axes, chosen: pd.DataFrame, samples: pd.DataFrame, looks: dict) -> None:
    """The learners over iterations, up to a little after the last decision."""
    end = 1.12 * samples["iteration"].max()
    for place, one in enumerate(chosen.sort_values("batch").itertuples()):
        width = 1.1 + 1.5 * (len(chosen) - 1 - place)
        trace = samples[samples["run"] == one.run]
        _draw_run(panel, one, trace, end, {"color": looks[one.batch]["color"], "linewidth": width})
    panel.set_yscale("log", base=2)
    _counts.count_ticks(panel.yaxis, pd.concat([samples["learners"], chosen["learners_final"]]))
    panel.set_ylim(0.8, 2 * samples["learners"].max())
    panel.set_xlim(0, 1.05 * end)
    _note_costs(panel, samples)


def _draw_run(panel: Axes, one, trace: pd.DataFrame, end: float, look: dict) -> None:
    """The path of one run, its tuner's decisions, and what it ended with as a star at `end`."""
    last = trace["learners"].iloc[-1] if pd.isna(one.learners_final) else one.learners_final
    steps = pd.concat([trace["learners"].iloc[:1], trace["learners"], pd.Series([last])])
    (path,) = panel.step([0, *trace["iteration"], end], steps, where="pre", **look)
    ended = f"{last:g} learners after {trace['iteration'].max():g} iterations"
    _hover.tell(path, f"{_hover.configuration(one)}: {ended}")
    for decision, marker in DECISIONS.items():
        here = trace[trace["decision"] == decision]
        mark = {"marker": marker, "markersize": 7, "linestyle": "none", "mew": 0.4, "zorder": 3}
        (marks,) = panel.plot(here["iteration"], here["learners"], color=style.INK, **mark)
        said = f"{_hover.configuration(one)}: {decision.replace('_', ' ')}"
        _hover.tell(marks, [f"{said} at iteration {i:g}" for i in here["iteration"]])
    (final,) = panel.plot(end, last, **_stars.look(look))
    _hover.tell(final, f"{_hover.configuration(one)}: {ended}")


def _note_costs(panel: Axes, samples: pd.DataFrame) -> None:
    """What changing the number of learners took of the training time, by batch."""
    costs = samples.groupby("batch")["tuning_s"].max().dropna() if "tuning_s" in samples else {}
    notes = [f"b={batch:g}: {_panels.three_digits(cost)}" for batch, cost in costs.items() if cost]
    if notes:
        corner = {"transform": panel.transAxes, "ha": "left", "va": "top", "fontsize": 6}
        panel.text(0.03, 0.97, "\n".join(["changing took", *notes]), color=style.INK, **corner)


def _draw_rates(panel: Axes, samples: pd.DataFrame, fixed: pd.DataFrame, looks: dict) -> None:
    for batch, members in fixed.groupby("batch"):
        search = looks[batch] | {"linestyle": "--", "markerfacecolor": "white", "linewidth": 0.9}
        told = members.dropna(subset="images_per_s")
        (line,) = panel.plot(told["learners"], told["images_per_s"], **search)
        _hover.tell(line, _hover.values(told, "images_per_s"))
    missing = fixed[fixed["images_per_s"].isna()]
    _absent.along_bottom(panel, missing.assign(x=missing["learners"]), looks)
    for batch, members in samples.groupby("batch"):
        medians = members.dropna(subset="median_images_per_s").drop_duplicates("learners")
        (line,) = panel.plot(medians["learners"], medians["median_images_per_s"], **looks[batch])
        _hover.tell(line, _hover.values(medians, "median_images_per_s"))
        for is_hollow, same in members.groupby("is_thrown_away"):
            dots = looks[batch] | {"linestyle": "none", "markersize": 2.2, "alpha": 0.7}
            dots |= {"markerfacecolor": "white"} if is_hollow else {}
            (small,) = panel.plot(same["learners"], same["images_per_s"], **dots)
            _hover.tell(small, _hover.values(same, "images_per_s"))


def _marks(looks: dict, samples: pd.DataFrame, fixed: pd.DataFrame) -> list[Line2D]:
    marks: list[Line2D] = [Entry(label=f"batch {batch:g}", **look) for batch, look in looks.items()]
    for decision, marker in DECISIONS.items():
        if (samples["decision"] == decision).any():
            marks.append(
                _legends.grey(decision.replace("_", " "), marker=marker, markersize=7, mew=0.4)
            )
    marks.append(_legends.grey("final", marker="*", markersize=9))
    if len(fixed):
        look = {"linestyle": "--", "marker": "o", "markerfacecolor": "white", "linewidth": 0.9}
        marks.append(_legends.grey("fixed learners", **look))
    if (fixed["images_per_s"].isna() & ~_runs.is_planned(fixed)).any():
        marks.append(_legends.grey("failed", marker="x", markersize=5))
    return marks
