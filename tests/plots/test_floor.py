"""The noise floor of one panel: what is said of its pairs, and the band that is drawn."""

import pandas as pd
import pytest
from synthetic import run, tables
from test_figures import draw

from plots import _floor

NO = float("nan")


def said(ratios, lone=0):
    """What is said of pairs with these ratios, and of others of which one run alone got there."""
    sizes = pd.Series([*ratios, *[float("inf")] * lone], dtype=float)
    rows = {"ratio": [*ratios, *[NO] * lone], "is_lone": [False] * len(ratios) + [True] * lone}
    return _floor.said(pd.DataFrame(rows).assign(floor=_floor.floor(sizes)))


@pytest.mark.parametrize(
    ("ratios", "lone", "words"),
    [
        ([], 0, "no pair to compare"),
        ([NO], 0, "no pair to compare"),  # which was planned and not run
        ([0.8], 0, "one pair, × 1.250"),
        ([1.02, 0.98, 1.01], 0, "widest of 3 pairs × 1.020"),
        ([1.01] * 19 + [1.1], 0, "95% of 20 pairs within × 1.100"),
        ([1.1], 1, "1 of 2 pairs within × 1.100;\nin 1 only one run got there"),
        ([], 1, "0 of 1 pair to compare;\nin 1 only one run got there"),
    ],
)
def test_the_floor_in_words(ratios, lone, words):
    assert said(ratios, lone) == words


def panels(*times):
    """The panels of throughput and time of a figure of pairs of 100 images/s, then so many s."""
    pairs = [
        run(seed=seed, repeat=repeat, run=f"{seed} {repeat}", images_per_s=100.0, median5_s=s)
        for seed, pair in enumerate(times, 1)
        for repeat, s in enumerate(pair, 1)
    ]
    return draw("noise_floor", tables(*pairs))[0].axes


def test_the_band_reaches_as_far_as_the_widest_pair_to_both_sides():
    _, panel = panels((10.0, 8.0), (10.0, 11.0))
    (band,) = panel.patches
    assert (band.get_x(), band.get_x() + band.get_width()) == pytest.approx((0.8, 1.25))
    assert list(panel.get_xticks()) == pytest.approx([0.8, 1.0, 1.25])
    low, high = panel.get_xlim()
    assert low < 0.8 and high > 1.25


def test_a_floor_without_an_end_fills_the_panel():
    _, panel = panels((10.0, 8.0), (10.0, None))
    (band,) = panel.patches
    ends = band.get_x(), band.get_x() + band.get_width()
    assert ends == pytest.approx(panel.get_xlim()) and ends[1] > 1.25
    assert list(panel.get_xticks()) == pytest.approx([0.8, 1.0, 1.25])


def test_without_a_ratio_there_is_no_band_and_no_tick():
    _, panel = panels((10.0, None))
    assert not panel.patches
    assert not any(tick.label1.get_visible() for tick in panel.xaxis.get_major_ticks())
