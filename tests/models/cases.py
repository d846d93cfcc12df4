"""The networks that are compared, and the work that both frameworks do on them.

Dropout is left out: each framework draws masks of its own. All is in double precision, so that what
differs is the network and not the rounding.
"""

import json
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import torch

import models
from models._layers import AvgPool, Concat, Conv, Dense, Dropout, Flatten, MaxPool, Norm, Residual
from models._network import Network

BATCH, CLASSES, MOMENTUM = 5, 10, 0.9


class Case(NamedTuple):
    """A model, the images it is compared on, and how many steps it is trained for.

    Batch norm over a few values, some of them all but equal, makes much of a small difference, and
    with every step more of it. So the rate is small enough for the rounding to stay small. Without
    steps (None) there are no gradients either.
    """

    name: str
    shape: tuple[int, int, int]
    steps: int | None = 0
    rate: float = 1e-3

    def __str__(self):
        return f"{self.name}-{'x'.join(map(str, self.shape))}-{self.steps}"


# What no network does: poolings of negative values, with padding and windows that are not whole.
POOLS = (MaxPool(3, 2, 1, ceil=True), Conv(6, 2)), (AvgPool((3, 2), 2, ceil=True),)
CORNERS = [
    *(Conv(6, 3, 2, (1, 0)), Concat(POOLS), Norm(1e-3)),
    Residual(
        (Conv(12, (3, 1), (2, 1), (1, 0)), MaxPool((1, 2), 1)),
        (AvgPool((3, 2), (2, 1), (1, 0)), MaxPool(3, 1, 1)),
    ),
    *(Flatten(), Norm(), Dense(10)),
]

DIGIT, MNIST, CIFAR = (8, 8, 1), (28, 28, 1), (32, 32, 3)
# A second step is the first whose momentum matters; ten of a large network say no more of it.
FAST = [
    Case("corners", (31, 22, 3), 10),
    Case("logistic", DIGIT, 10),
    Case("mlp", (8, 6, 3), 10),
    Case("lenet", DIGIT, 10),
    Case("lenet", MNIST),
    Case("lenet", CIFAR),
    Case("convnet", CIFAR, 10),
    Case("convnet", (29, 22, 1)),
    Case("alexnet", (63, 67, 3), 2),
    Case("vgg11", CIFAR, 2, rate=1e-5),
    Case("resnet20", CIFAR, 10),
    Case("resnet32", DIGIT),
    Case("resnet20_v2", (20, 28, 3), 10),
    Case("resnet18", CIFAR, 2),
    Case("resnet50", (35, 33, 3), 2, rate=1e-4),
    Case("resnet18_v2", (35, 33, 3), 2),
    Case("googlenet", (41, 38, 3), 2),
    Case("googlenet_bn", (41, 38, 3), 2, rate=1e-4),
]
SLOW = [
    Case("vgg11", (224, 32, 3)),  # the ImageNet form, with few of its weights
    Case("vgg_a", CIFAR, 2),
    Case("resnet32", MNIST),
    Case("resnet32", CIFAR, 2),
    Case("resnet50_v2", CIFAR, 2, rate=1e-4),
    Case("inception_v3", (75, 79, 3), 2, rate=1e-5),
    Case("overfeat", (71, 75, 3), 2),
]
# A network that has the layers of another, and more of each, is other work for no framework.
DEEPER = {f"resnet{n}{form}": f"resnet50{form}" for n in (101, 152) for form in ("", "_v15", "_v2")}
DEEPER |= {f"resnet34{form}": f"resnet18{form}" for form in ("", "_v2")}
DEEPER |= {f"resnet{n}{form}": f"resnet20{form}" for n in (44, 56, 110) for form in ("", "_v2")}
DEEPER |= {f"vgg{n}": "vgg11" for n in (13, 16, 19)} | {f"vgg_{form}": "vgg_a" for form in "bde"}
SLOW += [Case(name, CIFAR, None) for name in ("resnet152_v2", "vgg19")]  # the deepest all the same
ABSENT = set(models.known()) - DEEPER.keys() - {case.name for case in FAST + SLOW}
SLOW += [Case(name, CIFAR) for name in sorted(ABSENT)]


def network_of(case):
    """The case's network, but that nothing is dropped."""
    if case.name == "corners":
        return Network("corners", lambda shape, classes: CORNERS, "", ())
    network = models.load(case.name)

    def layers(shape, classes):
        described = network.layers(shape, classes)
        return [replace(x, rate=0.0) if isinstance(x, Dropout) else x for x in described]

    return replace(network, layers=layers)


def write(case, folder):
    """The case's inputs: weights, and a batch of images and labels for each step."""
    torch.manual_seed(3)
    state = network_of(case).torch_model(case.shape, CLASSES).state_dict()
    rng = np.random.default_rng(0)
    # Biases and batch norm start as ones and zeros, which would hide that they are mixed up.
    drawn = {
        name: array + rng.uniform(0.1, 0.5, array.shape) if array.ndim == 1 else array
        for name, array in ((name, tensor.numpy()) for name, tensor in state.items())
    }
    np.savez(folder / "weights.npz", **drawn)
    batches = 1 + (case.steps or 0)
    np.save(folder / "images.npy", rng.normal(size=(batches, BATCH, *case.shape)))
    np.save(folder / "labels.npy", rng.integers(0, CLASSES, (batches, BATCH)))
    (folder / "case.json").write_text(json.dumps(case))


def fingerprint(array):
    """A few numbers that say whether large arrays are equal: sums over parts, and samples."""
    values = np.asarray(array, np.float64).ravel()
    sums = [np.abs(values).sum(), *(values[i::7].sum() for i in range(7))]
    return np.array([*sums, *values[:: 1 + values.size // 100]])
