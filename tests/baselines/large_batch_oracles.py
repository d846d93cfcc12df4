"""LARS and LAMB on softmax regression in NumPy, from their papers' Algorithms 1 and 2.

Each takes a `softmax.problem` without weight decay in its gradients, and the settings of a run, and
returns the weights and each iteration's mean loss. The bias, of one dimension, is not adapted.
"""

import numpy as np

BIAS = 10  # elements, behind those of the weight


def lars(problem, spec):
    """Layer-wise adaptive rates, inside the velocity."""

    def step(v, t, w, g, lr):
        ratio = spec.method["trust"] * norm(w) / (norm(g) + spec.weight_decay * norm(w))
        v = spec.momentum * (0 if v is None else v) + lr * ratio * (g + spec.weight_decay * w)
        return v, w - v

    def bias_step(v, t, w, g, lr):
        v = spec.momentum * (0 if v is None else v) + lr * (g + spec.weight_decay * w)
        return v, w - v

    return _train(problem, spec, step, bias_step)


def lamb(problem, spec):
    """Layer-wise adaptation of Adam."""
    beta_1, beta_2 = spec.momentum, 0.999

    def direction(moments, t, w, g):
        m, v = moments or (0, 0)
        m, v = beta_1 * m + (1 - beta_1) * g, beta_2 * v + (1 - beta_2) * g**2
        unbiased = m / (1 - beta_1**t), v / (1 - beta_2**t)
        return (m, v), unbiased[0] / (np.sqrt(unbiased[1]) + 1e-6) + spec.weight_decay * w

    def step(moments, t, w, g, lr):
        moments, r = direction(moments, t, w, g)
        return moments, w - lr * norm(w) / norm(r) * r

    def bias_step(moments, t, w, g, lr):
        moments, r = direction(moments, t, w, g)
        return moments, w - lr * r

    return _train(problem, spec, step, bias_step)


def norm(w):
    return np.sqrt((w**2).sum())


def _train(problem, spec, step, bias_step):
    """On the mean gradient of all devices, the weight by `step` and the bias by `bias_step`."""
    weight, bias = np.split(problem.start, [-BIAS])
    state = bias_state = None
    losses = []
    for i, lr in enumerate(problem.rates):
        w = np.concatenate([weight, bias])
        gradients, of_devices = zip(
            *(problem.gradient(i, j, w) for j in range(spec.devices)), strict=True
        )
        g, bias_g = np.split(np.mean(gradients, axis=0), [-BIAS])
        state, weight = step(state, i + 1, weight, g, lr)
        bias_state, bias = bias_step(bias_state, i + 1, bias, bias_g, lr)
        losses.append(np.mean(of_devices))
    return np.concatenate([weight, bias]), losses
