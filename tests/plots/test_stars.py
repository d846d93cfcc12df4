"""Tuned runs are stars beside the learners that they ended with, hollow short of the target."""

import pandas as pd
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from synthetic import run, tables
from test_figures import draw

from plots import _stars

TUNED = {"learners": "auto", "learners_final": 3}
FIXED = [run(learners=m) for m in ("2", "4")]


def stars(panel):
    return [
        line for line in panel.get_lines() if line.get_marker() == "*" and len(line.get_xdata())
    ]


def test_a_star_stands_at_its_throughput_beside_the_learners_it_ended_with():
    rates = {"seed": 1, "images_per_s": 500.0}, {"seed": 2, "images_per_s": float("nan")}
    given = tables(*FIXED, *(run(**TUNED, **one) for one in rates))
    second = 1.25  # of three places in turn
    for name, x in (("throughput", second), ("learners", 3 * 2**0.2)):
        panel = draw(name, given)[0].axes[0]
        (star,) = stars(panel)
        assert star.get_xydata().tolist() == [pytest.approx([x, 500.0])]
        assert star.get_gid().endswith("500 images/s (seed 1)")


def test_a_star_that_fell_short_is_hollow_and_could_be_anywhere_above():
    never = {"median5_s": None, "median5_epochs": None, "train_s": 40.0, "seed": 2}
    met = run(**TUNED, seed=1, median5_s=30.0)
    figure, _ = draw("learners", tables(*FIXED, met, run(**TUNED, **never)))
    full, hollow = stars(figure.axes[2])
    assert (full.get_ydata(), hollow.get_ydata()) == ([30], [40])
    assert full.get_markerfacecolor() != "white" == hollow.get_markerfacecolor()
    assert "not reached in 40 s (seed 2)" in hollow.get_gid()
    (bar,) = (
        drawn
        for drawn in figure.axes[2].collections
        if isinstance(drawn, LineCollection) and drawn.get_gid() == hollow.get_gid()
    )
    (ends,) = bar.get_segments()
    assert ends[0][1] == 40 and ends[1][1] > 1e4


def test_runs_without_learners_or_that_never_trained_have_no_star():
    nan = float("nan")
    runs = pd.DataFrame({"x": [1, nan, 3, 4], "s": [5, 6, nan, nan], "train_s": [5, 6, 7, 0]})
    runs = runs.assign(series="Crossbow", learners="auto", batch=16, devices=1, workload="w")
    panel = Figure().subplots()
    _stars.draw(panel, runs, _stars.look({"color": "red"}), "s", "train_s")
    full, hollow = stars(panel)
    assert full.get_xydata().tolist() == [[1, 5]] and hollow.get_xydata().tolist() == [[3, 7]]
    assert full.get_gid().count("Crossbow") == hollow.get_gid().count("Crossbow") == 1
