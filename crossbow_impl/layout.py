"""How the parameters of a network that are trained lie in one flat vector."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor, nn

ALIGNMENT = 64  # elements; compiled kernels copy inputs that are not aligned


def trained(module: nn.Module) -> dict[str, nn.Parameter]:
    """A module's parameters by name, without those that are frozen: they need no gradient."""
    return {name: p for name, p in module.named_parameters() if p.requires_grad}


class Layout:
    """Offsets of a network's trained parameters in a padded vector of `size` elements.

    With `channels_last`, convolution weights lie in that memory format. Padding stays zero.
    """

    def __init__(self, module: nn.Module, channels_last: bool = False) -> None:
        self.names, self._places = [], []
        offset = 0
        for name, parameter in trained(module).items():
            self.names.append(name)
            permuted = channels_last and parameter.ndim == 4
            self._places.append((offset, parameter.shape, permuted))
            offset += math.ceil(parameter.numel() / ALIGNMENT) * ALIGNMENT
        self.size = offset

    def views(self, flat: Tensor) -> list[Tensor]:
        """The trained parameters, in the module's shapes, as views of `flat` [size]."""
        parts = []
        for offset, shape, permuted in self._places:
            part = flat[offset : offset + shape.numel()]
            if permuted:
                out, channels, height, width = shape
                part = part.view(out, height, width, channels).permute(0, 3, 1, 2)
            parts.append(part.view(shape) if not permuted else part)
        return parts

    def flatten(self, parameters: Sequence[Tensor]) -> Tensor:
        """A new [size] vector that holds `parameters`, zero between them."""
        flat = torch.zeros(self.size, dtype=parameters[0].dtype, device=parameters[0].device)
        for view, parameter in zip(self.views(flat), parameters, strict=True):
            view.copy_(parameter.detach())
        return flat

    def dense(self, flat: Tensor) -> Tensor:
        """`flat` [..., size] without padding, every parameter in torch's own order: [..., P]."""
        rows = flat.reshape(-1, self.size)
        dense = [torch.cat([view.flatten() for view in self.views(row)]) for row in rows]
        return torch.stack(dense).reshape(*flat.shape[:-1], -1)
