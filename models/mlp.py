"""A perceptron with hidden layers of 300 and 100 units: 266,610 parameters on MNIST.

LeCun et al. 1998 (Proceedings of the IEEE 86), section III.C.4, whose units are sigmoids and whose
outputs are trained to the mean squared error; here they are ReLUs and the cross-entropy.
"""

from models._layers import Dense, Flatten, Layer, ReLU
from models._network import Images, Network


def layers(shape: Images, classes: int) -> list[Layer]:
    """The network on any images."""
    return [Flatten(), Dense(300), ReLU(), Dense(100), ReLU(), Dense(classes)]


NETWORKS = [
    Network(
        "mlp",
        layers,
        source="LeCun et al. 1998",
        sizes=(((28, 28, 1), 10),),
        notes="ReLUs for sigmoids, cross-entropy for the squared error",
    )
]
