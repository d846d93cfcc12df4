"""Local SGD: every device trains alone, and every few iterations all take their mean weights.

Stich, "Local SGD converges fast and communicates little", ICLR 2019, Algorithm 1. For device k in
iteration t, with H = `period`:

    w_k = w_k - lr g_k(w_k)
    w_k = mean over j of w_j     where H divides t

Here a device also has momentum, its own, which is not averaged. The model that counts is the mean
of the devices' at an epoch's end, with the mean of their batch-norm statistics.
"""

import copy

import torch

from baselines.averaging import average
from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread
from bench.system import Context


class LocalSGD(TorchTraining):
    """One rank, with weights of its own. `central` is the model that counts."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.central = copy.deepcopy(self.model).requires_grad_(False)

    def parallel(self) -> torch.nn.Module:
        """Gradients stay where they are."""
        return self.model

    def meets(self) -> bool:
        """Whether all ranks meet after the iteration that was just done."""
        return self.iterations % self.spec.method["period"] == 0

    def meet(self) -> None:
        """What the ranks do together."""
        average(self.model.parameters(), self.model.parameters())

    def after_step(self) -> None:
        """Train on alone, or meet."""
        if self.meets():
            self.meet()

    def step_bytes(self) -> int:
        """The weights, where the ranks meet; what an evaluation needs is not counted."""
        return super().step_bytes() if self.meets() else 0

    def evaluated(self) -> torch.nn.Module:
        """The mean of all ranks' models."""
        average(self.model.state_dict().values(), self.central.state_dict().values())
        return self.central


if __name__ == "__main__":
    runner.main(LocalSGD, spread)
