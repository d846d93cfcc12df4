"""VGG-16 as the CROSSBOW paper sizes it: 15,038,116 parameters on CIFAR-100, 57.37 MiB.

For small images this is the network of the released Crossbow code, which follows
github.com/geifmany/cifar-vgg: batch norm after each ReLU, dropout of 0.3 and 0.4 between the
convolutions of a stage, and a classifier with 512 hidden units and their batch norm; with 512 ->
classes alone it would have 56.36 MiB. The released code's batch norm has an epsilon of 1e-3 and a
momentum of 0.99; here they are 1e-5 and 0.9 as in every network.

For images with a side of 224 pixels or more it is the ImageNet network of Simonyan and Zisserman
with the same batch norm of convolutions, 4096 and 4096 hidden units, and dropout of 0.5 in the
classifier only: 138,365,992 parameters on ImageNet, 527.82 MiB.

The small form can't train on batches of one image: its hidden units are normalised over the batch.
"""

# Filters of each convolution by stage; 2x2 max pooling ends a stage.
STAGES = [(64, 64), (128, 128), (256, 256, 256), (512, 512, 512), (512, 512, 512)]


def torch_model(shape: tuple[int, int, int], classes: int):
    """The network as a torch module on NCHW images."""
    from torch import nn

    flat, small = _geometry(shape)
    layers, inputs = [], shape[2]
    for stage, widths in enumerate(STAGES):
        for i, filters in enumerate(widths):
            layers += [nn.Conv2d(inputs, filters, 3, padding=1), nn.ReLU(inplace=True)]
            layers += [nn.BatchNorm2d(filters)]
            if small and i + 1 < len(widths):
                layers += [nn.Dropout(_rate(stage))]
            inputs = filters
        layers += [nn.MaxPool2d(2)]
    layers += [nn.Flatten()]
    if small:
        layers += [nn.Dropout(0.5), nn.Linear(flat, 512), nn.ReLU(inplace=True)]
        layers += [nn.BatchNorm1d(512), nn.Dropout(0.5), nn.Linear(512, classes)]
    else:
        layers += [nn.Linear(flat, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5)]
        layers += [nn.Linear(4096, 4096), nn.ReLU(inplace=True), nn.Dropout(0.5)]
        layers += [nn.Linear(4096, classes)]
    for layer in layers:
        if isinstance(layer, nn.Conv2d | nn.Linear):  # initialised as the released code does
            nn.init.xavier_uniform_(layer.weight)
            nn.init.constant_(layer.bias, 0.0)
    return nn.Sequential(*layers)


def keras_model(shape: tuple[int, int, int], classes: int):
    """The network as a Keras model on NHWC images."""
    from keras import Sequential
    from keras import layers as kl

    from models._keras_layers import norm

    _, small = _geometry(shape)
    layers = [kl.Input(shape)]
    for stage, widths in enumerate(STAGES):
        for i, filters in enumerate(widths):
            layers += [kl.Conv2D(filters, 3, padding="same", activation="relu"), norm()]
            if small and i + 1 < len(widths):
                layers += [kl.Dropout(_rate(stage))]
        layers += [kl.MaxPooling2D(2)]
    layers += [kl.Permute((3, 1, 2)), kl.Flatten()]  # torch flattens channels first
    if small:
        layers += [kl.Dropout(0.5), kl.Dense(512, activation="relu"), norm()]
        layers += [kl.Dropout(0.5), kl.Dense(classes)]
    else:
        layers += [kl.Dense(4096, activation="relu"), kl.Dropout(0.5)]
        layers += [kl.Dense(4096, activation="relu"), kl.Dropout(0.5)]
        layers += [kl.Dense(classes)]
    return Sequential(layers)


def check_shape(shape: tuple[int, int, int]) -> None:
    """Refuse images that are too small with a ValueError."""
    _geometry(shape)


def _rate(stage: int) -> float:
    """The dropout between the convolutions of a stage."""
    return 0.4 if stage else 0.3


def _geometry(shape: tuple[int, int, int]) -> tuple[int, bool]:
    """The number of features after the last pooling, and whether the network is the small form.

    Raises:
        ValueError: nothing is left of the images after five poolings.
    """
    height, width = shape[:2]
    if min(height, width) < 32:
        raise ValueError(
            f"vgg16 halves images five times and needs at least 32 pixels a side, these are "
            f"{height}x{width}: use lenet or resnet32"
        )
    return 512 * (height // 32) * (width // 32), max(height, width) < 224
