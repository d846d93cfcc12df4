"""ResNets for ImageNet: He et al. 2015 (arXiv 1512.03385), Table 1.

`resnet50` has 25,557,032 parameters on ImageNet, 97.49 MiB, as the CROSSBOW paper sizes it. A unit
that halves the image does so in its first 1x1 convolution, as in the original and in the released
Crossbow code. `_v15` do it in the 3x3 one, as torchvision does, which has as many parameters and
takes about a tenth more work; 18 and 34 layers have no 1x1 convolutions and are torchvision's.

`_v2` are the networks of He et al. 2016 (arXiv 1603.05027), as Facebook's fb.resnet.torch has them:
the first unit has no batch norm and ReLU of its own, for the stem ends with them, and the stride is
in the 3x3 convolution.
"""

from functools import partial

from models._layers import Dense, Flatten, GlobalAvgPool, Layer, MaxPool, Norm, ReLU
from models._network import Images, Network
from models._resnet_units import basic, basic_v2, bottleneck, bottleneck_v2, conv_norm

# Units of each stage; from 50 layers on they are bottlenecks, with four times as many outputs.
STAGES = {
    18: (2, 2, 2, 2),
    34: (3, 4, 6, 3),
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
}
STEM = [*conv_norm(64, 7, 2), ReLU(), MaxPool(3, 2, padding=1)]


def v1(depth: int, in_3x3: bool, shape: Images, classes: int) -> list[Layer]:
    """The network of He et al. 2015."""
    layers = [*STEM]
    for i, (inputs, filters, stride) in enumerate(units(depth)):
        if depth < 50:
            layers += basic(inputs, filters, stride)
        else:
            layers += bottleneck(4 * inputs if i else inputs, filters, stride, in_3x3)
    return [*layers, GlobalAvgPool(), Flatten(), Dense(classes)]


def v2(depth: int, shape: Images, classes: int) -> list[Layer]:
    """The network of He et al. 2016."""
    layers = [*STEM]
    for i, (inputs, filters, stride) in enumerate(units(depth)):
        if depth < 50:
            layers += basic_v2(inputs, filters, stride, first=i == 0)
        else:
            layers += bottleneck_v2(4 * inputs if i else inputs, filters, stride, first=i == 0)
    return [*layers, Norm(), ReLU(), GlobalAvgPool(), Flatten(), Dense(classes)]


def units(depth: int) -> list[tuple[int, int, int]]:
    """The filters before each unit, its own, and its stride."""
    filters = [64 * 2**stage for stage, count in enumerate(STAGES[depth]) for _ in range(count)]
    before = [64, *filters]
    return [(b, f, 1 if b == f else 2) for b, f in zip(before, filters, strict=False)]


def network(name: str, build, source: str, notes: str) -> Network:
    """The entry of one name."""
    return Network(
        name,
        build,
        source=source,
        sizes=(((224, 224, 3), 1000),),
        notes=notes,
        smallest=32,
        instead="resnet32",
    )


def notes(depth: int) -> str:
    """How the network of He et al. 2015 differs from others'."""
    if depth < 50:
        return f"torchvision's `resnet{depth}`"
    return "stride in the first 1x1; keras.applications' convolutions have biases as well"


V15 = "torchvision's `resnet{}`: stride in the 3x3"
V2 = "as fb.resnet.torch; keras.applications has no batch norm in the stem, and other strides"
NETWORKS = [
    *(network(f"resnet{n}", partial(v1, n, False), "He et al. 2015", notes(n)) for n in STAGES),
    *(
        network(f"resnet{n}_v15", partial(v1, n, True), "He et al. 2015", V15.format(n))
        for n in (50, 101, 152)
    ),
    *(network(f"resnet{n}_v2", partial(v2, n), "He et al. 2016", V2) for n in STAGES),
]
