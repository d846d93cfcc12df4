"""Post-local SGD: synchronous SGD first, local SGD for the rest of the run.

Lin, Stich, Patel and Jaggi, "Don't use large mini-batches, use local SGD", ICLR 2020: devices
meet after every iteration up to `start`, a fraction of the run (the paper's first drop of
the rate), and after every `period` iterations from there on. Until `start` gradients are averaged
instead of weights, by torch's hook for this method, so that all have the same momentum.
"""

import torch
from torch.distributed.algorithms.ddp_comm_hooks.post_localSGD_hook import (
    PostLocalSGDState,
    post_localSGD_hook,
)

from baselines.local_sgd import LocalSGD
from bench import runner
from bench.ranks import spread


class PostLocalSGD(LocalSGD):
    """One rank; see `LocalSGD`."""

    @property
    def start(self) -> int:
        """How many iterations of the run are synchronous."""
        iterations = self.spec.epochs * (self.feed.samples // self.images)
        return round(self.spec.method["start"] * iterations)

    def parallel(self) -> torch.nn.Module:
        """Gradients become their mean, until the hook counts `start` iterations."""
        self.hook = PostLocalSGDState(None, None, self.start, post_local_gradient_allreduce=False)
        wrapped = self.data_parallel()
        wrapped.register_comm_hook(self.hook, post_localSGD_hook)
        return wrapped

    def begin(self, epoch: int) -> list[float]:
        """The hook has counted the warm-up step, and not what was done before a resumed run."""
        if self.ranks > 1:
            self.hook.iter = self.iterations
        return super().begin(epoch)

    def meets(self) -> bool:
        """After every `period` iterations that were local."""
        local = self.iterations - self.start
        return local > 0 and local % self.spec.method["period"] == 0

    def step_bytes(self) -> int:
        """The gradient, or the weights where the ranks meet."""
        synchronous = self.iterations <= self.start
        return self.gradient_bytes if synchronous else super().step_bytes()


if __name__ == "__main__":
    runner.main(PostLocalSGD, spread)
