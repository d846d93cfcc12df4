"""Ticks of small matrices: epochs are whole numbers, and a narrow axis has several to read."""

from itertools import pairwise

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from synthetic import run, tables
from test_beyond_figures import with_epochs
from test_figures import draw
from test_legible import tick_labels

from plots import _axes, _counts, style


def labels(axis):
    """The labels of an axis that are drawn."""
    axis.figure.draw_without_rendering()
    return [label for label in tick_labels(axis) if label.get_visible() and label.get_text()]


def shown(axis):
    """What the ticks of an axis say."""
    return [label.get_text() for label in labels(axis)]


def ticked(name, ends, ticks, numbers):
    """The axis x or y, logarithmic between these ends, of a panel with `ticks` for the numbers."""
    panel = Figure(figsize=(2.7, 2.1)).subplots()
    panel.set(**{f"{name}scale": "log", f"{name}lim": ends})
    axis = getattr(panel, f"{name}axis")
    ticks(axis, pd.Series(numbers))
    return axis


def axes_of(figure, label):
    """The axes with that label."""
    both = [axis for panel in figure.axes for axis in (panel.xaxis, panel.yaxis)]
    return [axis for axis in both if axis.get_label_text() == label]


@pytest.mark.parametrize("reached", [(1, 2), (2, 3), (2, 2), (1, 1), (None, None)])
@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("epochs_to_accuracy", "epochs to target"),
        ("time_split", "epochs to target"),
        ("learners", "epochs to target"),
        ("scaling_methods", "epochs to target"),
        ("model_averaging", "epochs"),
    ],
)
def test_epochs_of_few_have_whole_ticks(name, label, reached):
    kinds = [("1", "released", reached[0]), ("2", "released", reached[1])]
    kinds += [(m, "ea-sgd", n) for m, _, n in kinds] if name == "model_averaging" else []
    runs = [
        run(epochs=2, learners=m, variant=kind, median5_epochs=n, first_epochs=n)
        for m, kind, n in kinds
    ]
    axes = axes_of(draw(name, tables(*runs))[0], label)
    assert axes or (name == "scaling_methods" and reached == (None, None))  # nothing is known
    for axis in axes:
        assert shown(axis) and all(text.isdigit() for text in shown(axis)), shown(axis)


@pytest.mark.parametrize("span", [1, 1.5, 2.5, 4.9, 5, 9.9, 11, 59, 61, 2000])
@pytest.mark.parametrize("least", [0.0011, 1.0, 2.2, 7300])
def test_a_logarithmic_axis_has_several_ticks_that_differ(least, span):
    with matplotlib.rc_context(style.RC):
        room = least / 1.2, 1.2 * span * least
        texts = shown(ticked("y", room, _axes.log_ticks, [least, span * least]))
    assert 2 + (span < 60) <= len(texts) == len(set(texts)) <= 10


@pytest.mark.parametrize("most", [1, 0.98, 0.5, 1 / 3, 0.06, 0.02, 0.0051, 0.0003])
@pytest.mark.parametrize("span", [1, 1.001, 1.01, 1.03, 1.05, 1.5])
def test_accuracies_close_together_have_labels_that_say_where_they_are(most, span):
    with matplotlib.rc_context(style.RC):
        room = 1.05 * most, 0.9 * most / span
        axis = ticked("y", room, _axes.error_ticks, [most / span, most])
        texts = shown(axis)
    assert 3 <= len(texts) == len(set(texts)) <= 8
    told = [float(text.removesuffix("%")) for text in texts]
    places = [label.get_unitless_position()[1] for label in labels(axis)]
    np.testing.assert_allclose(told, 100 * (1 - np.array(places)), rtol=0, atol=1e-7)
    assert min(told) >= 0


@pytest.mark.parametrize("most", [0.9, 0.5, 0.17, 0.06, 0.02, 0.0009, 0.0003])
@pytest.mark.parametrize("span", [1.1, 1.5, 2.9, 4.9, 5, 10, 100])
def test_accuracies_along_their_errors_have_several_ticks(most, span):
    with matplotlib.rc_context(style.RC):
        room = 1.03 * most, 0.97 * most / span
        texts = shown(ticked("x", room, _axes.error_ticks, [most / span, most]))
    assert 2 + (span < 5) <= len(texts) == len(set(texts)) <= 8


@pytest.mark.parametrize("span", [1, 3, 8, 8.9, 9.9, 15, 59, 61, 2000])
@pytest.mark.parametrize("least", [0.31, 1.0, 72, 250])
def test_numbers_of_a_small_panel_stand_apart(least, span):
    with matplotlib.rc_context(style.RC):
        panel = Figure(figsize=(1.6, 1)).add_axes((0, 0, 1, 1))
        _axes.amount_axis(panel, pd.Series([least, span * least]))
        places = [label.get_window_extent() for label in labels(panel.xaxis)]
        assert len(places) > 1
        dots = [after.x0 - one.x1 for one, after in pairwise(places)]
        assert min(dots) > 0.025 * panel.figure.dpi


COUNTS = (1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40)


@pytest.mark.parametrize("name", ["x", "y"])
@pytest.mark.parametrize("most", [1, 4, 12, 40])
@pytest.mark.parametrize("times", [1, 100])
def test_counts_that_were_tried_stand_apart_and_powers_of_two_come_first(name, most, times):
    counts = [times * count for count in COUNTS if count <= most]
    with matplotlib.rc_context(style.RC):
        axis = ticked(name, (counts[0] / 1.3, counts[-1] * 1.3), _counts.count_ticks, counts)
        places = [label.get_window_extent() for label in labels(axis)]
        gaps = [
            after.x0 - one.x1 if name == "x" else after.y0 - one.y1
            for one, after in pairwise(places)
        ]
        assert min(gaps, default=np.inf) > 0.02 * axis.figure.dpi
    said = shown(axis)
    assert said[0] == str(times) and len(said) >= min(len(counts), 4)
    if times == 1:
        assert {f"{2**n}" for n in range(6) if 2**n <= most} <= set(said)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(5e-5, "50 µs"), (1e-3, "1 ms"), (0.02, "20 ms"), (1, "1 s"), (1 - 1e-9, "1 s"), (90, "90 s")],
)
def test_a_time_for_a_tick_has_the_unit_that_suits_it(seconds, said):
    assert _axes.short_time(seconds) == said


def test_times_to_any_accuracy_close_together_have_ticks():
    accuracies = np.linspace(0.80, 0.9, 8)
    seconds = list(np.linspace(2.1, 4.8, 8))
    given = with_epochs(run()[0], list(accuracies), seconds)
    (panel,) = draw("time_to_any_accuracy", tables(given))[0].axes
    assert len(shown(panel.yaxis)) >= 3 and len(shown(panel.xaxis)) >= 3
