"""Asynchronous methods in NumPy, for devices that take turns in the order of their ranks.

In an iteration every device first computes its step, at the weights it has; then one after the
other pushes and fetches. `p` is what `softmax.problem` gives, and `per_epoch` iterations are an
epoch. Each returns the weights after the run, the losses, and the staleness over the run.
"""

import numpy as np


def served(p, devices, momentum, per_epoch, push, fetches):
    """A server that gets what devices moved every `push` iterations.

    fetches(i, clock, seen) says whether a device fetches after iteration i, from its clock and what
    the slowest one's was when it last fetched.
    """
    z, n = p.start, len(p.start)
    w, v, moved = [z] * devices, np.zeros((devices, n)), np.zeros((devices, n))
    losses, stale, pushes = [], 0, 0
    for i, lr in enumerate(p.rates):
        if i % per_epoch == 0:
            clocks, seen, others = [0] * devices, [0] * devices, [0] * devices
        loss = 0
        for k in range(devices):
            g, own = p.gradient(i, k, w[k])
            v[k] = momentum * v[k] + g
            w[k], moved[k] = w[k] - lr * v[k], moved[k] - lr * v[k]
            loss += own / devices
        losses.append(loss)
        last = (i + 1) % per_epoch == 0
        for turn in ("regular", "end of epoch")[: 1 + last]:
            for k in range(devices):
                if (i + 1) % push == 0 if turn == "regular" else moved[k].any():
                    z, moved[k] = z + moved[k], 0
                    stale += sum(clocks) - clocks[k] - others[k]
                    pushes += 1
                    clocks[k] += 1
                if turn == "regular" and fetches(i, clocks[k], seen[k]):
                    w[k], others[k], seen[k] = z, sum(clocks) - clocks[k], min(clocks)
        if last:
            w = [z] * devices
    return z, np.array(losses), stale / pushes


def downpour(p, devices, momentum, per_epoch, push, fetch):
    """Fetches after every `fetch` iterations of the run."""

    def fetches(i, clock, seen):
        return (i + 1) % fetch == 0

    return served(p, devices, momentum, per_epoch, push, fetches)


def ssp(p, devices, momentum, per_epoch, slack):
    """Fetches when what a device has seen is more than `slack` clocks behind its own."""

    def fetches(i, clock, seen):
        return seen < clock - slack

    return served(p, devices, momentum, per_epoch, 1, fetches)


def hogwild(p, devices, momentum, per_epoch):
    """One weight for all: each device computes its step when it is its turn."""
    w, v, losses = p.start, np.zeros((devices, len(p.start))), []
    for i, lr in enumerate(p.rates):
        loss = 0
        for k in range(devices):
            g, own = p.gradient(i, k, w)
            v[k] = momentum * v[k] + g
            w = w - lr * v[k]
            loss += own / devices
        losses.append(loss)
    return w, np.array(losses), 0
