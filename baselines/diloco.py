"""DiLoCo: local steps of AdamW, and an outer step of SGD with Nesterov momentum.

Douillard et al., "DiLoCo: Distributed low-communication training of language models", 2023
(arXiv 2311.08105), Algorithm 1. After each `period` local steps from theta, with
lr = `outer_lr` and mu = `outer_momentum`:

    delta = theta - mean over k of theta_k
    v     = mu v + delta
    theta = theta - lr (delta + mu v),   theta_k = theta

AdamW has the config's `lr`, `weight_decay` (times lr and the weights, past its moments) and
`momentum` for beta_1. With `inner: sgd` the local steps are those of local SGD, and the outer step
is the Nesterov block momentum of Chen and Huo (see bmuf.py), evaluated ahead of its momentum. theta
counts, which has the steps of finished blocks alone.
"""

import torch

from baselines.bmuf import BlockMomentum
from bench import runner
from bench.ranks import spread

BETA_2 = 0.999


class DiLoCo(BlockMomentum):
    """One rank; `central` has theta."""

    def make_optimizer(self) -> torch.optim.Optimizer:
        """The inner optimiser."""
        spec = self.spec
        if spec.method["inner"] == "sgd":
            return super().make_optimizer()
        betas, decay = (spec.momentum, BETA_2), spec.weight_decay
        return torch.optim.AdamW(self.trained, self.lr, betas, weight_decay=decay, fused=True)

    def make_outer(self, parameters: list[torch.Tensor]) -> torch.optim.SGD:
        """The optimiser of theta."""
        lr, momentum = self.spec.method["outer_lr"], self.spec.method["outer_momentum"]
        return torch.optim.SGD(parameters, lr, momentum, nesterov=momentum > 0)


if __name__ == "__main__":
    runner.main(DiLoCo, spread)
