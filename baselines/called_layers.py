"""Linear layers whose weights a network uses by calling the layers, and in no other way."""

import copy
from collections import Counter

import torch
from torch import Tensor, nn


def called_layers(network: nn.Module, images: Tensor) -> list[nn.Linear]:
    """The linear layers with a trained weight that `images` [n, C, H, W] reach through calls alone.

    Not a subclass's, nor one whose weight or bias takes part elsewhere: as another layer's weight,
    or in `torch.nn.functional`. The network stays as it is.
    """
    tried, calls = copy.deepcopy(network).train(), Counter[Tensor]()
    layers = {name: layer for name, layer in tried.named_modules() if type(layer) is nn.Linear}

    def count(layer: nn.Linear, *_: object) -> None:
        calls.update(p for p in (layer.weight, layer.bias) if p is not None and p.requires_grad)

    for layer in layers.values():
        layer.register_forward_hook(count)
    with torch.random.fork_rng(), torch.enable_grad():
        uses = _uses(tried(images))
    return [
        network.get_submodule(name)
        for name, layer in layers.items()
        if layer.weight.requires_grad
        and all(calls[p] and uses[p] == calls[p] for p in layer.parameters() if p.requires_grad)
    ]


def _uses(result: Tensor) -> Counter[Tensor]:
    """How often each parameter was used to compute `result`, by its graph."""
    uses, seen, left = Counter[Tensor](), set(), [result.grad_fn]
    while left:
        node = left.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for of, _ in node.next_functions:
            if hasattr(of, "variable"):
                uses[of.variable] += 1
            left.append(of)
    return uses
