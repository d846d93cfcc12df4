"""The feed of a torch device: on the device itself where it is a GPU, through NumPy on a CPU."""

import torch

from data_prep.device_feed import DeviceFeed
from data_prep.host_feed import HostFeed
from data_prep.records import Records

TorchFeed = HostFeed | DeviceFeed


def feed_for(
    records: Records, augmentation: str, seed: int, device: torch.device, channels_last: bool
) -> TorchFeed:
    """The feed of one run on `device`; `channels_last` is the memory format of GPU batches."""
    if device.type == "cuda":
        return DeviceFeed(records, augmentation, seed, device, channels_last)
    return HostFeed(records, augmentation, seed)
