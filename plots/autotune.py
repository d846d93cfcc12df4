"""Auto-tuning: how many learners, and what they brought.

One run for each tuned cell, that of the first seed. Left: learners per device over iterations, with
the tuner's decisions; the lines of several batches stand a little apart where they meet. The star
is what the run ended with, the note what changing the number of learners took of the training time.
Right: throughput of all devices by learners per device. Small marks are the tuner's samples, the
first after a change, which it throws away, hollow; the solid line joins the medians of the others.
The dashed line is the exhaustive search: runs of the same cell that kept one number of learners to
the end, the median over seeds of their median over epochs.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from plots import _axes, _hover, _panels, _runs, style
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
    runs = _runs.name_series(runs[runs["system"] == "crossbow"], alike, with_learners=False)
    chosen = runs[runs["run"].isin(tables.autotune["run"])].sort_values("seed", kind="stable")
    chosen = chosen.drop_duplicates(CELL)
    if chosen.empty:
        why = _runs.why_none(runs, "tuned its learners")
        return _panels.nothing_to_show(why), pd.DataFrame(columns=COLUMNS)
    samples, fixed = _samples(chosen, tables.autotune), _fixed(chosen, runs)
    looks = style.batch_looks(chosen["batch"])
    rows = _panels.keys(chosen, ROW)
    figure, panels = _panels.grid(rows, ["learners", "throughput"], (3.3, 2.2), sharex="col")
    for row in rows:
        own = [_panels.cut(frame, ROW, row) for frame in (chosen, samples, fixed)]
        path, rates = panels[row, "learners"], panels[row, "throughput"]
        _draw_path(path, own[0], own[1], looks)
        path.set_ylabel(_panels.side_title(row[0], _where(row, rows), "", "learners per device"))
        _draw_rates(rates, own[1], own[2], looks)
        _axes.amount_up([rates], pd.concat(own[1:])["images_per_s"])
        _axes.learner_axis(rates, pd.concat([samples, fixed])["learners"])
        rates.set_ylabel("images/s")
    panels[rows[-1], "learners"].set_xlabel("iterations")
    panels[rows[-1], "throughput"].set_xlabel("learners per device")
    _panels.legend(figure, _marks(looks, samples, fixed))
    return figure, pd.concat([samples, fixed], ignore_index=True).reindex(columns=COLUMNS)


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
    kept = runs[(runs["learners"] != "auto") & runs["images_per_s"].notna()]
    rates = kept.groupby([*CELL, "learners"], as_index=False)["images_per_s"].median()
    rates["learners"] = rates["learners"].astype(float)
    return rates.merge(chosen[CELL], on=CELL).sort_values("learners").assign(kind="fixed")


def _draw_path(panel: Axes, chosen: pd.DataFrame, samples: pd.DataFrame, looks: dict) -> None:
    """The learners over iterations, up to a little after the last decision."""
    end, top, notes = 1.12 * samples["iteration"].max(), samples["learners"].max(), []
    for place, one in enumerate(chosen.sort_values("batch").itertuples()):
        trace = samples[samples["run"] == one.run]
        shift = 0.022 * top * (place - (len(chosen) - 1) / 2)
        look = {"color": looks[one.batch]["color"]}
        last = trace["learners"].iloc[-1] if pd.isna(one.learners_final) else one.learners_final
        steps = pd.concat([trace["learners"].iloc[:1], trace["learners"], pd.Series([last])])
        places = [0, *trace["iteration"], end]
        panel.step(places, steps + shift, where="pre", linewidth=1.1, **look)
        for decision, marker in DECISIONS.items():
            here = trace[trace["decision"] == decision]
            mark = {"marker": marker, "markersize": 7, "linestyle": "none", "mew": 0.4, "zorder": 3}
            mark["color"] = style.INK
            panel.plot(here["iteration"], here["learners"] + shift, **mark)
        _star(panel, end, last + shift, look["color"])
        if one_s := trace.get("tuning_s", pd.Series(dtype=float)).max():
            notes += [f"b={one.batch:g}: {_panels.three_digits(one_s)}"] if pd.notna(one_s) else []
    panel.yaxis.set_major_locator(MaxNLocator(integer=True))
    panel.set_ylim(0, 1.2 * top)
    panel.set_xlim(0, 1.05 * end)
    if notes:
        corner = {"transform": panel.transAxes, "ha": "left", "va": "top", "fontsize": 6}
        panel.text(0.03, 0.97, "\n".join(["changing took", *notes]), color=style.INK, **corner)


def _draw_rates(panel: Axes, samples: pd.DataFrame, fixed: pd.DataFrame, looks: dict) -> None:
    for batch, members in fixed.groupby("batch"):
        search = looks[batch] | {"linestyle": "--", "markerfacecolor": "white", "linewidth": 0.9}
        (line,) = panel.plot(members["learners"], members["images_per_s"], **search)
        _hover.tell(line, _hover.values(members, "images_per_s", "images/s"))
    for batch, members in samples.groupby("batch"):
        medians = members.dropna(subset="median_images_per_s").drop_duplicates("learners")
        (line,) = panel.plot(medians["learners"], medians["median_images_per_s"], **looks[batch])
        _hover.tell(line, _hover.values(medians, "median_images_per_s", "images/s"))
        for is_hollow, same in members.groupby("is_thrown_away"):
            dots = looks[batch] | {"linestyle": "none", "markersize": 2.2, "alpha": 0.7}
            dots |= {"markerfacecolor": "white"} if is_hollow else {}
            panel.plot(same["learners"], same["images_per_s"], **dots)


def _star(panel: Axes, x: float, y: float, color: str) -> None:
    star = {"markersize": 9, "markeredgecolor": style.INK, "mew": 0.5, "zorder": 4}
    panel.plot(x, y, "*", color=color, **star)


def _where(row: tuple, rows: list[tuple]) -> str:
    """Devices, and the series where there are several."""
    devices = _panels.devices_title(row[1])
    return devices if len({name for _, _, name in rows}) == 1 else f"{devices}, {row[2]}"


def _marks(looks: dict, samples: pd.DataFrame, fixed: pd.DataFrame) -> list[Line2D]:
    marks = [Line2D([], [], label=f"batch {batch:g}", **look) for batch, look in looks.items()]
    for decision, marker in DECISIONS.items():
        if (samples["decision"] == decision).any():
            marks.append(
                _panels.grey(decision.replace("_", " "), marker=marker, markersize=7, mew=0.4)
            )
    marks.append(_panels.grey("final", marker="*", markersize=9))
    if len(fixed):
        look = {"linestyle": "--", "marker": "o", "markerfacecolor": "white", "linewidth": 0.9}
        marks.append(_panels.grey("fixed learners", **look))
    return marks
