"""VGG-11, 13, 16 and 19: Simonyan and Zisserman 2014 (arXiv 1409.1556), Table 1.

With batch norm, after each ReLU:

- `vgg16` on small images is the network of the released Crossbow code, which follows
  github.com/geifmany/cifar-vgg: dropout of 0.3 and 0.4 between the convolutions of a stage, and a
  classifier with 512 hidden units and their batch norm. 15,038,116 parameters on CIFAR-100, 57.37
  MiB, as the CROSSBOW paper sizes it; with 512 -> classes alone it would have 56.36 MiB. The
  released code's batch norm has an epsilon of 1e-3 and a momentum of 0.99; here they are 1e-5 and
  0.9 as in every network. `vgg11`, `vgg13` and `vgg19` are the same with the paper's other columns.
  The small form can't train on batches of one image: its hidden units are normalised too.
- On images with a side of 224 pixels or more they are the paper's networks, with batch norm of the
  convolutions, 4096 and 4096 hidden units, and dropout of 0.5 in the classifier only.

Without batch norm, on images of any size: `vgg_a`, `vgg_b`, `vgg_d` and `vgg_e`, by the letters of
the paper's columns. `vgg_a` is the one of github.com/soumith/convnet-benchmarks, which leaves the
dropout out.
"""

from functools import partial

from models._layers import Conv, Dense, Dropout, Flatten, Layer, MaxPool, Norm, ReLU, Xavier
from models._network import Images, Network

# Convolutions of each stage, by the paper's columns; 2x2 max pooling ends a stage.
COLUMNS = {"a": (1, 1, 2, 2, 2), "b": (2, 2, 2, 2, 2), "d": (2, 2, 3, 3, 3), "e": (2, 2, 4, 4, 4)}
FILTERS = (64, 128, 256, 512, 512)
DRAW = Xavier()  # as the released Crossbow code and the paper, section 3.1, footnote
IMAGENET = ((224, 224, 3), 1000)


def with_norm(column: str, shape: Images, classes: int) -> list[Layer]:
    """The small or the ImageNet form with batch norm."""
    small = max(shape[:2]) < 224
    layers: list[Layer] = []
    for stage, (filters, count) in enumerate(zip(FILTERS, COLUMNS[column], strict=True)):
        for i in range(count):
            layers += [Conv(filters, 3, padding=1, draw=DRAW), ReLU(), Norm()]
            if small and i + 1 < count:
                layers += [Dropout(0.4 if stage else 0.3)]
        layers += [MaxPool(2, 2)]
    if not small:
        return layers + classifier(classes)
    hidden = [Flatten(), Dropout(0.5), Dense(512, DRAW), ReLU(), Norm(), Dropout(0.5)]
    return [*layers, *hidden, Dense(classes, DRAW)]


def plain(column: str, shape: Images, classes: int) -> list[Layer]:
    """The paper's form, without batch norm."""
    layers: list[Layer] = []
    for filters, count in zip(FILTERS, COLUMNS[column], strict=True):
        layers += [Conv(filters, 3, padding=1, draw=DRAW), ReLU()] * count + [MaxPool(2, 2)]
    return layers + classifier(classes)


def classifier(classes: int) -> list[Layer]:
    """Two hidden layers of 4096 units."""
    hidden = [Dense(4096, DRAW), ReLU(), Dropout(0.5)] * 2
    return [Flatten(), *hidden, Dense(classes, DRAW)]


def network(name: str, column: str) -> Network:
    """The entry of one name."""
    small = not name.startswith("vgg_")
    notes = (
        "batch norm after each ReLU; torchvision's `_bn` forms have it before, and no small form"
        if small
        else f"torchvision's `vgg{3 + sum(COLUMNS[column])}`"
    )
    return Network(
        name,
        partial(with_norm if small else plain, column),
        source="Simonyan and Zisserman 2014",
        sizes=(((32, 32, 3), 100), IMAGENET) if small else (IMAGENET,),
        notes=notes,
        smallest=32,
        instead="lenet or resnet32",
    )


NETWORKS = [
    *(network(f"vgg{3 + sum(counts)}", column) for column, counts in COLUMNS.items()),
    *(network(f"vgg_{column}", column) for column in COLUMNS),
]
