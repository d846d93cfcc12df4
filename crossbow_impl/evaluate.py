"""The central average model as a network that can be evaluated."""

import copy
from collections.abc import Iterator

import numpy as np
import torch
from torch import nn
from torch.optim.swa_utils import update_bn

from bench.precision import autocast
from crossbow_impl.iteration import Iteration
from crossbow_impl.layout import trained
from crossbow_impl.sync import Sync
from data_prep.torch_feed import TorchFeed

ESTIMATION_BATCHES, ESTIMATION_BATCH = 20, 256


class Center:
    """A network whose trained parameters are views of z; its statistics follow the learners'.

    `averaged` and `shared` ones, of batch norm, are the mean over all learners and devices;
    `re-estimated` ones come from forward passes of z over training images.
    """

    def __init__(
        self, network: nn.Module, iteration: Iteration, feed: TorchFeed, sync: Sync
    ) -> None:
        self.network = copy.deepcopy(network).eval()
        self._iteration, self._feed, self._sync = iteration, feed, sync
        views = iteration.learners.layout.views(iteration.z)
        for parameter, view in zip(trained(self.network).values(), views, strict=True):
            parameter.data = view

    def follow(self) -> None:
        """Take over what the learners have at the end of an epoch; every rank calls this."""
        iteration = self._iteration
        if not iteration.spec.tau:  # the learners never met: z is their mean, for the evaluation
            iteration.z.copy_(self._sync.mean(iteration.learners.w.mean(0)))
        for name, statistic in iteration.learners.mean_buffers().items():
            self.network.get_buffer(name).copy_(self._sync.mean(statistic))

    def logits(self, epoch: int) -> np.ndarray:
        """Logits [N, classes] on the test set; re-estimation takes images of `epoch`'s plan."""
        spec = self._iteration.spec
        with torch.inference_mode(), autocast(spec.precision, self._iteration.z.device):
            if spec.batch_norm == "re-estimated":
                update_bn(self._training_images(epoch), self.network)
                self.network.eval()
            parts = [self.network(part).float().cpu() for part in self._feed.tests()]
        return torch.cat(parts).numpy()

    def _training_images(self, epoch: int) -> Iterator[torch.Tensor]:
        plan, size = self._feed.plan(epoch), min(ESTIMATION_BATCH, self._feed.samples)
        starts = range(0, self._feed.samples - size + 1, size)[:ESTIMATION_BATCHES]
        return self._feed.images((plan[start : start + size] for start in starts), size)
