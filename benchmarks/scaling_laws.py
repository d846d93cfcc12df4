"""What an iteration costs, as functions of learners and devices, and how to fit them to timings.

All times are in seconds. Fits minimise relative errors, by non-negative least squares.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls
from scipy.stats import norm

MIB = 2**20
# DistributedDataParallel's buckets: a small first one, so that sending begins early.
FIRST_BUCKET, BUCKET = 1 * MIB, 25 * MIB
BACKWARD = 2 / 3  # of an iteration of S-SGD: two of its three products per layer


@dataclass(frozen=True)
class AllReduce:
    """A ring over g devices: 2 (g - 1) messages one after the other, each of bytes / g.

    `hop_s` is what a message costs whatever its size, `bytes_per_s` what a device can send, and
    `fixed_s` what a sum costs however many devices it has.
    """

    hop_s: float
    bytes_per_s: float
    fixed_s: float = 0.0

    def seconds(self, devices: int, size: float) -> float:
        """Of a sum of `size` bytes over the devices."""
        hops = 2 * (devices - 1)
        return self.fixed_s + hops * self.hop_s + hops / devices * size / self.bytes_per_s

    def at_once(self) -> "AllReduce":
        """The same between two devices, which can't tell messages from what a sum costs anyway."""
        return AllReduce(0.0, self.bytes_per_s, self.fixed_s + 2 * self.hop_s)


def fit_all_reduce(points: Sequence[tuple[int, float, float]]) -> AllReduce:
    """From (devices, bytes, seconds); at least two sizes.

    Raises:
        ValueError: the points are all of one size.
    """
    if len({size for _, size, _ in points}) < 2:
        raise ValueError("an all-reduce's latency and bandwidth need sums of two sizes or more")
    hops = np.array([2 * (devices - 1) for devices, _, _ in points], float)
    shares = np.array([2 * (g - 1) / g * size for g, size, _ in points])
    hop_s, byte_s = _fit(np.stack([hops, shares], 1), [seconds for *_, seconds in points])
    return AllReduce(hop_s, math.inf if byte_s == 0 else 1 / byte_s)


@dataclass(frozen=True)
class Learners:
    """m learners on one device: what an iteration costs anyway, and what each learner adds.

    So throughput saturates: m * batch / (fixed_s + m * learner_s).
    """

    fixed_s: float
    learner_s: float

    def seconds(self, learners: float) -> float:
        """Of an iteration with so many learners."""
        return self.fixed_s + learners * self.learner_s


def fit_learners(points: Sequence[tuple[float, float]]) -> Learners:
    """From (learners, seconds of an iteration); at least two numbers of learners.

    Raises:
        ValueError: the points are all of one number of learners.
    """
    if len({learners for learners, _ in points}) < 2:
        raise ValueError("what a learner adds needs two numbers of learners or more")
    terms = np.array([[1.0, learners] for learners, _ in points])
    return Learners(*_fit(terms, [seconds for _, seconds in points]))


def held_out(points: Sequence[tuple[float, float]], fit: Callable[..., Learners]) -> list[float]:
    """The relative error at each (x, seconds) of what `fit` makes of the others."""
    errors = []
    for place, (x, seconds) in enumerate(points):
        law = fit([*points[:place], *points[place + 1 :]])
        errors.append(law.seconds(x) / seconds - 1)
    return errors


def slowest_of(devices: int) -> float:
    """The mean of the largest of so many standard normal numbers: waiting grows like this."""
    x = np.linspace(-8, 8, 4001)
    density = devices * norm.pdf(x) * norm.cdf(x) ** (devices - 1)
    return float(np.trapezoid(x * density, x))


def exposed(system: str, iteration_s: float, size: float, exchange: Callable) -> float:
    """How much of the exchange of `size` bytes computing does not hide.

    `exchange(bytes)` is the seconds of an all-reduce. Crossbow's runs while the next iteration
    computes. S-SGD's runs bucket by bucket while the backward pass does; gradients are taken to
    become ready in proportion to their bytes.
    """
    if system == "crossbow":
        return max(0.0, exchange(size) - iteration_s)
    sent, end = 0.0, 0.0
    while sent < size:
        bucket = min(BUCKET if sent else FIRST_BUCKET, size - sent)
        sent += bucket
        ready = iteration_s * (1 - BACKWARD * (1 - sent / size))
        end = max(ready, end) + exchange(bucket)
    return end - iteration_s


def fit_one(terms: Sequence[float], seconds: Sequence[float], of: Sequence[float]) -> float:
    """The c >= 0 by which c * terms come closest to `seconds`, errors being shares of `of`."""
    weights = 1 / np.array(of)
    a, b = np.array(terms) * weights, np.array(seconds) * weights
    return max(0.0, float(a @ b / (a @ a)))


def _fit(terms: np.ndarray, seconds: Sequence[float]) -> list[float]:
    weights = 1 / np.array(seconds)[:, None]
    return [float(x) for x in nnls(terms * weights, np.ones(len(terms)))[0]]
