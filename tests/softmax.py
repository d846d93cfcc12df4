"""Softmax regression in NumPy, float64: what oracles of the systems train."""

from types import SimpleNamespace

import numpy as np

from bench.schedules import learning_rate
from data_prep.feed import Feed
from models.weights import read


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


def flat(state, prefix=""):
    """The weights of a file or a state as one vector, the bias last."""
    return np.concatenate([state[f"{prefix}1.{name}"].ravel() for name in ("weight", "bias")])


def problem(spec, records, weights):
    """What a run of `spec` works on.

    start: the initial weights; rates: by iteration of the run; gradient(i, j, w): that of device
    j's batch in iteration i, with weight decay, and the loss; logits(w): on the test set.
    """
    feed = Feed(records, spec.augmentation, spec.seed)
    per_step = spec.devices * spec.batch
    iterations = feed.samples // per_step
    plans = [feed.plan(epoch) for epoch in range(spec.epochs)]
    start = flat(read(weights)).astype(np.float64)
    classes = records.classes

    def pair(w):
        return w[:-classes].reshape(classes, -1), w[-classes:]

    def of_device(i, j, w):
        epoch, step = divmod(i, iterations)
        first = step * per_step + j * spec.batch
        g, loss = gradient(pair(w), *feed.batch(plans[epoch][first : first + spec.batch]))
        return g + spec.weight_decay * w, loss

    def logits(w):
        weight, bias = pair(w)
        return feed.test_images().reshape(len(records.test_labels), -1) @ weight.T + bias

    positions = [
        epoch + step * per_step / feed.samples
        for epoch in range(spec.epochs)
        for step in range(iterations)
    ]
    rates = [learning_rate(spec.schedule, spec.lr, at, spec.epochs) for at in positions]
    return SimpleNamespace(start=start, rates=rates, gradient=of_device, logits=logits)
