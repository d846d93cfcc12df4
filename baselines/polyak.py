"""Polyak-Ruppert averaging: synchronous SGD, of which the average over iterations is evaluated.

Polyak and Juditsky, "Acceleration of stochastic approximation by averaging", SIAM Journal on
Control and Optimization 30(4), 1992; Ruppert 1988. After `start`, a fraction of the run of s
iterations, with n = t - s - 1 iterates in the average already:

    mean = n / (n + 1) mean + 1 / (n + 1) w          of all iterates alike (`decay: 0`)
    mean = decay mean + (1 - decay) w                exponential, from the first iterate on

What trains is S-SGD, untouched. Until `start` its model counts, from there on the average, in which
batch-norm statistics are averaged like weights.
"""

from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from baselines.torch_training import TorchTraining
from bench import runner
from bench.ranks import spread
from bench.system import Context


class Polyak(TorchTraining):
    """One rank of S-SGD, with the average of its iterates."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.start = round(self.spec.method["start"] * self.spec.epochs * len(self.rates))
        self.mean = AveragedModel(self.model, multi_avg_fn=self.towards, use_buffers=True)

    def towards(self, means: Any, iterates: Any, count: Any) -> None:
        """Move the means; what counts or points, in integers, has none and is the iterate's."""
        if not means[0].is_floating_point():
            for mean, iterate in zip(means, iterates, strict=True):
                mean.copy_(iterate)
            return
        averaged = self.iterations - self.start - 1
        decay = self.spec.method["decay"] or averaged / (averaged + 1)
        get_ema_multi_avg_fn(decay)(means, iterates, count)

    def after_step(self) -> None:
        """Take the new iterate in."""
        if self.iterations > self.start:
            self.mean.update_parameters(self.model)

    def evaluated(self) -> torch.nn.Module:
        """The average, where there is one."""
        return self.mean if self.iterations > self.start else self.model

    def extra_tensors(self) -> dict[str, torch.Tensor]:
        """The average, and how many it is of."""
        return {f"mean.{name}": tensor for name, tensor in self.mean.state_dict().items()}


if __name__ == "__main__":
    runner.main(Polyak, spread)
