"""How large a network is and how much work it does."""

from collections.abc import Iterable

from models._layers import Concat, Flatten, Layer, Residual
from models._network import Images, Network

# Of a training step, beside the network's: softmax, loss, its gradient, the optimiser's step.
AROUND = 4


def operators(layers: Iterable[Layer]) -> int:
    """Operators of a forward pass: one a layer, flattening none, a sum and its ReLU one each."""
    count = 0
    for layer in layers:
        if isinstance(layer, Residual):
            count += operators(layer.main) + operators(layer.shortcut) + 1 + layer.relu
        elif isinstance(layer, Concat):
            count += sum(map(operators, layer.branches)) + 1
        elif not isinstance(layer, Flatten):
            count += 1
    return count


def step_operators(layers: list[Layer]) -> int:
    """Operators of a training step, as the released Crossbow code's dataflow graphs have them.

    Each has a gradient, of which a sum has two, and where paths have parted their gradients are
    added up. The transformation of the images and the accuracy do not count.
    """
    return 2 * operators(layers) + _more(layers) + AROUND


def _more(layers: Iterable[Layer]) -> int:
    count = 0
    for layer in layers:
        if isinstance(layer, Residual):
            count += _more(layer.main) + _more(layer.shortcut) + 2
        elif isinstance(layer, Concat):
            count += sum(map(_more, layer.branches)) + 1
    return count


def parameters(network: Network, shape: Images, classes: int) -> int:
    """All that is trained; batch norm's moving statistics are not."""
    import torch

    with torch.device("meta"):
        module = network.torch_model(shape, classes)
    return sum(parameter.numel() for parameter in module.parameters())


def flops(network: Network, shape: Images, classes: int) -> int:
    """Multiplications and additions of the convolutions and linear layers, for one image forward.

    As torch counts them: two for each multiplication with its addition, biases and all else none.
    """
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with torch.device("meta"):
        module = network.torch_model(shape, classes).eval()
        images = torch.empty(1, shape[2], *shape[:2])
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(images)
    return counter.get_total_flops()
