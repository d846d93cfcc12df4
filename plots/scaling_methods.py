"""Methods side by side: throughput, epochs and time to the target, bytes and memory.

One configuration a row, in the order of the matrix, with what all of them have in common: images
per second of all devices; epochs and training seconds until the median of the last five epochs'
test accuracies reached the target; what the first device handed over for others in an epoch, before
what a collective operation makes of it; and the most that tensors have taken on the first GPU. A
column of which nothing is known is left out, as memory is on CPUs. Filled marks are runs, the
upright bar their median, the line its interval (of up to three runs the range); the dashed line is
the median of PyTorch's synchronous SGD, the first in the matrix. A run that never reached the
target is a hollow triangle at what it had trained. A 0 is a run that sent nothing; a cross at the
edge is a run without the number. The batch b is that of one learner.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from plots import _axes, _medians, _panels, _points, _runs, style
from plots._tables import Tables

ROW = ["workload", "devices"]
PLACE = [*ROW, "batch", "system", "learners", "series"]
# The axis of each quantity, and what a run had trained that never had it.
QUANTITIES = {
    "images_per_s": ("throughput (images/s)", ""),
    "median5_epochs": ("epochs to target", "epochs_run"),
    "median5_s": ("training time\nto target (s)", "train_s"),
    "sent_mb": ("sent by a device\nin an epoch (MB)", ""),
    "memory_gib": ("memory of a device (GiB)", ""),
}
COLUMNS = [*PLACE, "run", "seed", "status", *QUANTITIES, "epochs_run", "train_s"]
COLUMNS += [f"{end}_{name}" for name in QUANTITIES for end in ("median", "low", "high")]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _runs.name_series(_runs.prepare(tables.summary), [*ROW, "batch"])
    if runs["images_per_s"].isna().all():
        why = _runs.why_none(runs, "has a throughput")
        return _panels.nothing_to_show(why), pd.DataFrame(columns=COLUMNS)
    table = _table(runs)
    rows = _panels.keys(table, ROW)
    cuts = {row: _panels.cut(table, ROW, row) for row in rows}
    told = [name for name in QUANTITIES if table[name].notna().any()]
    lengths = [cuts[row]["name"].nunique() for row in rows]
    beside = 0.057 * table["name"].str.len().max()
    figure, panels = _panels.grid(
        rows,
        told,
        (1.6, 0.17 * sum(lengths) / len(rows) + 0.8),
        (beside, 0),
        sharey="row",
        height_ratios=[length + 2 for length in lengths],
    )
    for (row, name), panel in panels.items():
        _draw_panel(panel, cuts[row], name)
        panel.set_xlabel(QUANTITIES[name][0])
        if name == told[0]:
            _panels.head(panel, _panels.where(*row))
    _panels.legend(figure, _panels.run_marks("no number"))
    return figure, table[COLUMNS]


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's quantities, with the medians of its configuration, in the order of the matrix."""
    table = runs.assign(
        sent_mb=runs["sent_bytes"] / runs["epochs_run"] / 1e6,
        memory_gib=runs["memory_bytes"] / 2**30,
        name=runs["series"] + runs["batch"].map(lambda b: f", b={b:g}"),
    )
    for name, (_, trained) in QUANTITIES.items():
        table = _medians.add_medians(table, PLACE, name, trained)
    table["place"] = range(len(table))
    for first, by in (("of_system", [*ROW, "system"]), ("of_series", PLACE)):
        table[first] = table.groupby(by, dropna=False)["place"].transform("min")
    return table.sort_values([*ROW, "of_system", "of_series", "seed"], ignore_index=True)


def _draw_panel(panel: Axes, here: pd.DataFrame, name: str) -> None:
    names, trained = list(dict.fromkeys(here["name"])), QUANTITIES[name][1]
    panel.set_yticks(range(len(names)), names)
    panel.set_ylim(len(names) - 0.4, -0.6)
    panel.grid(axis="y", visible=False)
    _axes.amount_axis(panel, here[name].fillna(here[trained]) if trained else here[name])
    if panel.get_xscale() == "linear":
        panel.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10]))
        panel.xaxis.set_major_formatter(lambda x, _: _axes.short_number(x))
    ssgd = here.loc[here["system"] == "pytorch", f"median_{name}"]
    if len(ssgd) and ssgd.iloc[0] > 0:
        panel.axvline(ssgd.iloc[0], color=style.FAINT, linewidth=0.8, linestyle="--", zorder=1)
    systems = set(here["system"])
    for place, (_, members) in enumerate(here.groupby("name", sort=False)):
        look = style.look(*members.iloc[0][["system", "learners"]], systems)
        some = members[members[name] != 0]
        if len(some) < len(members):
            at = {"transform": panel.get_yaxis_transform(), "va": "center", "fontsize": 6.5}
            panel.text(0.02, place, "0", color=style.INK, **at)
        if len(some):
            _points.row(panel, place, some, look, name, trained or name, name)
