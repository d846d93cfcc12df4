"""ResNet-50 as the CROSSBOW paper sizes it: 25,557,032 parameters on ImageNet, 97.49 MiB.

He et al. 2015: bottleneck units, option B shortcuts. A unit that halves the image does so in its
first 1x1 convolution, as in the original and in the released Crossbow code; torchvision's "v1.5"
does it in the 3x3 one, which has as many parameters and takes about a tenth more work.
"""

# Filters and stride of each unit; it puts out four times as many channels.
UNITS = (
    [(64, 1)] * 3
    + [(128, 2)]
    + [(128, 1)] * 3
    + [(256, 2)]
    + [(256, 1)] * 5
    + [(512, 2)]
    + [(512, 1)] * 2
)


def torch_model(shape: tuple[int, int, int], classes: int):
    """The network as a torch module on NCHW images."""
    from torch import nn

    from models._torch_layers import Residual, conv_norm

    check_shape(shape)
    layers = [*conv_norm(shape[2], 64, 7, 2), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, padding=1)]
    inputs = 64
    for filters, stride in UNITS:
        main = [
            *conv_norm(inputs, filters, 1, stride),
            nn.ReLU(inplace=True),
            *conv_norm(filters, filters, 3),
            nn.ReLU(inplace=True),
            *conv_norm(filters, 4 * filters, 1),
        ]
        shortcut = conv_norm(inputs, 4 * filters, 1, stride) if inputs != 4 * filters else []
        layers.append(Residual(main, shortcut))
        inputs = 4 * filters
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, classes))


def keras_model(shape: tuple[int, int, int], classes: int):
    """The network as a Keras model on NHWC images."""
    from keras import Model, Sequential, layers

    from models._keras_layers import conv_norm, residual

    check_shape(shape)
    images = layers.Input(shape)
    # Zeros around the pooling's input change no maximum: it is never negative after the ReLU.
    pool = [layers.ZeroPadding2D(1), layers.MaxPooling2D(3, 2)]
    x = Sequential([*conv_norm(64, 7, 2), layers.ReLU(), *pool])(images)
    inputs = 64
    for filters, stride in UNITS:
        main = [
            *conv_norm(filters, 1, stride),
            layers.ReLU(),
            *conv_norm(filters, 3),
            layers.ReLU(),
            *conv_norm(4 * filters, 1),
        ]
        shortcut = conv_norm(4 * filters, 1, stride) if inputs != 4 * filters else []
        x = residual(x, main, shortcut)
        inputs = 4 * filters
    return Model(images, layers.Dense(classes)(layers.GlobalAveragePooling2D()(x)))


def check_shape(shape: tuple[int, int, int]) -> None:
    """Refuse images that are too small with a ValueError."""
    if min(shape[:2]) < 32:
        raise ValueError(
            f"resnet50 halves images five times and needs at least 32 pixels a side, these are "
            f"{shape[0]}x{shape[1]}: use resnet32"
        )
