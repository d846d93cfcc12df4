"""The auto-tuner's steps on the curve that exhaustive search found."""

from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from benchmarks.draw_numbers import make_numbers
from benchmarks.draw_sources import tell
from benchmarks.inputs import AGAIN, BRING, object_of, rows_of
from benchmarks.results import source_of
from plots import _axes, _hover, style

FOUND = (
    "run,chosen,chosen_images_per_s,best,best_images_per_s,ratio,tuning_s,train_s,share"
).split(",")
FIXED = {"marker": "o", "color": style.INK}
SAMPLES = {"marker": "o", "linestyle": "", "mfc": "none", "color": style.hues([])["crossbow"]}
CHOSEN = {"marker": "*", "linestyle": "", "markersize": 13, "zorder": 3}
CHOSEN |= {"color": style.hues([])["pytorch"]}


def draw(folder: Path, name: str = "tuning") -> tuple[Figure, str]:
    """The figure and its caption, of NAME.csv and NAME.json.

    Raises:
        ValueError: one of them is missing or is not what it should be; one sentence.
    """
    numbers, path = ["learners", "images_per_s"], folder / f"{name}.csv"
    rows = pd.DataFrame(rows_of(path, ["source", *numbers], AGAIN))
    make_numbers(rows, path, numbers)
    found = object_of(folder / f"{name}.json", FOUND, f"it says what was chosen; {BRING}")
    sweep, tuner = (rows[rows["source"] == source] for source in ("sweep", "tuner"))
    figure = Figure(figsize=(4.2, 2.9), layout="constrained")
    panel = figure.subplots()
    run = found["run"]
    tuned = found["chosen"], found["chosen_images_per_s"]
    for learners, rates, label, look in (
        (sweep["learners"], sweep["images_per_s"], "fixed, each measured", FIXED),
        (tuner["learners"], tuner["images_per_s"], "samples of the auto-tuner", SAMPLES),
        (tuned[:1], tuned[1:], "chosen", CHOSEN),
    ):
        (marks,) = panel.plot(learners, rates, label=label, **look)
        where = (
            f"b={run['batch']}, {run['devices']} device{'s' * (run['devices'] > 1)}, {run['model']}"
        )
        _hover.tell(
            marks,
            [
                f"Crossbow m={m:g}, {where}: {_hover.amount(rate, 'images_per_s')}, {label}"
                for m, rate in zip(learners, rates, strict=True)
            ],
        )
    best = found["best_images_per_s"]
    panel.axhspan(0.95 * best, best, color=style.FAINT, alpha=0.25, lw=0, label="within 5% of best")
    panel.set_ylim(bottom=0)
    panel.yaxis.set_major_formatter(lambda rate, _: _axes.short_number(rate))
    panel.set_xlim(left=0)
    panel.set_xlabel("learners")
    panel.set_ylabel("images per second")
    panel.legend(loc="lower right")
    source = source_of(folder / f"{name}.json")
    return figure, (
        f"The auto-tuner on {run['model']}, batch {run['batch']}: it chose {found['chosen']} "
        f"learner{'s' * (found['chosen'] != 1)}: {found['ratio']:.1%} of the throughput of the "
        f"best fixed number, {found['best']}. Changing the number took "
        f"{found['tuning_s']:.1f} s of the {found['train_s']:.1f} s that "
        f"{run['epochs']} epochs took ({found['share']:.1%}). {tell(figure, [('', source)])}"
    )
