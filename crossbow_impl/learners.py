"""The learners of one device: m replicas of a network over rows of flat storage."""

from collections.abc import Callable

import torch
from torch import Tensor, nn


class Learners:
    """m replicas whose parameters are views of the rows of `w` [m, P], gradients of `g` [m, P].

    `velocity` [m, P] is the local momentum of the released variant. `buffers` [m, Q] holds each
    replica's floating-point buffers (batch-norm statistics). All replicas start as `initial`.
    """

    def __init__(self, build: Callable[[], nn.Module], initial: nn.Module, m: int) -> None:
        self._build = build
        self.modules: list[nn.Module] = []
        parameters, buffers = flat_parameters(initial), flat_buffers(initial)
        self._bind(parameters.expand(m, -1), torch.zeros_like, buffers.expand(m, -1))

    def __len__(self) -> int:
        return len(self.modules)

    def resize(self, m: int, z: Tensor) -> None:
        """Keep the first m learners; those that are new start from z [P], without momentum."""
        kept = min(m, len(self))
        grow = m - kept

        def velocity(w: Tensor) -> Tensor:
            fresh = torch.zeros_like(w)
            fresh[:kept] = old_velocity[:kept]
            return fresh

        old_velocity = self.velocity
        rows = torch.cat([self.w[:kept], z.expand(grow, -1)])
        statistics = self.buffers.mean(0).expand(grow, -1)
        self._bind(rows, velocity, torch.cat([self.buffers[:kept], statistics]))

    def _bind(self, w: Tensor, velocity: Callable[[Tensor], Tensor], buffers: Tensor) -> None:
        self.w, self.buffers = w.clone(), buffers.clone()
        self.g, self.velocity = torch.zeros_like(self.w), velocity(self.w)
        while len(self.modules) < len(self.w):
            self.modules.append(self._build().to(w.device).train())
        del self.modules[len(self.w) :]
        for j, module in enumerate(self.modules):
            bind(module, self.w[j], self.buffers[j], self.g[j])


def bind(module: nn.Module, parameters: Tensor, buffers: Tensor, gradients: Tensor | None) -> None:
    """Make a module's parameters, float buffers and gradients views of flat [P] and [Q] rows."""
    offset = 0
    for parameter in module.parameters():
        end = offset + parameter.numel()
        parameter.data = parameters[offset:end].view_as(parameter)
        parameter.grad = None if gradients is None else gradients[offset:end].view_as(parameter)
        offset = end
    offset = 0
    for name, buffer in list(module.named_buffers()):
        if buffer.is_floating_point():
            end = offset + buffer.numel()
            owner, _, leaf = name.rpartition(".")
            module.get_submodule(owner)._buffers[leaf] = buffers[offset:end].view_as(buffer)
            offset = end


def flat_parameters(module: nn.Module) -> Tensor:
    """All parameters as one [P] vector, detached."""
    return torch.cat([parameter.detach().flatten() for parameter in module.parameters()])


def flat_buffers(module: nn.Module) -> Tensor:
    """All floating-point buffers as one [Q] vector; Q may be 0."""
    flat = [buffer.flatten() for buffer in module.buffers() if buffer.is_floating_point()]
    return torch.cat(flat) if flat else flat_parameters(module)[:0]
