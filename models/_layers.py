"""The layers that networks are described with; no framework is imported here.

A network is a list of layers. `models._torch_layers` and `models._keras_layers` build it, one
module for each layer and in the same order, so that the same weights fit both. Sizes are (height,
width), one number standing for both; a layer's `out` is the shape of what leaves it, where shapes
are (channels, height, width) of images and (features,) after `Flatten`; a ValueError says why a
layer can't take a shape. Padding is of zeros, alike
on both sides, as torch has it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

Shape = tuple[int, ...]
Size = int | tuple[int, int]


@dataclass(frozen=True)
class He:
    """Normal over the fan-out (He et al. 2015, arXiv 1502.01852), drawn as the layer is made.

    All other draws are made when the whole network is there: the order is part of a seed's meaning.
    """


@dataclass(frozen=True)
class Xavier:
    """Uniform over fan-in and fan-out (Glorot and Bengio 2010), and a constant bias."""

    bias: float = 0.0


@dataclass(frozen=True)
class Normal:
    """Normal with a standard deviation, cut at -2 and 2 where `cut`, and a constant bias."""

    std: float
    bias: float = 0.0
    cut: bool = False


Draw = He | Xavier | Normal | None  # None: torch's own, uniform over the fan-in


@dataclass(frozen=True)
class Conv:
    """A convolution."""

    filters: int
    kernel: Size
    stride: Size = 1
    padding: Size = 0
    bias: bool = True
    draw: Draw = None

    def out(self, shape: Shape) -> Shape:
        """The filters' images."""
        return self.filters, *windows(shape, self.kernel, self.stride, self.padding)


@dataclass(frozen=True)
class Pool:
    """What max and average pooling share; `ceil` keeps a last window that is not whole."""

    window: Size
    stride: Size
    padding: Size = 0
    ceil: bool = False

    def out(self, shape: Shape) -> Shape:
        """Smaller images, as many."""
        return shape[0], *windows(shape, self.window, self.stride, self.padding, self.ceil)


class MaxPool(Pool):
    """Max pooling; padding is never the maximum."""


class AvgPool(Pool):
    """Average pooling; padding counts, what a last window has outside of the image does not."""

    def __post_init__(self) -> None:
        """One or the other."""
        if self.ceil and self.padding:
            raise ValueError("average pooling has padding or a last window that is not whole")


@dataclass(frozen=True)
class GlobalAvgPool:
    """The mean of each image."""

    def out(self, shape: Shape) -> Shape:
        """One pixel a channel."""
        return shape[0], 1, 1


@dataclass(frozen=True)
class Flatten:
    """Images as features, channels first."""

    def out(self, shape: Shape) -> Shape:
        """All values in a row."""
        features = 1
        for size in shape:
            features *= size
        return (features,)


@dataclass(frozen=True)
class Dense:
    """A linear layer with a bias."""

    units: int
    draw: Draw = None

    def out(self, shape: Shape) -> Shape:
        """Its units."""
        if len(shape) != 1:
            raise ValueError("it is for features, not images; put Flatten before it")
        return (self.units,)


@dataclass(frozen=True)
class Same:
    """What layers share that leave the shape as it is."""

    def out(self, shape: Shape) -> Shape:
        """The same shape."""
        return shape


@dataclass(frozen=True)
class Norm(Same):
    """Batch norm over channels or features; statistics move by a tenth per batch."""

    epsilon: float = 1e-5


class ReLU(Same):
    """The positive part."""


@dataclass(frozen=True)
class Dropout(Same):
    """Values become 0 with this probability, in training."""

    rate: float


@dataclass(frozen=True)
class Residual:
    """The sum of two paths, and its ReLU; a shortcut without layers is the identity."""

    main: tuple
    shortcut: tuple = ()
    relu: bool = True

    def out(self, shape: Shape) -> Shape:
        """What either path leaves."""
        return _alike([through(path, shape) for path in (self.main, self.shortcut)])


@dataclass(frozen=True)
class Concat:
    """Several paths, side by side in the channels."""

    branches: tuple[tuple, ...]

    def out(self, shape: Shape) -> Shape:
        """The channels of all branches."""
        outs = [through(branch, shape) for branch in self.branches]
        return sum(out[0] for out in outs), *_alike([out[1:] for out in outs])


Layer = (
    Conv | MaxPool | AvgPool | GlobalAvgPool | Flatten | Dense | Norm | ReLU | Dropout
    | Residual | Concat
)  # fmt: skip


def through(layers: Iterable[Layer], shape: Shape) -> Shape:
    """The shape that leaves a list of layers."""
    for place, layer in enumerate(layers, 1):
        shape = leaving(place, layer, shape)
    return shape


def leaving(place: int, layer: Layer, shape: Shape) -> Shape:
    """The shape that leaves the layer at `place` of a list, from 1 on.

    Raises:
        ValueError: it can't take `shape`; names it.
    """
    try:
        return layer.out(shape)
    except ValueError as error:
        raise ValueError(f"layer {place}, {type(layer).__name__}: {error}") from error


def _alike(outs: list[Shape]) -> Shape:
    if len(set(outs)) > 1:
        each = " and ".join(str(list(out)) for out in outs)
        raise ValueError(f"its paths make {each}; make them alike")
    return outs[0]


def pair(size: Size) -> tuple[int, int]:
    """(height, width) of a size."""
    return (size, size) if isinstance(size, int) else size


def windows(
    shape: Shape, window: Size, stride: Size, padding: Size = 0, ceil: bool = False
) -> tuple[int, int]:
    """How many windows fit into images of a shape, down and across.

    A last window that starts beyond the image and its padding at the near end is none, as in torch.
    """
    if len(shape) != 3:
        raise ValueError("a window is for images, not features; put Flatten behind it")
    counts = []
    for size, k, s, p in zip(shape[1:], pair(window), pair(stride), pair(padding), strict=True):
        count = (size + 2 * p - k + (s - 1 if ceil else 0)) // s + 1
        counts.append(count - 1 if ceil and (count - 1) * s >= size + p else count)
    if min(counts) < 1:
        raise ValueError(
            f"images of {shape[1]}x{shape[2]} have no window of {window}; use a smaller window"
        )
    return counts[0], counts[1]
