"""LAMB: Adam in synchronous training, every layer's step in proportion to its weights' norm.

You et al., "Large batch optimization for deep learning: training BERT in 76 minutes", ICLR 2020,
Algorithm 2, with phi(z) = z. For a layer's weights w with gradient g, in step t:

    m = beta_1 m + (1 - beta_1) g,   v = beta_2 v + (1 - beta_2) g^2
    r = m / (1 - beta_1^t) / (sqrt(v / (1 - beta_2^t)) + epsilon) + lambda w
    w = w - lr |w| / |r| r

beta_1 is the config's `momentum`, lambda its `weight_decay`; beta_2 and epsilon are the authors'.
Biases and batch norm's parameters, which have one dimension, take w = w - lr r, as does a layer
whose |w| or |r| is 0.
"""

from collections.abc import Iterable

import torch
from torch import Tensor

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread

BETA_2 = 0.999
EPSILON = 1e-6


class LAMB(torch.optim.Optimizer):
    """The optimiser; rate and step are tensors, so that a captured step follows them."""

    def __init__(
        self, parameters: Iterable[Tensor], lr: Tensor, beta_1: float, weight_decay: float
    ) -> None:
        super().__init__(parameters, {"lr": lr})
        self.beta_1, self.weight_decay = beta_1, weight_decay

    @torch.no_grad()
    def step(self) -> None:
        """Update every parameter."""
        for group in self.param_groups:
            for w in group["params"]:
                if w.grad is None:  # a layer that the network skipped
                    continue
                r = self.direction(w, w.grad)
                rate = group["lr"] * ratio(w, r) if w.ndim > 1 else group["lr"]
                w -= rate * r

    def direction(self, w: Tensor, gradient: Tensor) -> Tensor:
        """Adam's, with weight decay past the moments."""
        state = self.state[w]
        if not state:
            state |= {"m": torch.zeros_like(w), "v": torch.zeros_like(w)}
            state["t"] = torch.zeros((), device=w.device)
        m, v, t = state["m"], state["v"], state["t"]
        t += 1
        m.lerp_(gradient, 1 - self.beta_1)
        v.mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
        adam = m / (1 - self.beta_1**t) / ((v / (1 - BETA_2**t)).sqrt() + EPSILON)
        return adam + self.weight_decay * w


def ratio(w: Tensor, r: Tensor) -> Tensor:
    """The trust ratio of a layer."""
    weight, step = w.norm(), r.norm()
    return torch.where((weight > 0) & (step > 0), weight / step, 1.0)


class PyTorchLAMB(TorchTraining):
    """One rank."""

    def make_optimizer(self) -> torch.optim.Optimizer:
        """LAMB."""
        spec = self.spec
        return LAMB(self.trained, self.lr, spec.momentum, spec.weight_decay)


if __name__ == "__main__":
    runner.main(PyTorchLAMB, spread)
