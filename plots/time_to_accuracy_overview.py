"""Time to accuracy by model, system and devices.

Training seconds until the median of the last five epochs' test accuracies reached the target, of
each system's best configuration on so many devices: the one with the least median over seeds, of
all its batches and ways to compute a step, and of Crossbow with one learner per device and with
several. Marks are medians, the bars their 95% intervals (of up to three seeds the range), small
marks runs; below stand the learners m and the batch b of a learner. A hollow triangle is a run that
never reached the target, at the time it had trained, and counts as later than that; a cross is one
that ended before an epoch, or failed, which is left out, a question mark one that was planned and
not run; where nothing was planned is nothing. Crossbow is synchronous model averaging: other ways
to keep learners together are left out.
"""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import _averaging, _axes, _best, _legends, _panels, _points, _runs, _series, style
from plots._entries import Entry
from plots._tables import Tables

SHOWN = ["workload", "devices", "group"]
COLUMNS = ["group", *_best.PLACE, "median_s", "low_s", "high_s", "reached", "runs", "run", "seed"]
COLUMNS += ["status", "time_s", "trained_s"]


def shown(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs of each system's best configuration."""
    return summary[summary["run"].isin(_chosen(summary)["run"])]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run of the configurations it shows."""
    table = _chosen(tables.summary)
    if table.empty:
        runs = _runs.prepare(tables.summary)
        return _panels.nothing(runs, "has a target", COLUMNS)
    looks = _looks(table, tables.summary["system"])
    workloads, devices = sorted(table["workload"].unique()), sorted(table["devices"].unique())
    width = 0.32 * (len(looks) + 1) * len(devices) + 0.9
    across = 2 if len(workloads) > 1 and width < 4 else 1
    down = range(-(-len(workloads) // across))
    figure, panels = _panels.grid(down, range(across), (width, 2.6))
    for place, panel in enumerate(panels.values()):
        if place >= len(workloads):
            panel.set_visible(False)
            continue
        here = table[table["workload"] == workloads[place]]
        _panels.head(panel, textwrap.fill(workloads[place], int(13 * max(width, 4.5 / across))))
        _draw_panel(panel, here, devices, looks)
        _axes.amount_up([panel], here["time_s"].fillna(here["trained_s"]))
        if place % across == 0:
            panel.set_ylabel("training time to target (s)")
        if place + across >= len(workloads):
            panel.set_xlabel("devices")
    lines = [Entry(linestyle="none", **look) for look in looks.values()]
    _legends.legend(figure, lines + _points.marks((table, "time_s", "trained_s"), name="s"))
    return figure, table[COLUMNS]


def _chosen(summary: pd.DataFrame) -> pd.DataFrame:
    """The runs of each group's best configuration, with their medians."""
    runs = _runs.prepare(summary)
    runs = runs[runs["target"].notna() & ~_averaging.is_other(runs)]
    table = _best.add_best(_series.name_series(runs, ["workload", "devices", "batch"]))
    return table[table["is_best"]].sort_values([*SHOWN, "seed"], ignore_index=True)


def _looks(table: pd.DataFrame, systems: pd.Series) -> dict[str, dict]:
    """Colour and marker of each group: the baselines, and then Crossbow."""
    others = sorted(set(table["system"]) - {"crossbow"})
    looks = {style.title(system): style.look(system, "1", systems) for system in others}
    looks |= {_best.SINGLE: style.look("crossbow", "1", systems)}
    looks |= {_best.SEVERAL: style.look("crossbow", "8", systems)}
    shown = set(table["group"])
    return {name: look | {"label": name} for name, look in looks.items() if name in shown}


def _draw_panel(panel: Axes, here: pd.DataFrame, devices: list, looks: dict) -> None:
    """Devices side by side, and in each the groups; where nothing was planned is nothing."""
    wide = len(looks) + 1
    names = {}
    for turn, count in enumerate(devices):
        for place, (group, look) in enumerate(looks.items(), turn * wide):
            members = here[(here["devices"] == count) & (here["group"] == group)]
            names[place] = ""
            if len(members):
                one = members.iloc[0]
                learners = f"m={one['learners']}\n" if one["system"] == "crossbow" else ""
                names[place] = f"{learners}b={one['batch']:g}"
                alone = look | {"linestyle": "none", "markersize": 5}
                _points.line(panel, members.assign(x=place), alone, "time_s", "trained_s", "s")
        if turn:
            panel.axvline(turn * wide - 1, color=style.FAINT, linewidth=0.6)
    panel.set_xlim(-0.8, wide * len(devices) - 1.2)
    panel.set_xticks(list(names), list(names.values()), minor=True)
    panel.xaxis.remove_overlapping_locs = False  # where a group stands in the middle
    panel.tick_params(axis="x", which="minor", labelsize=5.5)
    middles = [turn * wide + (len(looks) - 1) / 2 for turn in range(len(devices))]
    panel.set_xticks(middles, [f"{count:g}" for count in devices])
    panel.tick_params(axis="x", which="major", length=0, pad=22)  # below two lines of names
    panel.grid(axis="x", visible=False)
