"""Methods side by side: throughput, epochs and time to the target, bytes and memory.

One configuration a row, in the order of the matrix, with what all of them have in common: images
per second of all devices; epochs and training seconds to the first epoch whose test accuracy is at
the target (the rule “first”: the five epochs that “median5” takes are all a short matrix has);
what a device handed over for others in an epoch, before what a collective operation makes of it, in
MB of 10^6 bytes: the bytes of a run by its epochs; and the memory of a device, on a GPU the most
that tensors have taken, on CPUs the peak resident set of the largest process, interpreter and
libraries included. A column of which nothing is known is left out; bytes and memory also where
nothing but zeros is, as what a single device sends. Filled marks are runs, the upright bar their
median, the line its interval (of up to three runs the range); the dashed line is the median of
PyTorch's synchronous SGD, the first in the matrix. A run that never reached the target is a hollow
triangle at what it had trained. A 0 is a run that sent nothing; a cross at the edge is a run
without the number. The batch b is that of one learner; where a system has several, the rate is
beside it: PyTorch at k times the batch and k times the rate, with a warm-up, is linear scaling
(Goyal et al. 2017).
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from plots import (
    _absent,
    _axes,
    _bands,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _series,
    style,
)
from plots._tables import Tables

ROW = ["workload", "devices"]
PLACE = [*ROW, "batch", "system", "learners", "series"]
# The axis of each quantity, and what a run had trained that never had it.
QUANTITIES = {
    "images_per_s": ("throughput (images/s)", ""),
    "first_epochs": ("epochs to target", "epochs_run"),
    "first_s": ("training time\nto target (s)", "train_s"),
    "sent_mb": ("sent by a device\nin an epoch (MB)", ""),
    "memory_gib": ("memory of a device (GiB)", ""),
}
MEASURED = ("sent_mb", "memory_gib")  # of some bands alone
COLUMNS = [*PLACE, "run", "seed", "status", *QUANTITIES, "epochs_run", "train_s"]
COLUMNS += [f"{end}_{name}" for name in QUANTITIES for end in ("median", "low", "high")]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _series.name_series(_runs.prepare(tables.summary), [*ROW, "batch"])
    if runs["images_per_s"].isna().all():
        return _panels.nothing(runs, "has a throughput", COLUMNS)
    table = _table(runs)
    told = [name for name in QUANTITIES if table[name].fillna(0).any()]
    beside = 0.057 * table["name"].str.len().max()
    figure, bands = _bands.grid(
        table, tables.summary["system"], dict.fromkeys(told, ""), 1.6, beside, apart=2
    )
    for band in bands:
        of_band = table[table["workload"].eq(band.workload) & table["devices"].isin(band.devices)]
        here = [name for name in told if name not in MEASURED or of_band[name].fillna(0).any()]
        for (count, name), panel in band.panels.items():
            if name in here:
                _draw_panel(band, panel, of_band, count, name)
        for name in here:
            band.label(name, QUANTITIES[name][0])
        _absent.blank(list(band.panels.values()), [name in here for _, name in band.panels])
    _bands.few_ticks(bands)
    _legends.legend(figure, _legends.run_marks(figure, "no number"))
    return figure, table[COLUMNS]


def _table(runs: pd.DataFrame) -> pd.DataFrame:
    """Each run's quantities, with the medians of its configuration, in the order of the matrix."""
    has_batches = runs.groupby(["workload", "system"])["batch"].transform("nunique") > 1
    untold = has_batches & ~runs["series"].str.contains(", lr ", regex=False)
    rates = runs["lr"].map(lambda rate: f", lr={rate:g}").where(untold, "")
    table = runs.assign(
        first_epochs=pd.to_numeric(runs["first_epochs"]).where(_runs.counts(runs)),
        sent_mb=runs["sent_bytes"] / runs["epochs_run"] / 1e6,
        memory_gib=runs["memory_bytes"] / 2**30,
        name=_series.with_batch(runs) + rates,
    )
    for name, (_, trained) in QUANTITIES.items():
        table = _medians.add_medians(table, PLACE, name, trained)
    table["place"] = range(len(table))
    for first, by in (("of_system", [*ROW, "system"]), ("of_series", PLACE)):
        table[first] = table.groupby(by, dropna=False)["place"].transform("min")
    return table.sort_values([*ROW, "of_system", "of_series", "seed"], ignore_index=True)


def _draw_panel(
    band: _bands.Band, panel: Axes, of_band: pd.DataFrame, count: float, name: str
) -> None:
    trained = QUANTITIES[name][1]
    _axes.amount_axis(panel, of_band[name].fillna(of_band[trained]) if trained else of_band[name])
    here = of_band[of_band["devices"] == count]
    if panel.get_xscale() == "linear":
        is_whole = name == "first_epochs"
        panel.xaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 5, 10], integer=is_whole))
        panel.xaxis.set_major_formatter(lambda x, _: _axes.short_number(x))
    ssgd = here.loc[here["system"] == "pytorch", f"median_{name}"]
    if len(ssgd) and ssgd.iloc[0] > 0:
        panel.axvline(ssgd.iloc[0], color=style.FAINT, linewidth=0.8, linestyle="--", zorder=1)
    for place, members, look in band.rows(here):
        some = members[members[name] != 0]
        if len(some) < len(members):
            at = {"transform": panel.get_yaxis_transform(), "va": "center", "fontsize": 6.5}
            panel.text(0.06, place, "0", color=style.INK, **at)  # beside a cross at the edge
        if len(some):
            _points.row(panel, place, some, look, name, trained or name, name)
