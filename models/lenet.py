"""LeNet as the CROSSBOW paper sizes it: 1,111,946 parameters on MNIST, 4.24 MiB.

Two 5x5 convolutions (32, 64) with max pooling, then 1024 hidden units. Images smaller than 28
pixels, such as scikit-learn's digits, get padded convolutions; there is nothing left of them
otherwise.
"""


def torch_model(shape: tuple[int, int, int], classes: int):
    """The network as a torch module on NCHW images."""
    from torch import nn

    padding, flat = _geometry(shape)
    return nn.Sequential(
        nn.Conv2d(shape[2], 32, 5, padding=padding),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 5, padding=padding),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(flat, 1024),
        nn.ReLU(),
        nn.Linear(1024, classes),
    )


def keras_model(shape: tuple[int, int, int], classes: int):
    """The network as a Keras model on NHWC images."""
    from keras import Sequential, layers

    padding = "same" if _geometry(shape)[0] else "valid"
    return Sequential(
        [
            layers.Input(shape),
            layers.Conv2D(32, 5, padding=padding, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Conv2D(64, 5, padding=padding, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Permute((3, 1, 2)),  # torch flattens channels first
            layers.Flatten(),
            layers.Dense(1024, activation="relu"),
            layers.Dense(classes),
        ]
    )


def _geometry(shape: tuple[int, int, int]) -> tuple[int, int]:
    """The convolutions' padding and the number of features after the second pooling."""
    padding = 2 if min(shape[:2]) < 28 else 0
    height, width = shape[:2]
    for _ in range(2):
        height, width = (height - 4 + 2 * padding) // 2, (width - 4 + 2 * padding) // 2
    return padding, 64 * height * width
