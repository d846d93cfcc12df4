"""A network in part frozen: below all that is trained, amid it, and a bias beside its weight."""

from torch import nn

LAYERS, BIAS = (0, 1, 2, 7), "9.bias"
FROZEN = {f"{layer}.{name}" for layer in LAYERS for name in ("weight", "bias")} | {BIAS}


def torch_model(shape, classes):
    height, width, channels = shape
    features = 4 * (height - 4) * (width - 4)
    network = nn.Sequential(
        *(nn.Conv2d(channels, 4, 3), nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.Flatten()),
        *(nn.Linear(features, 40), nn.BatchNorm1d(40), nn.ReLU()),
        *(nn.Linear(40, 24), nn.ReLU(), nn.Linear(24, classes)),
    )
    for name in FROZEN:
        network.get_parameter(name).requires_grad_(False)
    return network


def keras_model(shape, classes):
    from keras import Sequential, layers

    network = Sequential(
        [
            *(layers.Input(shape), layers.Conv2D(4, 3), layers.Conv2D(4, 3), norm(layers)),
            *(layers.Permute((3, 1, 2)), layers.Flatten(), layers.Dense(40), norm(layers)),
            *(layers.ReLU(), layers.Dense(24), layers.ReLU(), layers.Dense(classes)),
        ]
    )
    first, second, normed, _, _, amid, last = (layer for layer in network.layers if layer.weights)
    for layer in (first, second, normed, amid):
        for variable in layer.trainable_variables:
            variable.trainable = False
    last.bias.trainable = False
    return network


def norm(layers):
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)
