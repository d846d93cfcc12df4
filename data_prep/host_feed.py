"""Records as torch tensors on the CPU; the interface of `data_prep.device_feed`, through NumPy."""

from collections.abc import Iterable, Iterator

import torch
from torch import Tensor

from data_prep.epoch_plan import EpochPlan
from data_prep.feed import Feed


class HostFeed(Feed):
    """A feed that counts in the plan it was given last."""

    def begin(self, plan: EpochPlan) -> None:
        """Make `plan`, an epoch's or the rest of one, what `batch_at` counts in."""
        self._plan = plan

    def batch_at(self, start: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Images [size, C, H, W] float32 and labels [size] int64 from `start` [1] on."""
        first = int(start)
        images, labels = self.batch(self._plan[first : first + size])
        return torch.from_numpy(images), torch.from_numpy(labels)

    def stage(self, start: int, size: int, stride: int) -> None:
        """All images are here."""

    def reserve(self, size: int) -> None:
        """There is no buffer."""

    def images(self, parts: Iterable[EpochPlan], size: int) -> Iterator[Tensor]:
        """Images [n, C, H, W] of parts of a plan, at most `size` in each."""
        return (torch.from_numpy(self.batch(part)[0]) for part in parts)

    def tests(self) -> Iterator[Tensor]:
        """All test images, in chunks [n, C, H, W] float32."""
        return map(torch.from_numpy, self.test_chunks())
