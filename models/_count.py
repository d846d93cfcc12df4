"""How large a network is and how much work it does, from its description."""

from collections.abc import Iterable, Iterator

from models._layers import (
    Concat,
    Conv,
    Dense,
    Flatten,
    Layer,
    Norm,
    Residual,
    Shape,
    leaving,
    pair,
)

# Operators of a training step beside the network's: softmax, loss, its gradient, the optimiser's.
AROUND = 4


def parameters(layers: Iterable[Layer], shape: Shape) -> int:
    """All that is trained on images of (channels, height, width); moving statistics are not."""
    count = 0
    for layer, entering in each(layers, shape):
        match layer:
            case Conv(bias=bias):
                count += _products(layer, entering) + bias * layer.filters
            case Dense(units):
                count += _products(layer, entering) + units
            case Norm():
                count += 2 * entering[0]
    return count


def flops(layers: Iterable[Layer], shape: Shape) -> int:
    """Multiplications and additions of the convolutions and linear layers, for one image forward.

    Two for each multiplication with its addition, none for biases; as torch.utils.flop_counter has
    it.
    """
    count = 0
    for layer, entering in each(layers, shape):
        if isinstance(layer, Conv | Dense):
            places = layer.out(entering)[1:]
            count += 2 * _products(layer, entering) * (places[0] * places[1] if places else 1)
    return count


def operators(layers: Iterable[Layer], shape: Shape) -> int:
    """Operators of a forward pass: one a layer, flattening none, a sum and its ReLU one each."""
    found = [layer for layer, _ in each(layers, shape) if not isinstance(layer, Flatten)]
    return len(found) + sum(isinstance(layer, Residual) and layer.relu for layer in found)


def step_operators(layers: Iterable[Layer], shape: Shape) -> int:
    """Operators of a training step, as the released Crossbow code's dataflow graphs have them.

    Each has a gradient, of which a sum has two, and where paths have parted their gradients are
    added up. The transformation of the images and the accuracy do not count.
    """
    layers = list(layers)
    more = {Residual: 2, Concat: 1}
    extra = sum(more.get(type(layer), 0) for layer, _ in each(layers, shape))
    return 2 * operators(layers, shape) + extra + AROUND


def matrices(layers: Iterable[Layer], shape: Shape) -> Iterator[tuple[int, int]]:
    """Rows and columns of each convolution's and linear layer's weights, outputs being the rows."""
    for layer, entering in each(layers, shape):
        if isinstance(layer, Conv | Dense):
            rows = layer.filters if isinstance(layer, Conv) else layer.units
            yield rows, _products(layer, entering) // rows


def each(layers: Iterable[Layer], shape: Shape) -> Iterator[tuple[Layer, Shape]]:
    """All layers, those of paths too, and the shape that enters each."""
    for place, layer in enumerate(layers, 1):
        yield layer, shape
        paths = [layer.main, layer.shortcut] if isinstance(layer, Residual) else []
        for path in layer.branches if isinstance(layer, Concat) else paths:
            yield from each(path, shape)
        shape = leaving(place, layer, shape)


def _products(layer: Conv | Dense, entering: Shape) -> int:
    """The weights, and so the multiplications for each place and unit."""
    if isinstance(layer, Dense):
        return entering[0] * layer.units
    height, width = pair(layer.kernel)
    return layer.filters * entering[0] * height * width
