"""Block momentum: what a block of local steps changes is filtered like a gradient with momentum.

Chen and Huo, "Scalable training of deep learning machines by incremental block training with
intra-block parallel optimization and blockwise model-update filtering", ICASSP 2016, in its form
with classical block momentum. After each block of `period` local steps from W, with
eta = `block_momentum` and zeta = `block_lr`:

    G     = mean over k of w_k - W
    delta = eta delta + zeta G
    W     = W + delta,   w_k = W

The authors take eta = 1 - 1/N for N devices and zeta = 1. Here a device's own momentum goes on from
block to block. W counts, which has the steps of finished blocks alone.
"""

import torch

from baselines.averaging import average
from baselines.local_training import PeriodicTraining
from bench import runner
from bench.ranks import spread
from bench.system import Context


class BlockMomentum(PeriodicTraining):
    """One rank; `centre` is W, which `outer` steps along the negative of G."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.outer = self.make_outer(self.centre)
        for parameter in self.centre:  # so that a checkpoint finds it from the start
            self.outer.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)

    def make_outer(self, parameters: list[torch.Tensor]) -> torch.optim.SGD:
        """The optimiser of W; torch's SGD with v = -delta / zeta is the paper's update."""
        method = self.spec.method
        return torch.optim.SGD(parameters, method["block_lr"], method["block_momentum"])

    def meet(self) -> None:
        """A step of W, and all ranks go on from there."""
        average(self.trained, self.trained)
        with torch.no_grad():
            for mean, parameter in zip(self.trained, self.centre, strict=True):
                parameter.grad = parameter - mean
            self.outer.step()
            for weight, parameter in zip(self.trained, self.centre, strict=True):
                weight.copy_(parameter)

    def extra_tensors(self) -> dict[str, torch.Tensor]:
        """W and its momentum."""
        parameters = dict(self.central.named_parameters())
        momenta = {
            f"outer.{name}": self.outer.state[parameter]["momentum_buffer"]
            for name, parameter in parameters.items()
            if parameter in self.outer.state
        }
        return {f"central.{name}": of for name, of in parameters.items()} | momenta


if __name__ == "__main__":
    runner.main(BlockMomentum, spread)
