"""Energy per image, and to the target accuracy.

Left: joules that the run's own devices took per image trained, from the start of the first epoch to
the end of the last, evaluations and idle power included. Right: those times the images trained
until the median of the last five epochs' test accuracies reached the target. Filled marks are runs,
the upright bar their median, the line its interval (of up to three runs the range), in bold the
configuration of each system that reached the target with the least on as many devices (on any
number, where these stand side by side), of Crossbow by synchronous model averaging. A run that
never reached it is a hollow triangle at what it had taken, and stays in the median as one that
needs more. A run that failed is left out. A cross at the edge is a run whose power is not known, a
question mark one that was planned and not run. The batch b is that of one learner. Where numbers of
devices stand side by side, the numbers beside them are the medians, and how many runs reached the
target.
"""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from plots import (
    _axes,
    _bands,
    _best,
    _legends,
    _medians,
    _panels,
    _points,
    _runs,
    _series,
    _units,
)
from plots._tables import Tables

CELL = ["workload", "devices", "batch"]
PLACE = [*CELL, "system", "learners", "series"]
COLUMNS = [*PLACE, "median_joules_per_image", "low_joules_per_image", "high_joules_per_image"]
COLUMNS += ["median_target_j", "low_target_j", "high_target_j", "reached", "measured", "runs"]
COLUMNS += ["best_of_system", "run", "seed", "status", "joules_per_image", "target_j", "trained_j"]


def draw(tables: Tables) -> tuple[Figure, pd.DataFrame]:
    """The figure, and one row a run with the medians of its configuration."""
    runs = _series.name_series(_runs.prepare(tables.summary), CELL)
    if runs["joules_per_image"].isna().all():
        return _panels.nothing(runs, "has told the power of its devices", COLUMNS)
    table, columns = _in_units(_energies(runs, tables.epochs))
    image, target, trained = columns
    beside = 0.06 * table["name"].str.len().max() + 1.3
    titles = {"image": "", "target": ""}
    figure, bands = _bands.grid(
        table, tables.summary["system"], titles, 2.1, beside, 1.8, sharex="col"
    )
    for band in bands:
        for count in band.devices:
            left, right = band.panels[count, "image"], band.panels[count, "target"]
            _axes.amount_axis(left, table[image])
            _axes.amount_axis(right, table[target].fillna(table[trained]))
            here = _panels.cut(table, ["workload", "devices"], (band.workload, count))
            _draw_rows(band, left, right, here, columns)
    bands[-1].label("image", f"energy ({_units.of(image)})")
    bands[-1].label("target", f"energy to target ({_units.of(target)})")
    _bands.few_ticks(bands)
    _legends.legend(figure, _legends.run_marks(figure, "power not known"))
    return figure, table[COLUMNS]


def _energies(runs: pd.DataFrame, epochs: pd.DataFrame) -> pd.DataFrame:
    """Each run's energies, with the medians and the counts of its configuration."""
    images = epochs.set_index(["run", "epoch"])["images"]
    reached = pd.MultiIndex.from_frame(runs[["run", "median5_epochs"]])
    table = runs.assign(
        target_j=runs["joules_per_image"] * images.reindex(reached).to_numpy(),
        trained_j=runs["joules_per_image"] * runs["run"].map(images.groupby("run").max()),
        name=_series.with_batch(runs),
    )
    table = _medians.add_medians(table, PLACE, "joules_per_image")
    # A run that trained, but whose power is not known, has no say about the energy.
    told = table[table["joules_per_image"].notna() | ~table["status"].isin(_runs.TRAINED)]
    told = _medians.add_medians(told, PLACE, "target_j", "trained_j").drop_duplicates(PLACE)
    ends = [f"{end}_target_j" for end in ("median", "low", "high")]
    table = table.merge(told[[*PLACE, *ends]], on=PLACE, how="left")
    table = _medians.add_counts(table, PLACE, "target_j")
    measured = table.groupby(PLACE, dropna=False)["joules_per_image"]
    table["measured"] = measured.transform("count")
    table["best_of_system"] = _best.of_system(table, "median_target_j")
    order = ["workload", "devices", "system", "median_target_j", "median_joules_per_image"]
    return table.sort_values([*order, "batch", "series", "seed"], kind="stable", ignore_index=True)


def _in_units(table: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Adds the energies in the figure's units; the columns of an image, to the target and trained.

    A unit is the same in the whole figure, so that its rows compare, and the end of the names.
    """
    total, names = table["target_j"].fillna(table["trained_j"]), []
    for given, what, shown in (
        ("joules_per_image", "image", table["joules_per_image"]),
        ("target_j", "target", total),
        ("trained_j", "trained", total),
    ):
        prefix, factor = _units.prefix(shown)
        names.append(f"{what}_{prefix}j")
        same = {name: name.replace(given, names[-1]) for name in table if name.endswith(given)}
        table = table.assign(**{told: factor * table[name] for name, told in same.items()})
    return table, names


def _draw_rows(
    band: _bands.Band, left: Axes, right: Axes, here: pd.DataFrame, columns: list[str]
) -> None:
    image, target, trained = columns
    for place, members, look in band.rows(here):
        one = members.iloc[0]
        _points.row(left, place, members, look, image, image, image)
        _points.row(right, place, members, look, target, trained, target)
        median = "; ".join(_told(one, name) for name in (image, target))
        counts = one["reached"], one["runs"], _runs.failures(members)
        band.note(place, one["devices"], median, *counts)
        if one["best_of_system"]:
            band.embolden(place)


def _told(one: pd.Series, name: str) -> str:
    """The median of a configuration, in the unit of the axis; a dash where there is none."""
    return _panels.three_digits(one[f"median_{name}"], _units.of(name))
