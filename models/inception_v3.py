"""Inception v3: Szegedy et al. 2015 (arXiv 1512.00567), on images of 299x299 pixels.

It is torchvision's `inception_v3` without the side classifier, which takes part in training alone:
the baselines' loss is that of one output. keras.applications' has as many filters, but no scale in
its batch norm, and its average poolings leave the padding out of the mean.
"""

from models._layers import (
    AvgPool,
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
    Size,
)
from models._network import Images, Network

DRAW = Normal(0.1, cut=True)  # torchvision's
Branch = tuple[Layer, ...]


def conv(filters: int, kernel: Size, stride: int = 1, padding: Size = 0) -> Branch:
    """A convolution without bias, batch norm, ReLU."""
    return Conv(filters, kernel, stride, padding, False, DRAW), Norm(1e-3), ReLU()


def across(filters: int, width: int) -> Branch:
    """1 x width, padded."""
    return conv(filters, (1, width), padding=(0, width // 2))


def down(filters: int, height: int) -> Branch:
    """Height x 1, padded."""
    return conv(filters, (height, 1), padding=(height // 2, 0))


def behind_pool(filters: int) -> Branch:
    """3x3 average pooling and a 1x1 convolution."""
    return AvgPool(3, 1, 1), *conv(filters, 1)


def block_35(pooled: int) -> Concat:
    """Figure 5, on 35x35 features, with a 5x5 convolution."""
    five = *conv(48, 1), *conv(64, 5, padding=2)
    three = *conv(64, 1), *conv(96, 3, padding=1), *conv(96, 3, padding=1)
    return Concat((conv(64, 1), five, three, behind_pool(pooled)))


def to_17() -> Concat:
    """Figure 10, from 35x35 to 17x17."""
    three = *conv(64, 1), *conv(96, 3, padding=1), *conv(96, 3, 2)
    return Concat((conv(384, 3, 2), three, (MaxPool(3, 2),)))


def block_17(inner: int) -> Concat:
    """Figure 6, on 17x17 features, with n = 7."""
    one = *conv(inner, 1), *across(inner, 7), *down(192, 7)
    two = *conv(inner, 1), *down(inner, 7), *across(inner, 7), *down(inner, 7), *across(192, 7)
    return Concat((conv(192, 1), one, two, behind_pool(192)))


def to_8() -> Concat:
    """From 17x17 to 8x8."""
    seven = *conv(192, 1), *across(192, 7), *down(192, 7), *conv(192, 3, 2)
    return Concat(((*conv(192, 1), *conv(320, 3, 2)), seven, (MaxPool(3, 2),)))


def block_8() -> Concat:
    """Figure 7, on 8x8 features."""
    split = Concat((across(384, 3), down(384, 3)))
    double = *conv(448, 1), *conv(384, 3, padding=1), split
    return Concat((conv(320, 1), (*conv(384, 1), split), double, behind_pool(192)))


def layers(shape: Images, classes: int) -> list[Layer]:
    """The network, Table 1."""
    return [
        *(*conv(32, 3, 2), *conv(32, 3), *conv(64, 3, padding=1), MaxPool(3, 2)),
        *(*conv(80, 1), *conv(192, 3), MaxPool(3, 2)),
        *(block_35(32), block_35(64), block_35(64)),
        *(to_17(), block_17(128), block_17(160), block_17(160), block_17(192)),
        *(to_8(), block_8(), block_8()),
        *(GlobalAvgPool(), Dropout(0.2), Flatten(), Dense(classes, DRAW)),
    ]


NETWORKS = [
    Network(
        "inception_v3",
        layers,
        source="Szegedy et al. 2015",
        sizes=(((299, 299, 3), 1000),),
        notes="torchvision's `inception_v3` without the side classifier; keras.applications' batch "
        "norm has no scale, its average pooling leaves the padding out",
        smallest=75,
        instead="resnet50",
    )
]
