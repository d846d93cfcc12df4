"""Records that live on a device: gather, crop, flip and normalise there, from the epoch's plan.

The same batches as `data_prep.feed`, as tensor operations without any host value, so that they can
be captured in a CUDA graph and replayed: which iteration it is, is itself a tensor on the device.
"""

from collections.abc import Iterable, Iterator

import numpy as np
import torch
from torch import Tensor

from data_prep.augment import augmentation_of
from data_prep.epoch_plan import EpochPlan, epoch_plan
from data_prep.feed import chunk_size
from data_prep.normalise import Normalise
from data_prep.records import Records


class DeviceFeed:
    """A dataset as uint8 on `device`, and the plan that says which images come next."""

    def __init__(
        self,
        records: Records,
        augmentation: str,
        seed: int,
        device: torch.device,
        channels_last: bool = False,
    ) -> None:
        self.samples = len(records.train_labels)
        self.device = device
        chosen = augmentation_of(augmentation, records.name, encoded=False)
        self._augmentation, self._seed = augmentation, seed
        self._pad, self._flip = chosen.pad, chosen.flip
        self._shape = records.shape
        self._height, self._width, _ = records.shape
        self._images = self._resident(records.train_images, self._pad)
        self._test = self._resident(records.test_images, 0)
        self._labels = torch.from_numpy(np.array(records.train_labels)).to(device)
        self._normalise = Normalise(records, device, channels_last)
        self._indices = torch.zeros(self.samples, dtype=torch.int64, device=device)
        self._offsets = torch.zeros(self.samples, 2, dtype=torch.int64, device=device)
        self._flips = torch.zeros(self.samples, dtype=torch.bool, device=device)

    def plan(self, epoch: int) -> EpochPlan:
        """The order and the draws of `epoch`, counted from 0."""
        return epoch_plan(self.samples, self._seed, epoch, self._augmentation)

    def begin(self, plan: EpochPlan) -> None:
        """Make `plan`, an epoch's or the rest of one, what `batch_at` counts in."""
        count = len(plan)
        for target, source in (
            (self._indices, plan.indices),
            (self._offsets, plan.offsets.astype(np.int64)),
            (self._flips, plan.flips),
        ):
            target[:count].copy_(torch.from_numpy(source))

    def batch_at(self, start: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Images [size, C, H, W] float32 and labels [size] int64 from `start` [1] on."""
        chosen = start + torch.arange(size, device=self.device)
        index = self._indices[chosen]
        images = self._images[index]
        if self._pad or self._flip:
            offsets, flips = self._offsets[chosen], self._flips[chosen, None]
            rows = offsets[:, :1] + torch.arange(self._height, device=self.device)
            across = torch.arange(self._width, device=self.device)
            columns = offsets[:, 1:] + torch.where(flips, self._width - 1 - across, across)
            images = self._images[index[:, None, None], rows[:, :, None], columns[:, None, :]]
        return self._normalise(images), self._labels[index]

    def stage(self, start: int, size: int, stride: int) -> None:
        """All images are on the device."""

    def reserve(self, size: int) -> None:
        """There is no buffer."""

    def images(self, parts: Iterable[EpochPlan], size: int) -> Iterator[Tensor]:
        """Images [n, C, H, W] of parts of a plan, at most `size` in each; begins them."""
        for part in parts:
            self.begin(part)
            yield self.batch_at(torch.zeros(1, dtype=torch.int64, device=self.device), len(part))[0]

    def tests(self) -> Iterator[Tensor]:
        """All test images, in chunks [n, C, H, W] float32, without augmentation."""
        return map(self._normalise, self._test.split(chunk_size(self._shape)))

    def _resident(self, images: np.ndarray, pad: int) -> Tensor:
        margin = ((0, 0), (pad, pad), (pad, pad), (0, 0))
        return torch.from_numpy(np.pad(np.asarray(images), margin)).to(self.device)
