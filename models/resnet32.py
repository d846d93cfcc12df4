"""ResNet-32 for images of CIFAR's size, as the CROSSBOW paper sizes it: 1.79 MiB.

He et al. 2015, section 4.2: 15 units of two 3x3 convolutions, with 16, 32 and 64 filters. On
32x32x3 images and 10 classes that makes

    464,154 parameters, 1.77 MiB, with their shortcuts, option A: zero-padded identities;
    466,906 parameters, 1.78 MiB, with option B: 1x1 convolutions where the shape changes;
    468,826 parameters, 1.79 MiB, with option B and 7x7 average pooling at stride 1, which leaves
        2x2 of the last 8x8 features for the classifier, where He et al. average all of them.

The last is what the released Crossbow code trains, and what is here. Smaller images than 28x28
have fewer than 7x7 last features, and all of them are averaged.
"""

# Filters and stride of each unit.
UNITS = [(16, 1)] * 5 + [(32, 2)] + [(32, 1)] * 4 + [(64, 2)] + [(64, 1)] * 4


def torch_model(shape: tuple[int, int, int], classes: int):
    """The network as a torch module on NCHW images."""
    from torch import nn

    from models._torch_layers import Residual, conv_norm

    pool, flat = _geometry(shape)
    layers = [*conv_norm(shape[2], 16, 3), nn.ReLU(inplace=True)]
    inputs = 16
    for filters, stride in UNITS:
        main = [
            *conv_norm(inputs, filters, 3, stride),
            nn.ReLU(inplace=True),
            *conv_norm(filters, filters, 3),
        ]
        shortcut = conv_norm(inputs, filters, 1, stride) if filters != inputs else []
        layers.append(Residual(main, shortcut))
        inputs = filters
    return nn.Sequential(*layers, nn.AvgPool2d(pool, 1), nn.Flatten(), nn.Linear(flat, classes))


def keras_model(shape: tuple[int, int, int], classes: int):
    """The network as a Keras model on NHWC images."""
    from keras import Model, Sequential, layers

    from models._keras_layers import conv_norm, residual

    pool, _ = _geometry(shape)
    images = layers.Input(shape)
    x = Sequential([*conv_norm(16, 3), layers.ReLU()])(images)
    inputs = 16
    for filters, stride in UNITS:
        main = [*conv_norm(filters, 3, stride), layers.ReLU(), *conv_norm(filters, 3)]
        shortcut = conv_norm(filters, 1, stride) if filters != inputs else []
        x = residual(x, main, shortcut)
        inputs = filters
    x = layers.AveragePooling2D(pool, strides=1)(x)
    x = layers.Flatten()(layers.Permute((3, 1, 2))(x))  # torch flattens channels first
    return Model(images, layers.Dense(classes)(x))


def check_shape(shape: tuple[int, int, int]) -> None:
    """Refuse images that are too large with a ValueError."""
    _geometry(shape)


def _geometry(shape: tuple[int, int, int]) -> tuple[tuple[int, int], int]:
    """The pooling's window and the number of features after it.

    Raises:
        ValueError: the images are too large.
    """
    if max(shape[:2]) > 64:
        raise ValueError(
            f"resnet32 is for images of up to 64 pixels a side and these are {shape[0]}x"
            f"{shape[1]}: use resnet50"
        )
    height, width = (-(-side // 4) for side in shape[:2])
    pool = min(height, 7), min(width, 7)
    return pool, 64 * (height - pool[0] + 1) * (width - pool[1] + 1)
