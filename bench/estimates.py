"""Medians over seeds with their intervals, where a run may never have reached its target.

docs/statistics.md has the reasons and the sources. scipy.stats is imported where there are runs
enough to need it: it takes as long as drawing a figure.
"""

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

LEVEL = 0.95
# Of fewer values than this the interval is their range, for resampling adds nothing to it.
FEWEST_TO_RESAMPLE = 4
_RESAMPLES = 9999
_ROUNDING = 1e-9  # of a share of runs, a product of quotients, that may be exactly a half


@dataclass(frozen=True)
class Estimate:
    """A median of `n` values and the interval around it, in the unit of the values.

    Infinity is later than anything that was measured. `censored` of the values are runs that never
    reached the target.
    """

    median: float
    low: float
    high: float
    n: int
    censored: int = 0


def median_gain(gains: np.ndarray, axis: int = -1) -> np.ndarray:
    """The median of gains, ratios of 0 to infinity, along an axis.

    Of an even number it is the geometric mean of the two in the middle, so that twice and half as
    fast come to neither; and as what is not known counts against us, 0 where one of them is 0, and
    the other where one is infinite.
    """
    ordered, count = np.sort(gains, axis), gains.shape[axis]
    low, high = (ordered.take(at, axis) for at in ((count - 1) // 2, count // 2))
    is_low = np.isinf(high) | (low == high)
    return np.where(is_low, low, np.sqrt(low * np.where(is_low, 1, high)))


def median_interval(
    values: Sequence[float], median: Callable[..., np.ndarray] = np.median
) -> Estimate:
    """The median, with the range of up to three values, or a bootstrap interval of more.

    The interval holds 95% of the medians of resamples (the percentile method). The generator is
    fixed and the values are sorted: the same runs give the same interval. Infinity is a value.
    Of gains, `median` is `median_gain`.

    Raises:
        ValueError: there is no value.
    """
    sample = np.sort(np.asarray(values, dtype=float))
    if not len(sample):
        raise ValueError("no value to take the median of")
    if len(sample) < FEWEST_TO_RESAMPLE:
        return Estimate(float(median(sample)), float(sample[0]), float(sample[-1]), len(sample))
    from scipy.stats import bootstrap

    with np.errstate(invalid="ignore"):  # of scipy's own limits, which interpolate infinities
        resampled = bootstrap(
            (sample,),
            median,
            n_resamples=_RESAMPLES,
            method="percentile",
            rng=np.random.default_rng(0),
        ).bootstrap_distribution
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], method="inverted_cdf")
    return Estimate(float(median(sample)), float(low), float(high), len(sample))


def time_to_target(times: Sequence[float], trained: Sequence[float]) -> Estimate:
    """The median time until runs reach a target, by Kaplan and Meier.

    `times` are those of each run, infinite where it never got there; such a run is right-censored
    at what it has `trained`, in the same unit, which is infinite where it could never get there
    (it diverged, say). The interval is that of Brookmeyer and Crowley with log-log limits; of up
    to three runs, and where all got there, that of `median_interval`. A median or an end of the
    interval that the runs were too short to show is infinite.

    Raises:
        ValueError: there is no run.
    """
    reached_at, followed_to = np.asarray(times, dtype=float), np.asarray(trained, dtype=float)
    reached = np.isfinite(reached_at)
    if reached.all():
        return median_interval(times)
    lost = followed_to[~reached]
    n, censored = len(reached), len(lost)
    if not reached.any():
        return Estimate(np.inf, float(lost.min()), np.inf, n, censored)
    from scipy.stats import CensoredData, ecdf

    # What can never get there is at risk for as long as any other.
    end = max(reached_at[reached].max(), lost[np.isfinite(lost)].max(initial=0))
    survival = ecdf(CensoredData(reached_at[reached], right=np.minimum(lost, end))).sf
    at, share = survival.quantiles, survival.probabilities
    at_most, below = share < 0.5 + _ROUNDING, share < 0.5 - _ROUNDING
    median = (_first(at, at_most) + _first(at, below)) / 2
    if n < FEWEST_TO_RESAMPLE:
        return Estimate(median, float(min(reached_at.min(), lost.min())), np.inf, n, censored)
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):
        limits = survival.confidence_interval(LEVEL, method="log-log")
    # Without a run left the limits are no numbers, as scipy warns; the share is 0 for certain.
    lower, upper = (
        np.where(share == 0, 0, limit.probabilities) for limit in (limits.low, limits.high)
    )
    return Estimate(median, _first(at, lower <= 0.5), _first(at, upper <= 0.5), n, censored)


def _first(at: np.ndarray, is_met: np.ndarray) -> float:
    """The first time at which something is met, infinite where it never is."""
    return float(at[is_met][0]) if is_met.any() else np.inf


def gain(ours: float, theirs: float, theirs_trained: float) -> float:
    """How many times smaller our cost is than theirs, of one pair: above 1 we win.

    A cost (a time to target, or one by a throughput) is infinite where a run never got there. What
    is not known counts against us: if we did not get there, the gain is 0, whatever they did; if
    only we did, it is what is certain of it, `theirs_trained` by ours (infinite where they could
    never get there).
    """
    if np.isinf(ours):
        return 0.0
    return (theirs_trained if np.isinf(theirs) else theirs) / ours
