"""ZeRO, stage 1: S-SGD whose devices keep a part of the optimiser's state each.

Rajbhandari et al. 2020, "ZeRO: Memory optimizations toward training trillion parameter models",
SC 2020, section 5.1 (P_os). Gradients become their mean everywhere, each device updates the
parameters that are its part, and then sends them to the others. The update is S-SGD's. As torch has
it, a part is made of whole parameters. On one device it is plain SGD.
"""

import torch
from torch import Tensor
from torch.distributed.optim import ZeroRedundancyOptimizer

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread


class Zero(TorchTraining):
    """One rank, with its part of the momentum."""

    def make_optimizer(self) -> torch.optim.Optimizer:
        """SGD of this rank's part; the others' are received."""
        if self.ranks == 1:
            return super().make_optimizer()
        return ZeroRedundancyOptimizer(
            self.trained,
            torch.optim.SGD,
            lr=self.lr,
            momentum=self.spec.momentum,
            weight_decay=self.spec.weight_decay,
            fused=True,
        )

    def optimizer_state(self) -> dict[Tensor, dict[str, Tensor]]:
        """Of this rank's part."""
        return self.optimizer.optim.state if self.ranks > 1 else super().optimizer_state()

    def step_bytes(self) -> int:
        """Each gradient once, and the parameters of this rank's part."""
        own = self.optimizer.optim.param_groups[0]["params"]
        return super().step_bytes() + sum(4 * parameter.numel() for parameter in own)


if __name__ == "__main__":
    runner.main(Zero, spread)
