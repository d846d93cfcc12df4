"""Synchronous model averaging: Algorithm 1 of the CROSSBOW paper (arXiv 1901.02244) and variants.

The symbols are the paper's. k learners hold the rows of w [m, P] on each device (k = m * devices);
z [P] is the central average model, z_prev its value one iteration before; alpha corrects, mu is the
momentum of z. One iteration of Algorithm 1:

    g_j = lr * gradient(w_j)
    c_j = alpha * (w_j - z)
    w_j = w_j - g_j - c_j
    z   = z + sum_j c_j + mu * (z - z_prev)

`step` does the learners' part and returns this device's share of the sum; the devices add their
shares; `average` moves z. Rows are updated in place. Nothing here knows of devices or streams:
any array with in-place arithmetic will do.
"""

from torch import Tensor

from bench.spec import KUNGFU, RELEASED


def step(
    variant: str,
    w: Tensor,
    gradient: Tensor,
    velocity: Tensor,
    z: Tensor,
    lr: float,
    momentum: float,
    alpha: float,
) -> Tensor:
    """The learners' half of an iteration; returns the [P] sum that `average` needs of all devices.

    `gradient` [m, P] is overwritten. `velocity` [m, P] belongs to the released code alone.
    """
    g = gradient
    g *= lr
    if variant == RELEASED:  # the released Crossbow: local momentum, the learning rate inside it
        velocity *= momentum
        velocity += g
        g = velocity
    c = alpha * (w - z)
    w -= g
    w -= c
    return w.sum(0) if variant == KUNGFU else c.sum(0)


def average(variant: str, z: Tensor, z_prev: Tensor, total: Tensor, k: int, mu: float) -> None:
    """The central model's half: move z by the `total` [P] over all k learners, in place."""
    moved = z + total + mu * (z - z_prev)
    z_prev[:] = z
    # KungFu has no central model that lasts: its z is the mean of the learners.
    z[:] = total / k if variant == KUNGFU else moved


def restart(w: Tensor, velocity: Tensor, z: Tensor, z_prev: Tensor) -> None:
    """At a drop of the learning rate every learner, and z's momentum, starts again from z."""
    w[:] = z
    velocity[:] = 0
    z_prev[:] = z
