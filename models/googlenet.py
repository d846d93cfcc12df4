"""GoogLeNet: Szegedy et al. 2014 (arXiv 1409.4842), Table 1, without its two side classifiers.

`googlenet` has no local response normalisation either, like the one of github.com/soumith/
convnet-benchmarks, which pads its poolings where the paper's round the number of windows up, and
has no dropout but a ReLU of the logits.

`googlenet_bn` is torchvision's `googlenet`: batch norm of each convolution, which then has no bias,
3x3 convolutions where the paper has 5x5 ones, and a last pooling of 2x2.
"""

from functools import partial

from models._layers import (
    Concat,
    Conv,
    Dense,
    Dropout,
    Flatten,
    GlobalAvgPool,
    Layer,
    MaxPool,
    Norm,
    Normal,
    ReLU,
    Xavier,
)
from models._network import Images, Network

# Filters of each module: 1x1, (1x1, 3x3), (1x1, 5x5), 1x1 behind the pooling. None is a pooling.
MODULES = [
    (64, (96, 128), (16, 32), 32),
    (128, (128, 192), (32, 96), 64),
    None,
    (192, (96, 208), (16, 48), 64),
    (160, (112, 224), (24, 64), 64),
    (128, (128, 256), (24, 64), 64),
    (112, (144, 288), (32, 64), 64),
    (256, (160, 320), (32, 128), 128),
    None,
    (256, (160, 320), (32, 128), 128),
    (384, (192, 384), (48, 128), 128),
]


def plain(filters: int, kernel: int, stride: int = 1) -> tuple[Layer, ...]:
    """A convolution with a bias, and ReLU; weights start as in Caffe's bvlc_googlenet."""
    return Conv(filters, kernel, stride, kernel // 2, draw=Xavier(0.2)), ReLU()


def with_norm(filters: int, kernel: int, stride: int = 1) -> tuple[Layer, ...]:
    """The same with batch norm; weights start as in torchvision."""
    draw = Normal(0.01, cut=True)
    return Conv(filters, kernel, stride, kernel // 2, False, draw), Norm(1e-3), ReLU()


def layers(norm: bool, shape: Images, classes: int) -> list[Layer]:
    """The network."""
    conv, five = (with_norm, 3) if norm else (plain, 5)
    network: list[Layer] = [*conv(64, 7, 2), MaxPool(3, 2, ceil=True)]
    network += [*conv(64, 1), *conv(192, 3), MaxPool(3, 2, ceil=True)]
    for i, filters in enumerate(MODULES):
        if filters is None:
            network.append(MaxPool(2 if norm and i > 2 else 3, 2, ceil=True))
            continue
        one, (before_3, three), (before_5, large), behind_pool = filters
        branches = (
            conv(one, 1),
            (*conv(before_3, 1), *conv(three, 3)),
            (*conv(before_5, 1), *conv(large, five)),
            (MaxPool(3, 1, 1), *conv(behind_pool, 1)),
        )
        network.append(Concat(branches))
    last = Dense(classes, Normal(0.01, cut=True) if norm else Xavier())
    return [*network, GlobalAvgPool(), Flatten(), Dropout(0.2 if norm else 0.4), last]


PLAIN = "no side classifiers, no response normalisation; convnet-benchmarks' poolings are padded"
NORM = "torchvision's `googlenet` without the side classifiers: batch norm, 3x3 for the paper's 5x5"
NETWORKS = [
    Network(
        name,
        partial(layers, norm),
        source="Szegedy et al. 2014",
        sizes=(((224, 224, 3), 1000),),
        notes=notes,
        smallest=32,
        instead="resnet32",
    )
    for name, norm, notes in (("googlenet", False, PLAIN), ("googlenet_bn", True, NORM))
]
