"""AlexNet on one GPU: Krizhevsky 2014 (arXiv 1404.5997), 61,100,840 parameters on ImageNet.

It is torchvision's `alexnet` and, without the dropout, that of github.com/soumith/
convnet-benchmarks. From Krizhevsky et al. 2012 it differs in the filters of its convolutions (64,
192, 384, 256, 256 for 96, 256, 384, 384, 256), which all see all channels where theirs were split
over two GPUs, and in that there is no local response normalisation. Weights start as in 2012
(section 5); torchvision's start uniform over the fan-in.
"""

from models._layers import Conv, Dense, Dropout, Flatten, Layer, MaxPool, Normal, ReLU
from models._network import Images, Network

ZERO, ONE = Normal(0.01), Normal(0.01, bias=1.0)


def layers(shape: Images, classes: int) -> list[Layer]:
    """The network; torchvision's has 6x6 adaptive pooling, which 224x224 images do not need."""
    return [
        *(Conv(64, 11, 4, 2, draw=ZERO), ReLU(), MaxPool(3, 2)),
        *(Conv(192, 5, padding=2, draw=ONE), ReLU(), MaxPool(3, 2)),
        *(Conv(384, 3, padding=1, draw=ZERO), ReLU()),
        *(Conv(256, 3, padding=1, draw=ONE), ReLU()),
        *(Conv(256, 3, padding=1, draw=ONE), ReLU(), MaxPool(3, 2)),
        *(Flatten(), Dropout(0.5), Dense(4096, ONE), ReLU()),
        *(Dropout(0.5), Dense(4096, ONE), ReLU(), Dense(classes, ZERO)),
    ]


NETWORKS = [
    Network(
        "alexnet",
        layers,
        source="Krizhevsky 2014",
        sizes=(((224, 224, 3), 1000),),
        notes="torchvision's `alexnet` but for the first weights; one tower and no response "
        "normalisation where the 2012 paper has two and some",
        smallest=63,
        instead="convnet",
    )
]
