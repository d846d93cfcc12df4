"""ConvNet for CIFAR-10, "quick": 145,578 parameters, 0.56 MiB.

A. Krizhevsky's cuda-convnet (layers-80sec.cfg), as Caffe has it in its file
cifar10_quick_train_test.prototxt: three 5x5 convolutions (32, 32, 64), each with 3x3 pooling at
stride 2, the first by the maximum and before the ReLU, the others by the mean. Caffe rounds the
number of windows up, and a window that reaches beyond the image has the mean of what is inside. Its
biases learn twice as fast as its weights; here they do not.
"""

from models._layers import AvgPool, Conv, Dense, Flatten, Layer, MaxPool, Normal, ReLU
from models._network import Images, Network


def layers(shape: Images, classes: int) -> list[Layer]:
    """The network; Caffe's standard deviations."""
    return [
        Conv(32, 5, padding=2, draw=Normal(1e-4)),
        *(MaxPool(3, 2, ceil=True), ReLU()),
        Conv(32, 5, padding=2, draw=Normal(0.01)),
        *(ReLU(), AvgPool(3, 2, ceil=True)),
        Conv(64, 5, padding=2, draw=Normal(0.01)),
        *(ReLU(), AvgPool(3, 2, ceil=True)),
        *(Flatten(), Dense(64, Normal(0.1)), Dense(classes, Normal(0.1))),
    ]


NETWORKS = [
    Network(
        "convnet",
        layers,
        source="cuda-convnet; Caffe's cifar10_quick",
        sizes=(((32, 32, 3), 10),),
        notes="biases learn as fast as weights",
        smallest=8,
        instead="lenet",
    )
]
