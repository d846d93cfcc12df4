"""SMA on logistic regression in plain NumPy, float64, one learner at a time, as in the paper.

Written from the paper's Algorithm 1 and the design's description of the variants, without looking
like the implementation: no flat storage, no in-place updates, no devices.
"""

import numpy as np
from softmax import gradient


def train(start, batches, k, variant, rates, alpha, mu, momentum, decay, tau=1, restarts=()):
    """Run len(rates) iterations with k learners; batches(i, j) is learner j's batch at iteration i.

    Learners are corrected, and z moves, in every tau-th iteration.

    Returns z, the learners' models, and each iteration's mean loss.
    """
    classes = len(start["1.bias"])
    w0 = np.concatenate([start["1.weight"].ravel(), start["1.bias"]]).astype(np.float64)
    w = [w0 for _ in range(k)]
    v = [np.zeros_like(w0) for _ in range(k)]
    z, z_before = w0, w0
    losses = []
    for i, lr in enumerate(rates):
        if i in restarts:
            w, v, z_before = [z] * k, [np.zeros_like(w0)] * k, z
        corrections, new_w, loss, mean_gradient = [], [], 0.0, 0.0
        meet = (i + 1) % tau == 0
        for j in range(k):
            unflat = (w[j][:-classes].reshape(classes, -1), w[j][-classes:])
            grad, learner_loss = gradient(unflat, *batches(i, j))
            grad = grad + decay * w[j]
            loss += learner_loss / k
            mean_gradient = mean_gradient + grad / k
            if variant in ("released", "ea-sgd"):
                v[j] = momentum * v[j] + lr * grad
                g = v[j]
            else:
                g = lr * grad
            c = alpha * (w[j] - z) if meet else 0 * z
            corrections.append(c)
            new_w.append(w[j] - g - c)
        w = new_w
        if variant == "ssgd":  # plain SGD on the mean gradient; every learner is z
            v[0] = momentum * v[0] + mean_gradient
            z = z - lr * v[0]
            w = [z] * k
        elif variant == "kungfu":
            z = sum(w) / k
        elif variant == "ea-sgd":  # Zhang, Choromanska & LeCun 2015: an elastic force, no momentum
            z = z + sum(corrections)
        elif meet:
            z, z_before = z + sum(corrections) + mu * (z - z_before), z
        losses.append(loss)
    return z, np.array(w), np.array(losses)
