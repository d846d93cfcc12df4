"""The feed of a torch device, by what the records are and whether they fit."""

import torch

from data_prep.array_source import ArraySource
from data_prep.device_feed import DeviceFeed
from data_prep.host_feed import HostFeed
from data_prep.jpeg_feed import JpegFeed
from data_prep.read_ahead import threads_of
from data_prep.records import Records
from data_prep.shards import ShardRecords
from data_prep.streamed_feed import StreamedFeed

TorchFeed = HostFeed | DeviceFeed | StreamedFeed
SHARE = 0.5  # of a GPU's memory, at most, for data that stays there


def compiles(feed: TorchFeed) -> bool:
    """Whether a feed's `batch_at` is computed in torch, and so can be compiled."""
    return not isinstance(feed, HostFeed)


def feed_for(
    records: Records | ShardRecords,
    augmentation: str,
    seed: int,
    device: torch.device,
    channels_last: bool,
    ranks: int = 1,
    unroll: int = 1,
) -> TorchFeed:
    """The feed of one run on `device`, one of `ranks` that share the cores of this machine.

    Arrays stay on a GPU where they fit; through NumPy on a CPU. Encoded images, and arrays that
    do not fit, are streamed. `channels_last` is the memory format of GPU batches.

    Raises:
        ValueError: `unroll` asks for several iterations at once, and images would be streamed.
    """
    on_gpu = device.type == "cuda"
    if isinstance(records, ShardRecords):
        _refuse_unrolled(records.name, unroll)
        jpegs = JpegFeed(records, augmentation, seed, threads_of(ranks))
        return StreamedFeed(jpegs, device, on_gpu and channels_last)
    if not on_gpu:
        return HostFeed(records, augmentation, seed)
    size = records.train_images.nbytes + records.test_images.nbytes
    if size > SHARE * torch.cuda.get_device_properties(device).total_memory:
        _refuse_unrolled(records.name, unroll)
        arrays = ArraySource(records, augmentation, seed, threads_of(ranks))
        return StreamedFeed(arrays, device, channels_last)
    return DeviceFeed(records, augmentation, seed, device, channels_last)


def _refuse_unrolled(name: str, unroll: int) -> None:
    if unroll > 1:
        raise ValueError(
            f"unroll: {name} is read while it is trained on, an iteration at a time; set it to 1"
        )
