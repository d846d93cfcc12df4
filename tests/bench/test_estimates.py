"""Medians and intervals against numbers worked out by hand, and against a simulation."""

import math

import numpy as np
import pytest

from bench.estimates import Estimate, gain, median_gain, median_interval, time_to_target

NEVER = math.inf


def test_of_up_to_three_values_the_interval_is_their_range():
    assert median_interval([3, 1, 2]) == Estimate(2, 1, 3, 3)
    assert median_interval([4, 2]) == Estimate(3, 2, 4, 2)
    assert median_interval([7]) == Estimate(7, 7, 7, 1)
    with pytest.raises(ValueError, match="no value"):
        median_interval([])


def test_the_same_values_give_the_same_interval_in_any_order():
    values = [5.0, 1.0, 4.0, 2.0, 3.0, 9.0, 8.0]
    first = median_interval(values)
    assert first == median_interval(values) == median_interval(values[::-1])
    assert 1 < first.low < first.median == 4 < first.high < 9


def test_the_bootstrap_interval_holds_the_median_about_as_often_as_it_says():
    """Few of 60 samples of 15 exponential values have an interval without the true median."""
    generator = np.random.default_rng(3)
    truth = math.log(2)
    estimates = [median_interval(generator.exponential(size=15)) for _ in range(60)]
    held = sum(e.low <= truth <= e.high for e in estimates)
    assert 52 <= held <= 60
    assert np.mean([e.high - e.low for e in estimates]) < 1.5


@pytest.mark.parametrize(
    ("gains", "median"),
    [
        ([0.5, 2], 1),
        ([4, 1, 9], 4),
        ([1, 4, 9, 100], 6),
        ([0, 3], 0),
        ([1.05, NEVER], 1.05),
        ([1.05, 1.05, NEVER, NEVER], 1.05),
        ([0, NEVER], 0),
        ([2, NEVER, NEVER], NEVER),
        ([NEVER, NEVER], NEVER),
    ],
)
def test_the_median_gain_is_no_greater_than_what_is_certain_of_it(gains, median):
    assert median_gain(np.array(gains)) == median
    assert median_interval(gains, median_gain).median == median
    turned = 1 / np.array(gains, dtype=float, copy=True).clip(1e-300)
    assert not (median > 1 and median_gain(turned) > 1)


def test_infinity_is_a_value_like_any_other():
    estimate = median_interval([1, 2, 5, NEVER, NEVER])
    assert (estimate.median, estimate.low, estimate.high) == (5, 1, NEVER)
    assert median_interval([NEVER] * 5) == Estimate(NEVER, NEVER, NEVER, 5)


def test_without_censored_runs_the_time_is_the_ordinary_median():
    for times in ([3.0, 1.0, 2.0], [4.0, 1.0, 2.0, 3.0], list(range(1, 9))):
        assert time_to_target(times, [99] * len(times)) == median_interval(times)


def test_half_of_the_runs_is_half_though_it_is_a_product_of_quotients():
    """6/9 of nine runs, then 3/4 of the rest: exactly half, so the next time counts, of none."""
    times = [1, 2, 3, NEVER, NEVER, 6, NEVER, NEVER, NEVER]
    assert time_to_target(times, range(1, 10)).median == NEVER


def test_kaplan_and_meier_of_published_remissions():
    """Weeks in remission on 6-MP, Freireich et al. (Blood 21, 1963); 12 of 21 are censored.

    Its median of 23 weeks is in most textbooks, and S = 0.448 from week 23 on.
    """
    relapsed = [6, 6, 6, 7, 10, 13, 16, 22, 23]
    still_well = [6, 9, 10, 11, 17, 19, 20, 25, 32, 32, 34, 35]
    estimate = time_to_target([*relapsed, *[NEVER] * len(still_well)], [*relapsed, *still_well])
    assert (estimate.median, estimate.n, estimate.censored) == (23, 21, 12)
    assert 6 < estimate.low < 23 and estimate.high == NEVER


def test_where_half_got_there_and_then_more_the_median_lies_between():
    estimate = time_to_target([10, 20, 30, NEVER], [10, 20, 30, 40])
    assert estimate.median == 25 == np.median([10, 20, 30, 40])
    assert time_to_target([10, 20, NEVER, NEVER], [10, 20, 30, 30]).median == NEVER


def test_a_run_that_never_got_there_is_no_survivor_to_leave_out():
    assert time_to_target([10, 12, NEVER], [10, 12, 60]) == Estimate(12, 10, NEVER, 3, 1)
    assert time_to_target([10, NEVER, NEVER], [10, 60, 60]) == Estimate(NEVER, 10, NEVER, 3, 2)
    assert time_to_target([NEVER] * 3, [50, 60, 60]) == Estimate(NEVER, 50, NEVER, 3, 3)


def test_what_diverged_stays_at_risk_and_what_was_cut_short_does_not():
    times = [10, 20, 30, NEVER, NEVER]
    diverged = time_to_target(times, [10, 20, 30, NEVER, NEVER])
    assert diverged.median == 30
    cut_short = time_to_target(times, [10, 20, 30, 5, 5])
    assert cut_short.median == 20 and cut_short.censored == 2


def test_the_interval_of_censored_times_holds_the_median():
    times = [*range(10, 20), NEVER, NEVER, NEVER]
    estimate = time_to_target(times, [*range(10, 20), 40, 40, 40])
    assert estimate.median == 16
    assert 10 < estimate.low < 16 < estimate.high < 20
    longest_reached = time_to_target([10, 20, 30, 40, NEVER], [10, 20, 30, 40, 5])
    assert longest_reached.high == 40  # without a run left, all is known


def test_a_gain_of_two_that_got_there_is_their_ratio():
    assert gain(2, 6, 100) == 3
    assert gain(6, 2, 100) == pytest.approx(1 / 3)


def test_what_is_not_known_of_a_pair_counts_against_us():
    assert gain(2, NEVER, 60) == 30  # at least that
    assert gain(80, NEVER, 60) < 1  # they might have been there at 61
    assert gain(2, NEVER, NEVER) == NEVER
    assert gain(NEVER, 50, 50) == 0
    assert gain(NEVER, NEVER, 50) == gain(NEVER, NEVER, NEVER) == 0
