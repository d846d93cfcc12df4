"""Methods that average weights, on softmax regression in NumPy, written from the papers.

Each takes a `softmax.problem` and the settings of a run, and returns the weights of all devices,
the weights that count, and each iteration's mean loss.
"""

import numpy as np


def local_sgd(problem, spec, start=0, period=8):
    """Synchronous for `start` iterations, then the mean of the weights after every `period`."""

    def meet(i, w):
        since = i + 1 - start
        return [np.mean(w, axis=0)] * len(w) if since > 0 and since % period == 0 else w

    return _train(problem, spec, meet, lambda w: np.mean(w, axis=0), start)


def block_momentum(problem, spec, period, rate, momentum, nesterov=False, inner=None):
    """Blockwise model-update filtering; with `nesterov`, of the outer step as DiLoCo has it."""
    centre = problem.start
    v = np.zeros_like(centre)

    def meet(i, w):
        nonlocal centre, v
        if (i + 1) % period:
            return w
        delta = centre - np.mean(w, axis=0)
        v = momentum * v + delta
        centre = centre - rate * (delta + momentum * v if nesterov else v)
        return [centre] * len(w)

    return _train(problem, spec, meet, lambda w: centre, inner=inner)


def eamsgd(problem, spec, period, beta):
    """Algorithm 2, with v_i = -lr b_i for a velocity b_i without the rate, as S-SGD has it here.

    The weights returned are x_i + delta v_i, where the next gradient is taken.
    """
    k, delta, alpha = spec.devices, spec.momentum, beta / spec.devices
    x, ahead, b = ([start] * k for start in (problem.start, problem.start, 0 * problem.start))
    centre, losses = problem.start, []
    for i, lr in enumerate(problem.rates):
        loss = 0
        for j in range(k):
            g, of_device = problem.gradient(i, j, ahead[j])
            pull = alpha * (x[j] - centre) if i % period == 0 else 0
            centre = centre + pull
            b[j] = delta * b[j] + g
            x[j] = ahead[j] - lr * g - pull
            ahead[j] = x[j] - delta * lr * b[j]
            loss += of_device / k
        losses.append(loss)
    return ahead, centre, losses


def polyak(problem, spec, start, decay):
    """S-SGD, and the average of its iterates after the first `start`."""
    iterates = []

    def meet(i, w):
        iterates.append(w[0])
        return w

    def mean(w):
        tail = iterates[start:]
        if not decay:
            return np.mean(tail, axis=0)
        n = len(tail)
        shares = [decay ** (n - 1)] + [(1 - decay) * decay ** (n - 1 - i) for i in range(1, n)]
        return sum(share * iterate for share, iterate in zip(shares, tail, strict=True))

    return _train(problem, spec, meet, mean, synchronous=len(problem.rates))


def adamw(beta_1, decay):
    """A device's AdamW; gradients come without weight decay."""

    def step(state, w, g, lr):
        m, v, t = state or (0, 0, 0)
        m, v, t = beta_1 * m + (1 - beta_1) * g, 0.999 * v + 0.001 * g**2, t + 1
        adam = m / (1 - beta_1**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
        return (m, v, t), w - lr * decay * w - lr * adam

    return step


def _train(problem, spec, meet, counts, synchronous=0, inner=None):
    """Devices that train alone, but for the first iterations, and do `meet` after each."""

    def sgd(v, w, g, lr):
        v = spec.momentum * (0 if v is None else v) + g
        return v, w - lr * v

    step, k = inner or sgd, spec.devices
    w, states, losses = [problem.start] * k, [None] * k, []
    for i, lr in enumerate(problem.rates):
        pairs = [problem.gradient(i, j, w[j]) for j in range(k)]
        gradients, of_devices = zip(*pairs, strict=True)
        if i < synchronous:
            gradients = [np.mean(gradients, axis=0)] * k
        moved = [step(states[j], w[j], gradients[j], lr) for j in range(k)]
        states, w = (list(each) for each in zip(*moved, strict=True))
        w = meet(i, w)
        losses.append(np.mean(of_devices))
    return w, counts(w), losses
