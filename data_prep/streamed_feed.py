"""Images that come to a torch device while it trains, an iteration ahead of their use.

For data that is encoded, or too large for the device. `stage` is called before each iteration and
copies its images into one half of a fixed buffer, on a GPU from pinned memory on a stream of its
own, while the iteration before may still read the other half. A captured graph always reads the
same buffer; where in it an iteration's images lie is a tensor on the device too.
"""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import torch
from torch import Tensor

from data_prep.array_source import ArraySource
from data_prep.epoch_plan import EpochPlan
from data_prep.feed import chunk_size
from data_prep.jpeg_feed import JpegFeed
from data_prep.normalise import Normalise
from data_prep.pinned_ring import PinnedRing

Source = JpegFeed | ArraySource


class StreamedFeed:
    """The batches of a source on `device`, as `data_prep.device_feed` gives them."""

    def __init__(self, source: Source, device: torch.device, channels_last: bool = False) -> None:
        self.source, self.samples, self.device = source, source.samples, device
        self._normalise = Normalise(source.records, device, channels_last)
        self._labels = torch.from_numpy(np.array(source.records.train_labels)).to(device)
        self._indices = torch.zeros(self.samples, dtype=torch.int64, device=device)
        self._shift = torch.zeros(1, dtype=torch.int64, device=device)  # from plan to buffer
        self._rows, self._half = 0, 0
        self._ring: PinnedRing | None = None
        self._reading: Iterator[np.ndarray] = iter(())
        self._expected: tuple[int, int, int] | None = None
        if device.type == "cuda":
            self._side = torch.cuda.Stream(device)
            self._read = [torch.cuda.Event() for _ in range(2)]  # ends of the halves' last readers

    def plan(self, epoch: int) -> EpochPlan:
        """The order and the draws of `epoch`, counted from 0."""
        return self.source.plan(epoch)

    def begin(self, plan: EpochPlan) -> None:
        """Make `plan`, an epoch's or the rest of one, what `stage` and `batch_at` count in."""
        self._stop_reading()
        self._plan = plan
        self._indices[: len(plan)].copy_(torch.from_numpy(plan.indices))

    def reserve(self, size: int) -> None:
        """Have room for iterations of `size` images; graphs captured before need a new capture."""
        if size <= self._rows:
            return
        self._stop_reading()
        self._rows, shape = size, self.source.records.shape
        self._images = torch.zeros(2 * size, *shape, dtype=torch.uint8, device=self.device)
        if self.device.type == "cuda":
            self._side.wait_stream(torch.cuda.current_stream(self.device))

    def stage(self, start: int, size: int, stride: int) -> None:
        """Have images [start, start + size) of the plan on the device for what is queued next.

        The stretches read ahead are those that follow, each `stride` images on.

        Raises:
            RecordsError: an image can't be decoded.
        """
        self.reserve(size)
        if self._expected != (start, size, stride):
            self._stop_reading()
            starts = range(start, len(self._plan) - size + 1, stride)
            parts = (self._plan[s : s + size] for s in starts)
            self._reading = self.source.batches(parts, size, self._pinned(size))
        self._expected = start + stride, size, stride
        images = next(self._reading)
        first = self._half * self._rows
        self._copy(images, self._images[first : first + size])
        self._shift.fill_(first - start)
        self._half = 1 - self._half

    def batch_at(self, start: Tensor, size: int) -> tuple[Tensor, Tensor]:
        """Images [size, C, H, W] float32 and labels [size] int64 from `start` [1] on, if staged."""
        chosen = start + torch.arange(size, device=start.device)
        images = self._normalise(self._images[chosen + self._shift])
        return images, self._labels[self._indices[chosen]]

    def images(self, parts: Iterable[EpochPlan], size: int) -> Iterator[Tensor]:
        """Images [n, C, H, W] of parts of a plan, at most `size` in each, outside of training."""
        return self._on_device(self.source.batches(parts, size))

    def tests(self) -> Iterator[Tensor]:
        """All test images, in chunks [n, C, H, W] float32, without augmentation."""
        return self._on_device(self.source.test_batches(chunk_size(self.source.records.shape)))

    def _on_device(self, batches: Iterable[np.ndarray]) -> Iterator[Tensor]:
        for images in batches:
            yield self._normalise(torch.from_numpy(images).to(self.device))

    def _pinned(self, size: int) -> Callable[[int], np.ndarray] | None:
        """What gives the memory to read into; None is any."""
        if self.device.type != "cuda":
            return None
        if self._ring is None or self._ring.rows != size:
            # One being sent, and one whose copy may wait for the device, beside those being read.
            count = self.source.ahead.parts_ahead(size) + 2
            self._ring = PinnedRing(count, size, self.source.records.shape)
        return self._ring.take

    def _copy(self, images: np.ndarray, target: Tensor) -> None:
        if self.device.type != "cuda":
            target.copy_(torch.from_numpy(images))
            return
        assert self._ring is not None  # `stage` has made it
        current = torch.cuda.current_stream(self.device)
        self._side.wait_event(self._read[self._half])
        current.wait_event(self._ring.send(target, self._side))
        # What is queued by now is all that can read the other half, which is written next.
        self._read[1 - self._half].record(current)

    def _stop_reading(self) -> None:
        if hasattr(self._reading, "close"):
            self._reading.close()
        self._reading, self._expected = iter(()), None
        if self._ring:
            self._ring.forget()
