"""The units of ResNets: He et al. 2015 (arXiv 1512.03385) and 2016 (arXiv 1603.05027, `_v2`).

A unit is what it adds to a list of layers, from the channels that enter it, the filters of its 3x3
convolutions and the stride. Convolutions start He-normal over the fan-out, as in the authors' code.
"""

from models._layers import Conv, He, Layer, Norm, ReLU, Residual


def conv(filters: int, kernel: int, stride: int = 1) -> Conv:
    """A convolution without bias that keeps the size but for its stride."""
    return Conv(filters, kernel, stride, padding=kernel // 2, bias=False, draw=He())


def conv_norm(filters: int, kernel: int, stride: int = 1) -> tuple[Layer, ...]:
    """The same with batch norm."""
    return conv(filters, kernel, stride), Norm()


def basic(inputs: int, filters: int, stride: int) -> list[Layer]:
    """Two 3x3 convolutions."""
    main = *conv_norm(filters, 3, stride), ReLU(), *conv_norm(filters, 3)
    return [Residual(main, _shortcut(inputs, filters, stride))]


def bottleneck(inputs: int, filters: int, stride: int, in_3x3: bool = False) -> list[Layer]:
    """1x1, 3x3 and 1x1 with four times as many filters; the stride is in the first, or the 3x3."""
    strides = (1, stride) if in_3x3 else (stride, 1)
    main = (
        *(*conv_norm(filters, 1, strides[0]), ReLU()),
        *(*conv_norm(filters, 3, strides[1]), ReLU()),
        *conv_norm(4 * filters, 1),
    )
    return [Residual(main, _shortcut(inputs, 4 * filters, stride))]


def basic_v2(inputs: int, filters: int, stride: int, first: bool = False) -> list[Layer]:
    """The same with batch norm and ReLU in front of each convolution; the `first` has had them."""
    main = conv(filters, 3, stride), Norm(), ReLU(), conv(filters, 3)
    return _behind_relu(main, inputs, filters, stride, first)


def bottleneck_v2(inputs: int, filters: int, stride: int, first: bool = False) -> list[Layer]:
    """The same with batch norm and ReLU in front; the stride is in the 3x3 convolution."""
    main = (
        *(conv(filters, 1), Norm(), ReLU()),
        *(conv(filters, 3, stride), Norm(), ReLU()),
        conv(4 * filters, 1),
    )
    return _behind_relu(main, inputs, 4 * filters, stride, first)


def _shortcut(inputs: int, outputs: int, stride: int) -> tuple[Layer, ...]:
    """Option B: the identity, or a 1x1 convolution where the shape changes."""
    return conv_norm(outputs, 1, stride) if inputs != outputs else ()


def _behind_relu(
    main: tuple[Layer, ...], inputs: int, outputs: int, stride: int, first: bool
) -> list[Layer]:
    """Where the shape changes, both paths start behind the ReLU; the identity does not."""
    front = () if first else (Norm(), ReLU())
    if inputs == outputs:
        return [Residual((*front, *main), relu=False)]
    return [*front, Residual(main, (conv(outputs, 1, stride),), relu=False)]
