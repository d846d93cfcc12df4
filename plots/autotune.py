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

from plots import _absent, _axes, _hover, _legends, _medians, _panels, _runs, _series, style
from plots._tables import Tables

ROW = ["workload", "devices", "series"]
CELL = [*ROW, "batch"]
COLUMNS = [*CELL, "kind", "run", "seed", "iteration", "learners", "images_per_s"]
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
    chosen = runs[runs["run"].isin(tables.autotune["run"])].sort_values("seed", kind="stable")
    chosen = chosen.drop_duplicates(CELL)
    missing = _missing(runs, chosen)
    if chosen.empty:
        return _panels.nothing(runs, "tuned its learners", COLUMNS)
    samples, fixed = _samples(chosen, tables.autotune), _fixed(chosen, runs)
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
        _axes.learner_axis(rates, pd.concat([samples, fixed])["learners"])
        rates.set_ylabel("images/s")
    for column, label in (("learners", "iterations"), ("throughput", "learners per device")):
        panels[tuned[-1], column].tick_params(labelbottom=True)
        panels[tuned[-1], column].set_xlabel(label)
    _legends.legend(figure, _marks(looks, samples, fixed))
    return figure, pd.concat([samples, fixed], ignore_index=True).reindex(columns=COLUMNS)


def _missing(runs: pd.DataFrame, chosen: pd.DataFrame) -> pd.DataFrame:
    """One row for each cell that was to be tuned, and of which no run was made."""
    planned = runs[(runs["learners"] == "auto") & _runs.is_planned(runs)].drop_duplicates(CELL)
    made = pd.MultiIndex.from_frame(chosen[CELL])
    return planned[~pd.MultiIndex.from_frame(planned[CELL]).isin(made)]


def _tell_missing(panel: Axes, missing: pd.DataFrame, is_all: bool) -> None:
    """Names the batches that were not run, in the middle of a panel that has none."""
    text = "\n".join(f"b={batch:g}: not run" for batch in sorted(missing["batch"]))
    if is_all:
        _absent.say(panel, text)
    elif text:
        corner = {"transform": panel.transAxes, "ha": "right", "va": "bottom", "fontsize": 6}
        panel.text(0.98, 0.05, text, color=style.INK, **corner)


def _samples(chosen: pd.DataFrame, autotune: pd.DataFrame) -> pd.DataFrame:
    """The chosen runs' samples, each with the median of those of the same learners that counted."""
    trace = autotune.drop(columns="learners").assign(present=autotune["learners"])
    table = trace.merge(chosen[[*CELL, "run", "seed"]], on="run")
    table = table.rename(columns={"present": "learners"}).assign(kind="sample")
    table["is_thrown_away"] = table["learners"] != table.groupby("run")["learners"].shift()
    counted = table["images_per_s"].where(~table["is_thrown_away"])
    group = counted.groupby([table["run"], table["learners"]])
    return table.assign(median_images_per_s=group.transform("median"))


def _fixed(chosen: pd.DataFrame, runs: pd.DataFrame) -> pd.DataFrame:
    """The throughput of each number of learners that was kept, where a cell was also tuned."""
    kept = runs.loc[_runs.is_planned(runs).sort_values(kind="stable").index]  # made ones first
    kept = kept[kept["learners"] != "auto"]
    kept = _medians.add_medians(kept, [*CELL, "learners"], "images_per_s")
    rates = kept.drop_duplicates([*CELL, "learners"]).drop(columns=["images_per_s", "run", "seed"])
    rates = rates.rename(columns={"median_images_per_s": "images_per_s"})
    rates["learners"] = rates["learners"].astype(float)
    return rates.merge(chosen[CELL], on=CELL).sort_values("learners").assign(kind="fixed")


def _draw_path(panel: Axes, chosen: pd.DataFrame, samples: pd.DataFrame, looks: dict) -> None:
    """The learners over iterations, up to a little after the last decision."""
    end, top, notes = 1.12 * samples["iteration"].max(), samples["learners"].max(), []
    for place, one in enumerate(chosen.sort_values("batch").itertuples()):
        trace = samples[samples["run"] == one.run]
        look = {"color": looks[one.batch]["color"]}
        last = trace["learners"].iloc[-1] if pd.isna(one.learners_final) else one.learners_final
        steps = pd.concat([trace["learners"].iloc[:1], trace["learners"], pd.Series([last])])
        places = [0, *trace["iteration"], end]
        width = 1.1 + 1.5 * (len(chosen) - 1 - place)
        (path,) = panel.step(places, steps, where="pre", linewidth=width, **look)
        ended = f"{last:g} learners after {trace['iteration'].max():g} iterations"
        _hover.tell(path, f"{_hover.configuration(one)}: {ended}")
        for decision, marker in DECISIONS.items():
            here = trace[trace["decision"] == decision]
            mark = {"marker": marker, "markersize": 7, "linestyle": "none", "mew": 0.4, "zorder": 3}
            mark["color"] = style.INK
            (marks,) = panel.plot(here["iteration"], here["learners"], **mark)
            said = decision.replace("_", " ")
            at = here["iteration"].map(lambda i: f" at iteration {i:g}")
            _hover.tell(marks, [f"{_hover.configuration(one)}: {said}{each}" for each in at])
        star = {"markersize": 9, "markeredgecolor": style.INK, "mew": 0.5, "zorder": 4}
        (final,) = panel.plot(end, last, "*", color=look["color"], **star)
        _hover.tell(final, f"{_hover.configuration(one)}: {ended}")
        if one_s := trace.get("tuning_s", pd.Series(dtype=float)).max():
            notes += [f"b={one.batch:g}: {_panels.three_digits(one_s)}"] if pd.notna(one_s) else []
    panel.set_yscale("log", base=2)
    _axes.count_ticks(panel.yaxis, pd.concat([samples["learners"], chosen["learners_final"]]))
    panel.set_ylim(0.8, 2 * top)
    panel.set_xlim(0, 1.05 * end)
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
    marks = [Line2D([], [], label=f"batch {batch:g}", **look) for batch, look in looks.items()]
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
