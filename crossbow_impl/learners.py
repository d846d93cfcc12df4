"""The learners of one device: m replicas of a network over rows of flat storage."""

import copy
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.functional import cross_entropy

from bench.precision import autocast
from crossbow_impl.layout import Layout

Loss = Callable[[dict[str, Tensor], dict[str, Tensor], Tensor, Tensor], Tensor]


class Learners:
    """m replicas whose parameters are views of the rows of `w` [m, P], gradients of `g` [m, P].

    `velocity` [m, P] is the local momentum. `buffers` holds each replica's own batch-norm
    statistics. All replicas start as `initial`, whose code they share: there is one network, and m
    sets of tensors to call it with.
    """

    def __init__(self, initial: nn.Module, layout: Layout, m: int) -> None:
        self.layout = layout
        row = layout.flatten(list(initial.parameters()))
        buffers = {n: b for n, b in initial.named_buffers() if b.is_floating_point()}
        self._allocate(row.expand(m, -1), torch.zeros(m, layout.size, device=row.device))
        self.buffers = [{n: b.clone() for n, b in buffers.items()} for _ in range(m)]

    def __len__(self) -> int:
        return len(self.w)

    def resize(self, m: int, z: Tensor) -> None:
        """Keep the first m learners; those that are new start from z [P], without momentum."""
        kept = min(m, len(self))
        fresh = z.expand(m - kept, -1)
        mean = self.mean_buffers()
        velocity = torch.cat([self.velocity[:kept], torch.zeros_like(fresh)])
        self._allocate(torch.cat([self.w[:kept], fresh]), velocity)
        added = [{n: b.clone() for n, b in mean.items()} for _ in range(m - kept)]
        self.buffers = self.buffers[:kept] + added

    def mean_buffers(self) -> dict[str, Tensor]:
        """The mean over the learners of each batch-norm statistic."""
        return {n: torch.stack([b[n] for b in self.buffers]).mean(0) for n in self.buffers[0]}

    def share_buffers(self) -> None:
        """Give every learner the mean statistics: the device has one set, as in the original."""
        for name, mean in self.mean_buffers().items():
            for buffers in self.buffers:
                buffers[name].copy_(mean)

    def gradient(self, j: int, loss: Loss, images: Tensor, labels: Tensor) -> Tensor:
        """Write learner j's gradient of the mean loss on a batch into `g[j]`; returns the loss."""
        value = loss(self.parameters[j], self.buffers[j], images, labels)
        gradients = torch.autograd.grad(value, list(self.parameters[j].values()))
        torch._foreach_copy_(self._gradient_views[j], list(gradients))
        return value.detach()

    def _allocate(self, w: Tensor, velocity: Tensor) -> None:
        self.w, self.velocity = w.clone(), velocity.clone()
        self.g = torch.zeros_like(self.w)
        self._gradient_views = [self.layout.views(row) for row in self.g]
        self.parameters = [
            {
                name: view.detach().requires_grad_()
                for name, view in zip(self.layout.names, self.layout.views(row), strict=True)
            }
            for row in self.w
        ]


def loss_function(network: nn.Module, precision: str) -> Loss:
    """The mean cross-entropy of `network` called with a learner's parameters and buffers."""
    network = copy.deepcopy(network).train()
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.num_batches_tracked = None  # a counter that nothing reads

    def loss(
        parameters: dict[str, Tensor], buffers: dict[str, Tensor], images: Tensor, labels: Tensor
    ) -> Tensor:
        with autocast(precision, images.device):
            logits: Any = functional_call(network, (parameters, buffers), (images,))
            return cross_entropy(logits, labels)

    return loss
