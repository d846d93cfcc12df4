"""OverFeat, the fast one: Sermanet et al. 2013 (arXiv 1312.6229), Table 1.

145,920,872 parameters on images of 231x231 pixels. As in github.com/soumith/convnet-benchmarks,
which leaves the dropout out; here it is where the paper has it, in front of the 6th and 7th layer.
"""

from models._layers import Conv, Dense, Dropout, Flatten, Layer, MaxPool, Normal, ReLU
from models._network import Images, Network

DRAW = Normal(0.01)  # section 3.1


def layers(shape: Images, classes: int) -> list[Layer]:
    """The network, of which the classifier needs the size of the images."""
    return [
        *(Conv(96, 11, 4, draw=DRAW), ReLU(), MaxPool(2, 2)),
        *(Conv(256, 5, draw=DRAW), ReLU(), MaxPool(2, 2)),
        *(Conv(512, 3, padding=1, draw=DRAW), ReLU()),
        *(Conv(1024, 3, padding=1, draw=DRAW), ReLU()),
        *(Conv(1024, 3, padding=1, draw=DRAW), ReLU(), MaxPool(2, 2)),
        *(Flatten(), Dropout(0.5), Dense(3072, DRAW), ReLU()),
        *(Dropout(0.5), Dense(4096, DRAW), ReLU(), Dense(classes, DRAW)),
    ]


NETWORKS = [
    Network(
        "overfeat",
        layers,
        source="Sermanet et al. 2013, fast model",
        sizes=(((231, 231, 3), 1000),),
        notes="convnet-benchmarks has no dropout",
        smallest=71,
        instead="convnet",
    )
]
