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
