"""Records that live on a device: gather, crop, flip and normalise there, from the epoch's plan.

The same batches as `data_prep.feed`, as tensor operations without any host value, so that they can
be captured in a CUDA graph and replayed: which iteration it is, is itself a tensor on the device.
"""

import numpy as np
import torch
from torch import Tensor

from data_prep.augment import AUGMENTATIONS
from data_prep.epoch_plan import EpochPlan, epoch_plan
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
        self._format = torch.channels_last if channels_last else torch.contiguous_format
        self._augmentation, self._seed = augmentation, seed
        self._pad = AUGMENTATIONS[augmentation].pad
        self._flip = AUGMENTATIONS[augmentation].flip
        self._height, self._width, _ = records.shape
        self._images = self._resident(records.train_images, self._pad)
        self._test = self._resident(records.test_images, 0)
        self._labels = torch.from_numpy(np.array(records.train_labels)).to(device)
        self._mean = torch.from_numpy(records.mean).to(device)
        self._std = torch.from_numpy(records.std).to(device)
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
        return self._normalised(images), self._labels[index]

    def tests(self) -> Tensor:
        """All test images [N, C, H, W] float32, without augmentation."""
        return self._normalised(self._test)

    def _normalised(self, images: Tensor) -> Tensor:
        normalised = (images.float() / 255 - self._mean) / self._std
        return normalised.permute(0, 3, 1, 2).contiguous(memory_format=self._format)

    def _resident(self, images: np.ndarray, pad: int) -> Tensor:
        margin = ((0, 0), (pad, pad), (pad, pad), (0, 0))
        return torch.from_numpy(np.pad(np.asarray(images), margin)).to(self.device)
