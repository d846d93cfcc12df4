"""LARS: synchronous SGD in which every layer has a rate in proportion to its weights' norm.

You, Gitman and Ginsburg, "Large batch training of convolutional networks", 2017 (arXiv 1708.03888),
Algorithm 1. For a layer's weights w with gradient g, eta = `trust` and beta = `weight_decay`:

    rate = lr eta |w| / (|g| + beta |w|)
    v    = momentum v + rate (g + beta w)
    w    = w - v

Biases and batch norm's parameters, which have one dimension, have rate = lr, as does a layer whose
|w| or |g| is 0.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread


class LARS(torch.optim.Optimizer):
    """The optimiser; `lr` is a tensor, so that a captured step follows it."""

    def __init__(
        self,
        parameters: Iterable[Tensor],
        lr: Tensor,
        momentum: float,
        weight_decay: float,
        trust: float,
    ) -> None:
        super().__init__(parameters, {"lr": lr})
        self.momentum, self.weight_decay, self.trust = momentum, weight_decay, trust

    @torch.no_grad()
    def step(self) -> None:
        """Update every parameter."""
        for group in self.param_groups:
            for w in group["params"]:
                if w.grad is None:  # a layer that the network skipped
                    continue
                state = self.state[w]
                if not state:
                    state["velocity"] = torch.zeros_like(w)
                rate = group["lr"] * self.ratio(w, w.grad) if w.ndim > 1 else group["lr"]
                step = rate * (w.grad + self.weight_decay * w)
                w -= state["velocity"].mul_(self.momentum).add_(step)

    def ratio(self, w: Tensor, gradient: Tensor) -> Tensor:
        """What the layer's rate is multiplied by."""
        weight, slope = w.norm(), gradient.norm()
        ratio = self.trust * weight / (slope + self.weight_decay * weight)
        return torch.where((weight > 0) & (slope > 0), ratio, 1.0)


class PyTorchLARS(TorchTraining):
    """One rank."""

    def make_optimizer(self) -> torch.optim.Optimizer:
        """LARS."""
        spec, trust = self.spec, self.spec.method["trust"]
        return LARS(self.trained, self.lr, spec.momentum, spec.weight_decay, trust)


if __name__ == "__main__":
    runner.main(PyTorchLARS, spread)
