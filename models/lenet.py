"""LeNet as the CROSSBOW paper sizes it: 1,111,946 parameters on MNIST, 4.24 MiB.

Two 5x5 convolutions (32, 64) with max pooling, then 1024 hidden units. The released Crossbow code
also drops 40% of them; here there is no dropout. Images smaller than 28 pixels, such as
scikit-learn's digits, get padded convolutions; there is nothing left of them otherwise.
"""

from models._layers import Conv, Dense, Flatten, Layer, MaxPool, ReLU
from models._network import Images, Network


def layers(shape: Images, classes: int) -> list[Layer]:
    """The network, with padding for small images."""
    padding = 2 if min(shape[:2]) < 28 else 0
    return [
        *(Conv(32, 5, padding=padding), ReLU(), MaxPool(2, 2)),
        *(Conv(64, 5, padding=padding), ReLU(), MaxPool(2, 2)),
        *(Flatten(), Dense(1024), ReLU(), Dense(classes)),
    ]


NETWORKS = [
    Network(
        "lenet",
        layers,
        source="Koliousis et al. 2019",
        sizes=(((28, 28, 1), 10),),
        notes="without the dropout of the released Crossbow code",
        smallest=4,
        instead="logistic",
    )
]
