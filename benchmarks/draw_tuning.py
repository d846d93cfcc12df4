"""The auto-tuner's steps on the curve that exhaustive search found."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from bench import record
from benchmarks.results import machine_of
from plots import style


def draw(folder: Path) -> tuple[Figure, str]:
    """The figure and its caption."""
    rows = pd.read_csv(folder / "tuning.csv")
    found = record.read_json(folder / "tuning.json")
    sweep, tuner = (rows[rows["source"] == source] for source in ("sweep", "tuner"))
    hues = style.hues([])
    figure = Figure(figsize=(4.2, 2.9), layout="constrained")
    panel = figure.subplots()
    panel.plot(
        sweep["learners"],
        sweep["images_per_s"],
        "o-",
        color=style.INK,
        label="fixed, each measured",
    )
    panel.plot(
        tuner["learners"], tuner["images_per_s"], "o", mfc="none", color=hues["crossbow"],
        label="samples of the auto-tuner",
    )  # fmt: skip
    panel.plot(
        found["chosen"], found["chosen_images_per_s"], "*", markersize=13, zorder=3,
        color=hues["pytorch"], label="chosen",
    )  # fmt: skip
    best = found["best_images_per_s"]
    panel.axhspan(0.95 * best, best, color=style.FAINT, alpha=0.25, lw=0, label="within 5% of best")
    panel.set_ylim(bottom=0)
    panel.set_xlim(left=0)
    panel.set_xlabel("learners")
    panel.set_ylabel("images per second")
    panel.legend(loc="lower right")
    run = found["run"]
    return figure, (
        f"The auto-tuner on {run['model']}, batch {run['batch']}: it chose {found['chosen']} "
        f"learner{'s' * (found['chosen'] != 1)}: {found['ratio']:.1%} of the throughput of the "
        f"best fixed number, {found['best']}. Changing the number took "
        f"{found['tuning_s']:.1f} s of the {found['train_s']:.1f} s that "
        f"{run['epochs']} epochs took ({found['share']:.1%}). {machine_of(found, folder)}."
    )
