"""Synchronous model averaging: Algorithm 1 of the CROSSBOW paper (arXiv 1901.02244) and variants.

The symbols are the paper's. k learners hold the rows of w [m, P] on each device (k = m * devices);
z [P] is the central average model, z_prev its value one iteration before; alpha corrects, mu is the
momentum of z. One iteration of Algorithm 1:

    g_j = lr * gradient(w_j)
    c_j = alpha * (w_j - z)
    w_j = w_j - g_j - c_j
    z   = z + sum_j c_j + mu * (z - z_prev)

`step` does the learners' part and returns this device's share of the sum; the devices add their
shares; `average` moves z. Everything is updated in place; nothing here knows of devices or streams.
"""

from torch import Tensor

from bench.spec import EA_SGD, KUNGFU, RELEASED, SSGD

Number = float | Tensor


def step(
    variant: str,
    w: Tensor,
    gradient: Tensor,
    velocity: Tensor,
    z: Tensor,
    lr: Number,
    momentum: Number,
    alpha: Number,
) -> Tensor:
    """The learners' half of an iteration; returns the [P] sum that `average` needs of all devices.

    `velocity` [m, P] belongs to variants with local momentum; `gradient` [m, P] is used up. alpha 0
    leaves the learners to themselves, as between two synchronisations.
    """
    if variant == SSGD:  # all learners are one model; its step is in `average`
        return gradient.sum(0)
    g = gradient.mul_(lr)
    if variant in (RELEASED, EA_SGD):  # local momentum, with the learning rate inside it
        velocity.mul_(momentum).add_(g)
        g = velocity
    c = (w - z).mul_(alpha)
    w.sub_(g).sub_(c)
    return w.sum(0) if variant == KUNGFU else c.sum(0)


def average(
    variant: str,
    w: Tensor,
    velocity: Tensor,
    z: Tensor,
    z_prev: Tensor,
    total: Tensor,
    k: Number,
    lr: Number,
    momentum: Number,
    mu: Number,
) -> None:
    """The central model's half: move z by the `total` [P] over all k learners."""
    if variant == SSGD:  # synchronous SGD: one step with the mean gradient, for everyone
        velocity[0].mul_(momentum).add_(total / k)
        z.sub_(lr * velocity[0])
        w.copy_(z.expand_as(w))
        return
    if variant == KUNGFU:  # no central model that lasts: z is the mean of the learners
        z.copy_(total / k)
        return
    change = (z - z_prev).mul_(mu).add_(total)
    z_prev.copy_(z)
    z.add_(change)


def restart(w: Tensor, velocity: Tensor, z: Tensor, z_prev: Tensor) -> None:
    """At a drop of the learning rate every learner, and z's momentum, starts again from z."""
    w.copy_(z.expand_as(w))
    velocity.zero_()
    z_prev.copy_(z)
