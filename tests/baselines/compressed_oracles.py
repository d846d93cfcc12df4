"""Methods that compress gradients, in NumPy, one device after the other, from their papers.

Each takes what `softmax.problem` gives, without weight decay in its gradients, and returns the
weights, 640 of a matrix [10, 64] and 10 of a bias, and the losses.
"""

import math

import numpy as np
import torch

MATRIX, COLUMNS = slice(0, 640), 64


def descend(p, devices, send, decay, momentum):
    """SGD on the mean over devices of send(iteration, device, gradient)."""
    w, v, losses = p.start, np.zeros_like(p.start), []
    for i, lr in enumerate(p.rates):
        gradients, loss = zip(*(p.gradient(i, j, w) for j in range(devices)), strict=True)
        g = send(i, gradients, w)
        v = momentum * v + g + decay * w
        w = w - lr * v
        losses.append(np.mean(loss))
    return w, np.array(losses)


def ssgd(p, devices, decay, momentum):
    """The mean gradient as it is."""
    return descend(p, devices, lambda i, gradients, w: np.mean(gradients, 0), decay, momentum)


def one_bit(p, devices, decay, momentum):
    """Signs, with a mean of positive and one of negative elements per column."""
    errors = np.zeros((devices, len(p.start)))

    def quantised(column):
        high = column[column >= 0].mean() if (column >= 0).any() else 0
        low = column[column < 0].mean() if (column < 0).any() else 0
        return np.where(column >= 0, high, low)

    def send(i, gradients, w):
        sent = []
        for k, gradient in enumerate(gradients):
            total = gradient + errors[k]
            matrix = np.apply_along_axis(quantised, 0, total[MATRIX].reshape(-1, COLUMNS))
            sent.append(np.concatenate([matrix.ravel(), quantised(total[640:])]))
            errors[k] = total - sent[k]
        return np.mean(sent, 0)

    return descend(p, devices, send, decay, momentum)


def topk(p, devices, decay, momentum, densities, masking):
    """The largest elements of each parameter's unsent sum; densities by iteration."""
    u, v = np.zeros((2, devices, len(p.start)))

    def send(i, gradients, w):
        sent = np.zeros((devices, len(p.start)))
        for k, gradient in enumerate(gradients):
            u[k] = momentum * u[k] + gradient + decay * w
            v[k] += u[k]
            for first, last in ((0, 640), (640, 650)):
                count = math.ceil(densities[i] * (last - first))
                chosen = first + np.argsort(-np.abs(v[k, first:last]))[:count]
                sent[k, chosen] = v[k, chosen]
                v[k, chosen] = 0
                if masking:
                    u[k, chosen] = 0
        return sent.mean(0)

    return descend(p, devices, send, 0, 0)


def powersgd(p, devices, decay, momentum, rank, start):
    """The matrix by its approximation of a rank, the bias as it is; torch's first Q."""
    errors = np.zeros((devices, 10, COLUMNS))
    generator = torch.Generator().manual_seed(np.random.RandomState(0).randint(10**9))
    q = torch.randn(1, COLUMNS, rank, generator=generator)[0].double().numpy()

    def send(i, gradients, w):
        nonlocal q
        mean = np.mean(gradients, 0)
        if i < start:
            return mean
        matrices = [g[MATRIX].reshape(10, -1) + e for g, e in zip(gradients, errors, strict=True)]
        q = np.linalg.qr(q)[0]
        left = np.linalg.qr(sum(m @ q for m in matrices))[0]
        q = np.mean([m.T @ left for m in matrices], 0)
        for k, matrix in enumerate(matrices):
            errors[k] = matrix - left @ q.T
        return np.concatenate([(left @ q.T).ravel(), mean[640:]])

    return descend(p, devices, send, decay, momentum)
