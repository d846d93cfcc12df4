"""Lines of equal time: each is of the time that it names, and which times have one."""

from dataclasses import replace

import pytest
from matplotlib.figure import Figure
from synthetic import run, tables
from test_figures import draw

from plots import _equal_time

IMAGES = 1500  # of an epoch of the synthetic runs


def seconds(x, y):
    return round(float(x * IMAGES / y), 6)


def drawn(*runs):
    """The times of the lines of a figure of these runs, and where each name stands."""
    (panel,) = draw("time_split", tables(*runs))[0].axes
    ends = [line.get_xydata() for line in panel.get_lines() if line.get_color() == "#c9c9c9"]
    assert all(seconds(*first) == seconds(*last) for first, last in ends)
    names = {text.get_text(): text.xy for text in panel.texts if text.get_text().endswith(" s")}
    return [seconds(*first) for first, _ in ends], names


def test_lines_run_through_the_points_that_take_their_time_and_are_named_by_it():
    met = {"median5_epochs": 6, "images_per_s": 900.0}  # 10 s
    times, names = drawn(run(**met), run(batch=64, median5_epochs=60))
    assert 10.0 in times
    assert {name: seconds(*where) for name, where in names.items()} == {
        f"{time:g} s": time for time in times
    }


def test_without_a_told_epoch_there_is_no_line():
    given = tables(run(median5_epochs=6))
    figure, _ = draw("time_split", replace(given, epochs=given.epochs.iloc[:0]))
    assert "#c9c9c9" not in {line.get_color() for line in figure.axes[0].get_lines()}


def test_a_name_stands_where_its_line_leaves_the_panel_or_begins():
    panel = Figure().subplots()
    panel.set(xscale="log", yscale="log", xlim=(10, 100), ylim=(500, 5000))
    _equal_time.draw(panel, IMAGES, 500)
    told = {text.get_text(): (text.xy, text.get_ha()) for text in panel.texts}
    assert told["5 s"] == (pytest.approx((5000 / 300, 5000)), "right")  # at the top
    assert told["100 s"] == (pytest.approx((100, 1500)), "right")  # at the right
    low = Figure().subplots()
    low.set(xscale="log", yscale="log", xlim=(10, 100), ylim=(500, 1510))
    _equal_time.draw(low, IMAGES, 500)
    began = {text.get_text(): (text.xy, text.get_ha()) for text in low.texts}
    assert began["10 s"] == (pytest.approx((10, 1500)), "left")


def test_of_many_times_the_powers_of_ten_have_a_line():
    assert _equal_time._round_times(3, 70) == [5, 10, 20, 50]
    assert _equal_time._round_times(3, 70000) == [10, 100, 1000, 10000]
