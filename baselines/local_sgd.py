"""Local SGD: every device trains alone, and every few iterations all take their mean weights.

Stich, "Local SGD converges fast and communicates little", ICLR 2019, Algorithm 1. For device k in
iteration t, with H = `period`:

    w_k = w_k - lr g_k(w_k)
    w_k = mean over j of w_j     where H divides t

Here a device also has momentum, its own, which is not averaged. The model that counts is the mean
of the devices' at an epoch's end, with the mean of their batch-norm statistics.
"""

import torch

from baselines.averaging import average
from baselines.local_training import PeriodicTraining
from bench import runner
from bench.ranks import spread


class LocalSGD(PeriodicTraining):
    """One rank, whose `central` model is the mean of all as of an epoch's end."""

    def meet(self) -> None:
        """All take the mean of their weights."""
        average(self.trained, self.trained)

    def evaluated(self) -> torch.nn.Module:
        """The mean of all ranks' models."""
        average(self.trained, self.centre)
        return super().evaluated()


if __name__ == "__main__":
    runner.main(LocalSGD, spread)
