"""Images as a network takes them, in torch."""

import torch
from torch import Tensor

from data_prep.records import Records
from data_prep.shards import ShardRecords


class Normalise:
    """Pixels by the mean and the deviation of the records, on a device."""

    def __init__(
        self, records: Records | ShardRecords, device: torch.device, channels_last: bool
    ) -> None:
        self._mean = torch.from_numpy(records.mean).to(device)
        self._std = torch.from_numpy(records.std).to(device)
        self._format = torch.channels_last if channels_last else torch.contiguous_format

    def __call__(self, images: Tensor) -> Tensor:
        """Images uint8 [b, H, W, C] as float32 [b, C, H, W]."""
        normalised = (images.float() / 255 - self._mean) / self._std
        return normalised.permute(0, 3, 1, 2).contiguous(memory_format=self._format)
