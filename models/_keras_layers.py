"""Networks in Keras, from their description in `models._layers`."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import tensorflow as tf
from keras import Sequential, backend, layers, ops

from models import _layers as layer_of
from models._layers import Layer, Shape, Size, pair


def build(description: Iterable[Layer], shape: Shape) -> Sequential:
    """The network on images of shape (channels, height, width), which it takes as NHWC."""
    channels, height, width = shape
    return Sequential([layers.Input((height, width, channels)), *_sequence(description, shape)])


class Norm(layers.BatchNormalization):
    """Batch norm with torch's pace, and its unbiased variance in the statistics that move.

    Keras's own takes the biased one, smaller by (n - 1) / n for n values per channel; then a model
    trained in both frameworks would say different things in evaluation.
    """

    def __init__(self, epsilon: float) -> None:
        # In mixed precision too: activations stay as they come, what is learned stays whole.
        super().__init__(momentum=0.9, epsilon=epsilon, dtype=backend.floatx(), autocast=False)

    def call(self, inputs: Any, training: bool | None = None) -> Any:
        """Normalise; in training by the batch's statistics, which the moving ones take in."""
        if inputs.dtype == "float64" or len(inputs.shape) != 4:
            return self._composed(inputs, training)
        y, mean, variance, *_ = tf.raw_ops.FusedBatchNormV3(
            x=inputs,
            scale=self.gamma,
            offset=self.beta,
            mean=self.moving_mean,
            variance=self.moving_variance,
            epsilon=self.epsilon,
            exponential_avg_factor=1 - self.momentum,
            is_training=bool(training),
        )
        if training:
            self.moving_mean.assign(mean)
            self.moving_variance.assign(variance)
        return y

    def _composed(self, x: Any, training: bool | None) -> Any:
        """The same of small operators, where there is no kernel for it."""
        mean, variance = self.moving_mean, self.moving_variance
        if training:
            mean, variance = ops.moments(x, self._reduction_axes)
            n = ops.cast(ops.size(x) // x.shape[-1], x.dtype)
            unbiased = variance * n / (n - 1)
            for moving, new in ((self.moving_mean, mean), (self.moving_variance, unbiased)):
                moving.assign(moving * self.momentum + new * (1 - self.momentum))
        return ops.batch_normalization(x, mean, variance, -1, self.beta, self.gamma, self.epsilon)


class Residual(layers.Layer):
    """The sum of two paths, and its ReLU; a shortcut without layers is the identity."""

    def __init__(self, main: list[Any], shortcut: list[Any], relu: bool) -> None:
        super().__init__()
        self.main, self.relu = Sequential(main), relu
        self.shortcut = Sequential(shortcut) if shortcut else None

    def build(self, shape: Any) -> None:
        """Both paths start from x."""
        self.main.build(shape)
        if self.shortcut:
            self.shortcut.build(shape)

    def call(self, x: Any) -> Any:
        """Both paths start from x."""
        total = self.main(x) + (self.shortcut(x) if self.shortcut else x)
        return ops.relu(total) if self.relu else total


class Concat(layers.Layer):
    """Several paths, side by side in the channels."""

    def __init__(self, branches: list[list[Any]]) -> None:
        super().__init__()
        self.branches = [Sequential(branch) for branch in branches]

    def build(self, shape: Any) -> None:
        """All paths start from x."""
        for branch in self.branches:
            branch.build(shape)

    def call(self, x: Any) -> Any:
        """All paths start from x."""
        return ops.concatenate([branch(x) for branch in self.branches], -1)


class Pad(layers.Layer):
    """Values around an image: ((above, below), (left, right))."""

    def __init__(self, amounts: tuple[tuple[int, int], ...], value: float = 0.0) -> None:
        super().__init__()
        self.amounts, self.value = ((0, 0), *amounts, (0, 0)), value

    def call(self, x: Any) -> Any:
        """The larger images."""
        return ops.pad(x, self.amounts, constant_values=self.value)


class Scale(layers.Layer):
    """Each pixel times a constant."""

    def __init__(self, factors: np.ndarray) -> None:
        super().__init__()
        self.factors = factors

    def call(self, x: Any) -> Any:
        """The images, scaled."""
        return x * ops.cast(self.factors[..., None], x.dtype)


def _sequence(description: Iterable[Layer], shape: Shape) -> list[Any]:
    made = []
    for layer in description:
        made += _layer(layer, shape)
        shape = layer.out(shape)
    return made


def _layer(layer: Layer, shape: Shape) -> list[Any]:
    match layer:
        case layer_of.Conv(filters, kernel, stride, padding, bias):
            if _keeps_size(kernel, stride, padding):
                return [layers.Conv2D(filters, kernel, padding="same", use_bias=bias)]
            # "same" pads a convolution with a stride more at the far end.
            pad = [layers.ZeroPadding2D(padding)] if any(pair(padding)) else []
            return [*pad, layers.Conv2D(filters, kernel, stride, use_bias=bias)]
        case layer_of.Dense(units):
            return [layers.Dense(units)]
        case layer_of.Norm(epsilon):
            return [Norm(epsilon)]
        case layer_of.ReLU():
            return [layers.ReLU()]
        case layer_of.MaxPool(window, stride, padding) if _keeps_size(window, stride, padding):
            return [layers.MaxPooling2D(window, stride, padding="same")]
        case layer_of.MaxPool(window, stride):
            return [*_padded(layer, shape, -np.inf), layers.MaxPooling2D(window, stride)]
        case layer_of.AvgPool(window, stride):
            pool = [*_padded(layer, shape, 0.0), layers.AveragePooling2D(window, stride)]
            return pool + ([Scale(_whole_by_part(layer, shape))] if layer.ceil else [])
        case layer_of.GlobalAvgPool():
            return [layers.GlobalAveragePooling2D(keepdims=True)]
        case layer_of.Flatten():
            return [layers.Permute((3, 1, 2)), layers.Flatten()]
        case layer_of.Dropout(rate):
            return [layers.Dropout(rate)]
        case layer_of.Residual(main, shortcut, relu):
            return [Residual(_sequence(main, shape), _sequence(shortcut, shape), relu)]
        case layer_of.Concat(branches):
            return [Concat([_sequence(branch, shape) for branch in branches])]
    raise TypeError(f"no layer of Keras for {layer}")


def _keeps_size(kernel: Size, stride: Size, padding: Size) -> bool:
    """Whether it is padded as "same" is, without an operator for the padding."""
    padded = zip(pair(kernel), pair(padding), strict=True)
    return pair(stride) == (1, 1) and all(k == 2 * p + 1 for k, p in padded)


def _beyond(pool: layer_of.Pool, shape: Shape) -> list[int]:
    """How far the last windows reach beyond the image and its padding, down and across."""
    sides = zip(
        pool.out(shape)[1:], shape[1:], pair(pool.window), pair(pool.stride), pair(pool.padding),
        strict=True,
    )  # fmt: skip
    return [max(0, (count - 1) * s + k - size - 2 * p) for count, size, k, s, p in sides]


def _padded(pool: layer_of.Pool, shape: Shape, value: float) -> list[Any]:
    padding = zip(pair(pool.padding), _beyond(pool, shape), strict=True)
    amounts = tuple((p, p + beyond) for p, beyond in padding)
    return [Pad(amounts, value)] if any(map(any, amounts)) else []


def _whole_by_part(pool: layer_of.Pool, shape: Shape) -> np.ndarray:
    """By how much each window is larger than its part in the image and its padding."""
    factors = []
    for count, k, beyond in zip(
        pool.out(shape)[1:], pair(pool.window), _beyond(pool, shape), strict=True
    ):
        side = np.ones(count)
        side[-1] = k / (k - beyond)
        factors.append(side)
    return np.outer(*factors)
