"""Networks in torch, from their description in `models._layers`."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from models import _layers as layer_of
from models._layers import Layer, Shape, through

Later = list[tuple[layer_of.Draw, nn.Module]]


def build(layers: Iterable[Layer], shape: Shape) -> nn.Sequential:
    """The network on images of shape (channels, height, width), its weights drawn."""
    later: Later = []
    network = _sequence(layers, shape, later)
    for draw, module in later:
        _draw(draw, module)
    return network


class Residual(nn.Module):
    """The sum of two paths, and its ReLU; a shortcut without layers is the identity."""

    def __init__(self, main: nn.Sequential, shortcut: nn.Sequential, relu: bool) -> None:
        super().__init__()
        self.main, self.shortcut, self.relu = main, shortcut, relu

    def forward(self, x: Tensor) -> Tensor:
        """Both paths start from x."""
        total = self.main(x) + self.shortcut(x)
        return F.relu(total, inplace=True) if self.relu else total


class Concat(nn.Module):
    """Several paths, side by side in the channels."""

    def __init__(self, branches: list[nn.Sequential]) -> None:
        super().__init__()
        self.branches = nn.ModuleList(branches)

    def forward(self, x: Tensor) -> Tensor:
        """All paths start from x."""
        return torch.cat([branch(x) for branch in self.branches], 1)


def _sequence(layers: Iterable[Layer], shape: Shape, later: Later) -> nn.Sequential:
    modules = []
    for layer in layers:
        modules.append(_module(layer, shape, later))
        shape = layer.out(shape)
    return nn.Sequential(*modules)


def _module(layer: Layer, shape: Shape, later: Later) -> nn.Module:
    match layer:
        case layer_of.Conv(filters, kernel, stride, padding, bias, draw):
            conv = nn.Conv2d(shape[0], filters, kernel, stride, padding, bias=bias)
            return _drawn(conv, draw, later)
        case layer_of.Dense(units, draw):
            return _drawn(nn.Linear(shape[0], units), draw, later)
        case layer_of.Norm(epsilon):
            return (nn.BatchNorm2d if len(shape) == 3 else nn.BatchNorm1d)(shape[0], epsilon)
        case layer_of.ReLU():
            return nn.ReLU(inplace=True)
        case layer_of.MaxPool(window, stride, padding, ceil):
            return nn.MaxPool2d(window, stride, padding, ceil_mode=ceil)
        case layer_of.AvgPool(window, stride, padding, ceil):
            # The same without padding, and compiled gradients are wrong with True: pytorch #198119.
            return nn.AvgPool2d(window, stride, padding, ceil, count_include_pad=not ceil)
        case layer_of.GlobalAvgPool():
            return nn.AdaptiveAvgPool2d(1)
        case layer_of.Flatten():
            return nn.Flatten()
        case layer_of.Dropout(rate):
            return nn.Dropout(rate)
        case layer_of.Residual(main, shortcut, relu):
            assert not shortcut or through(main, shape) == through(shortcut, shape)
            paths = [_sequence(path, shape, later) for path in (main, shortcut)]
            return Residual(*paths, relu)
        case layer_of.Concat(branches):
            return Concat([_sequence(branch, shape, later) for branch in branches])
    raise TypeError(f"no layer of torch for {layer}")


def _drawn(module: nn.Conv2d | nn.Linear, draw: layer_of.Draw, later: Later) -> nn.Module:
    if isinstance(draw, layer_of.He):
        _draw(draw, module)
    elif draw:
        later.append((draw, module))
    return module


def _draw(draw: layer_of.Draw, module: nn.Module) -> None:
    weight, bias = module.weight, module.bias
    match draw:
        case layer_of.He():
            nn.init.kaiming_normal_(weight, mode="fan_out", nonlinearity="relu")
            return
        case layer_of.Xavier():
            nn.init.xavier_uniform_(weight)
        case layer_of.Normal(std, cut=False):
            nn.init.normal_(weight, std=std)
        case layer_of.Normal(std):
            nn.init.trunc_normal_(weight, std=std)
    if bias is not None:
        nn.init.constant_(bias, draw.bias)
