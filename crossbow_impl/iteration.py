"""One iteration on one device, as programs without arguments over tensors that stay in place.

Which iteration it is, the learning rate and the losses are on the device too, so that an engine
can capture a program once and replay it.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from bench.spec import RunSpec
from crossbow_impl import sma
from crossbow_impl.learners import Learners, Loss
from data_prep.torch_feed import TorchFeed, compiles

Fork = Callable[[list[Callable[[], Tensor]]], list[Tensor]]


class Iteration:
    """The tensors of the central model and of one iteration, and the programs over them.

    `z`, `z_prev` and `share` are [P]. `rates` and `losses` have one element per iteration since
    `begin`; `count` [1] is how many there were.
    """

    def __init__(
        self,
        spec: RunSpec,
        rank: int,
        learners: Learners,
        feed: TorchFeed,
        loss: Loss,
    ) -> None:
        assert spec.variant is not None and spec.mu is not None
        self.spec, self.variant, self.mu = spec, spec.variant, spec.mu
        self.rank, self.learners, self.feed, self.loss = rank, learners, feed, loss
        self.batch_at = feed.batch_at
        self.step_function = sma.step
        device = learners.w.device
        self.z = learners.w[0].clone()
        self.z_prev, self.share = self.z.clone(), torch.zeros_like(self.z)
        longest = feed.samples // (spec.batch * spec.devices) + 1
        self.rates, self.losses = (torch.zeros(longest, device=device) for _ in range(2))
        self.count = torch.zeros(1, dtype=torch.int64, device=device)
        self.lr = torch.zeros((), device=device)
        # Tensors, so that compiled code and captured graphs serve any number of learners.
        self.alpha, self.no_alpha, self.learners_in_all = (self.lr.clone() for _ in range(3))
        self._staged = 0  # iterations since `begin`, as `count` is once the device is there
        self.follow_learners()

    @property
    def k(self) -> int:
        """All learners on all devices."""
        return len(self.learners) * self.spec.devices

    def compile(self) -> None:
        """Have torch.compile fuse what every iteration computes.

        Not `sma.average`, which is small: of `z_prev.copy_(z); z.add_(change)` torch 2.11 to 2.13
        make code that copies the new z.
        """
        self.loss = torch.compile(self.loss, dynamic=False)
        if compiles(self.feed):
            self.batch_at = torch.compile(self.feed.batch_at, dynamic=False)
        # A tuned number of learners must not be compiled anew each time it changes.
        dynamic = True if self.spec.learners == "auto" else None
        self.step_function = torch.compile(sma.step, dynamic=dynamic)

    def follow_learners(self) -> None:
        """Let alpha and k follow the number of learners."""
        self.count.zero_()  # the plan is counted in iterations of all learners
        self._staged = 0
        self.learners_in_all.fill_(self.k)
        self.alpha.fill_(1 / self.k if self.spec.alpha is None else self.spec.alpha)

    def tensors(self) -> list[Tensor]:
        """Everything that an iteration changes."""
        learners = self.learners
        statistics = [b for buffers in learners.buffers for b in buffers.values()]
        own = [self.z, self.z_prev, self.share, self.losses, self.lr, self.count]
        return [*own, learners.w, learners.velocity, *statistics]

    def begin(self, rates: list[float]) -> None:
        """Count iterations from 0 again, at these learning rates."""
        self.rates[: len(rates)].copy_(torch.tensor(rates))
        self.count.zero_()
        self._staged = 0

    def reserve(self) -> None:
        """Have room for the images of all learners here, before programs are captured."""
        self.feed.reserve(len(self.learners) * self.spec.batch)

    def stage(self) -> None:
        """Have the next iteration's images ready for the programs that are queued after this."""
        all_images, own = self.k * self.spec.batch, len(self.learners) * self.spec.batch
        self.feed.stage(self._staged * all_images + self.rank * own, own, all_images)
        self._staged += 1

    def gradients(self, fork: Fork) -> None:
        """Every learner's gradient on its batch of the plan; `fork` may run learners at once."""
        m, b = len(self.learners), self.spec.batch
        self.learners.round()
        iteration = self.count * (self.k * b)

        def learner(j: int) -> Tensor:
            start = iteration + (self.rank * m + j) * b
            images, labels = self.batch_at(start, b)
            return self.learners.gradient(j, self.loss, images, labels)

        losses = fork([lambda j=j: learner(j) for j in range(m)])  # type: ignore[misc]
        self.losses.scatter_(0, self.count, torch.stack(losses).mean().view(1))
        if self.spec.weight_decay:
            self.learners.g.add_(self.learners.w, alpha=self.spec.weight_decay)
        if self.spec.batch_norm == "shared":
            self.learners.share_buffers()

    def step(self, synchronise: bool = True) -> None:
        """The learners' step, with the correction towards z unless this iteration skips it."""
        learners = self.learners
        self.lr.copy_(self.rates.index_select(0, self.count)[0])
        share = self.step_function(
            self.variant,
            learners.w,
            learners.g,
            learners.velocity,
            self.z,
            self.lr,
            self.spec.momentum,
            self.alpha if synchronise else self.no_alpha,
        )
        if synchronise:
            self.share.copy_(share)
        self.count.add_(1)

    def average(self) -> None:
        """Move z by `share`, which by now is the sum over all devices."""
        sma.average(
            self.variant,
            self.learners.w,
            self.learners.velocity,
            self.z,
            self.z_prev,
            self.share,
            self.learners_in_all,
            self.lr,
            self.spec.momentum,
            self.mu,
        )

    def restart(self) -> None:
        """Start all learners again from z."""
        sma.restart(self.learners.w, self.learners.velocity, self.z, self.z_prev)
