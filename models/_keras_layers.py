"""What networks in Keras share; `models._torch_layers` is the same in torch."""

from typing import Any

from keras import Sequential, layers


def norm() -> Any:
    """Batch norm with torch's epsilon and pace.

    One difference stays: torch's moving variance takes in the unbiased variance of a batch, Keras's
    the biased one, which is smaller by the factor (n - 1) / n for n values per channel. Training
    is not touched by it; what a trained model says in evaluation is, slightly.
    """
    return layers.BatchNormalization(momentum=0.9, epsilon=1e-5)


def conv_norm(filters: int, kernel: int, stride: int = 1) -> list[Any]:
    """A convolution without bias, and batch norm.

    Both ends are padded alike; "same" pads a convolution with a stride more at the far end.
    """
    if stride == 1 or kernel == 1:
        return [layers.Conv2D(filters, kernel, stride, padding="same", use_bias=False), norm()]
    pad = layers.ZeroPadding2D(kernel // 2)
    return [pad, layers.Conv2D(filters, kernel, stride, use_bias=False), norm()]


def residual(x: Any, main: list[Any], shortcut: list[Any]) -> Any:
    """ReLU of the sum of two paths from x; a shortcut without layers is the identity.

    Each path is a model of its own, so that the order of weights is that of the lists.
    """
    other = Sequential(shortcut)(x) if shortcut else x
    return layers.ReLU()(layers.Add()([Sequential(main)(x), other]))
