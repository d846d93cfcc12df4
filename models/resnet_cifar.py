"""ResNets for images of CIFAR's size: He et al. 2015 (arXiv 1512.03385), section 4.2.

Three stages of units of two 3x3 convolutions, with 16, 32 and 64 filters; with n units a stage
there are 6 n + 2 layers. On 32x32x3 images and 10 classes 32 layers have

    464,154 parameters, 1.77 MiB, with their shortcuts, option A: zero-padded identities;
    466,906 parameters, 1.78 MiB, with option B: 1x1 convolutions where the shape changes;
    468,826 parameters, 1.79 MiB, with option B and 7x7 average pooling at stride 1, which leaves
        2x2 of the last 8x8 features for the classifier, where He et al. average all of them.

The last is what is here, at each depth, and what the released Crossbow code trains but for one more
1x1 convolution: its first unit has one too, though no shape changes (288 parameters, still 1.79
MiB). Smaller images than 28x28 have fewer than 7x7 last features, and all of them are averaged.

`_v2` are the networks of He et al. 2016 (arXiv 1603.05027): batch norm and ReLU come before each
convolution, and nothing behind the sum. They average all features, as the paper does; where the
shape changes the shortcut is a 1x1 convolution of the unit's first ReLU.
"""

from functools import partial

from models import _resnet_units
from models._layers import AvgPool, Dense, Flatten, GlobalAvgPool, Layer, Norm, ReLU
from models._network import Images, Network
from models._resnet_units import conv, conv_norm

FILTERS = (16, 32, 64)
DEPTHS = (20, 32, 44, 56, 110)


def v1(depth: int, shape: Images, classes: int) -> list[Layer]:
    """The network of He et al. 2015, as the released Crossbow code has it."""
    layers = [*conv_norm(16, 3), ReLU(), *units("basic", depth)]
    last = [-(-side // 4) for side in shape[:2]]
    window = min(last[0], 7), min(last[1], 7)
    return [*layers, AvgPool(window, 1), Flatten(), Dense(classes)]


def v2(depth: int, shape: Images, classes: int) -> list[Layer]:
    """The network of He et al. 2016."""
    layers = [conv(16, 3), *units("basic_v2", depth), Norm(), ReLU()]
    return [*layers, GlobalAvgPool(), Flatten(), Dense(classes)]


def units(kind: str, depth: int) -> list[Layer]:
    """All units of a network, after the first convolution's 16 filters."""
    unit, layers, inputs = getattr(_resnet_units, kind), [], 16
    for filters in FILTERS:
        for i in range((depth - 2) // 6):
            stride = 2 if i == 0 and filters > 16 else 1
            layers += unit(inputs, filters, stride)
            inputs = filters
    return layers


def network(name: str, build, depth: int, source: str, notes: str) -> Network:
    """The entry of one name."""
    return Network(
        name,
        partial(build, depth),
        source=source,
        sizes=(((32, 32, 3), 10),),
        notes=notes,
        largest=64,
        instead="resnet50",
    )


V1 = "shortcuts of option B, 7x7 average pooling; the released Crossbow code has one shortcut more"
V2 = "shortcuts of option B"
NETWORKS = [
    *(network(f"resnet{n}", v1, n, "He et al. 2015, 4.2", V1) for n in DEPTHS),
    *(network(f"resnet{n}_v2", v2, n, "He et al. 2016", V2) for n in DEPTHS),
]
