"""SMA on logistic regression in plain NumPy, float64, one learner at a time, as in the paper.

Written from the paper's Algorithm 1 and the design's description of the variants, without looking
like the implementation: no flat storage, no in-place updates, no devices.
"""

import numpy as np


def gradient(w, images, labels):
    """Mean gradient of softmax cross-entropy, and the loss, for w = (weight [C, D], bias [C])."""
    weight, bias = w
    x = images.reshape(len(images), -1).astype(np.float64)
    logits = x @ weight.T + bias
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    loss = -np.log(p[np.arange(len(x)), labels]).mean()
    p[np.arange(len(x)), labels] -= 1
    p /= len(x)
    return np.concatenate([(p.T @ x).ravel(), p.sum(0)]), loss


def train(start, batches, k, variant, rates, alpha, mu, momentum, decay, restarts=()):
    """Run len(rates) iterations with k learners; batches(i, j) is learner j's batch at iteration i.

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
        corrections, new_w, loss = [], [], 0.0
        for j in range(k):
            unflat = (w[j][:-classes].reshape(classes, -1), w[j][-classes:])
            grad, learner_loss = gradient(unflat, *batches(i, j))
            grad = grad + decay * w[j]
            loss += learner_loss / k
            if variant == "released":
                v[j] = momentum * v[j] + lr * grad
                g = v[j]
            else:
                g = lr * grad
            c = alpha * (w[j] - z)
            corrections.append(c)
            new_w.append(w[j] - g - c)
        w = new_w
        if variant == "kungfu":
            z = sum(w) / k
        else:
            z, z_before = z + sum(corrections) + mu * (z - z_before), z
        losses.append(loss)
    return z, np.array(w), np.array(losses)
