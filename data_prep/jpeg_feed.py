"""Encoded records as training images: decoded, cropped, resized and mirrored by threads."""

import threading
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from data_prep.augment import augmentation_of
from data_prep.crops import Box, random_box
from data_prep.epoch_plan import EpochPlan, epoch_plan
from data_prep.jpeg_decode import Decoder
from data_prep.manifest import RecordsError
from data_prep.read_ahead import ReadAhead
from data_prep.shards import ShardRecords, shard_file


class JpegFeed:
    """Batches of one run as uint8 [n, side, side, 3], in the order and with the crops of its plan.

    Without augmentation the crops are those of tests. Any part of a plan can be read, so training
    goes on in the middle of an epoch with the images that it would have had.
    """

    def __init__(self, records: ShardRecords, augmentation: str, seed: int, threads: int) -> None:
        self.records, self.samples = records, len(records.train_index)
        self.ahead = ReadAhead(threads)
        chosen = augmentation_of(augmentation, records.name, encoded=True)
        self._augmentation, self._seed, self._random = augmentation, seed, chosen.resized_crop
        self._sizes = {
            split: np.stack([records.index(split)[edge] for edge in ("height", "width")], axis=1)
            for split in ("train", "test")
        }
        self._local = threading.local()

    def plan(self, epoch: int) -> EpochPlan:
        """The order and the draws of `epoch`, counted from 0."""
        return epoch_plan(self.samples, self._seed, epoch, self._augmentation)

    def batches(
        self, parts: Iterable[EpochPlan], size: int, empty: Callable | None = None
    ) -> Iterator[np.ndarray]:
        """The images of each part of a plan, read ahead; at most `size` in a part.

        `empty(n)` gives the memory for n images; None takes new one.

        Raises:
            RecordsError: an image can't be decoded.
        """
        return self.ahead.read(self._read, parts, size, empty or self._empty)

    def test_batches(self, size: int) -> Iterator[np.ndarray]:
        """All test images in order, `size` at a time."""
        count = len(self.records.test_index)
        parts = (range(i, min(i + size, count)) for i in range(0, count, size))
        return self.ahead.read(self._read_tests, parts, size, self._empty)

    def _empty(self, count: int) -> np.ndarray:
        return np.empty((count, *self.records.shape), np.uint8)

    def _read(self, plan: EpochPlan, out: np.ndarray) -> None:
        samples, flips = plan.indices.tolist(), plan.flips.tolist()
        sizes = self._sizes["train"][plan.indices].tolist()
        boxes: list[Box | None] = [None] * len(samples)
        if self._random:
            boxes = [
                random_box(plan.seed, plan.epoch, sample, *size)
                for sample, size in zip(samples, sizes, strict=True)
            ]
        for of_one in zip(samples, sizes, boxes, flips, out, strict=True):
            self._decode("train", *of_one)

    def _read_tests(self, samples: range, out: np.ndarray) -> None:
        sizes = self._sizes["test"][samples.start : samples.stop].tolist()
        for sample, size, image in zip(samples, sizes, out, strict=True):
            self._decode("test", sample, size, None, False, image)

    def _decode(
        self,
        split: str,
        sample: int,
        size: list[int],
        box: Box | None,
        flip: bool,
        out: np.ndarray,
    ) -> None:
        """Decode `box` of an image to `out`, or without a box the crop of tests."""
        records = self.records
        if not hasattr(self._local, "decoder"):
            self._local.decoder = Decoder()
        decoder = self._local.decoder
        data = records.encoded(split, sample)
        try:
            if box:
                decoder.crop(data, *size, box, flip, out)
            else:
                decoder.centre(data, *size, out)
        except (ValueError, IndexError) as error:  # the latter of a header that goes on too long
            shard, offset, length = records.index(split)[sample].item()[:3]
            raise RecordsError(
                f"{records.folder / shard_file(split, shard)}: {split} image {sample}, "
                f"{length} bytes at {offset}, can't be decoded ({error}); run "
                f"`python -m data_prep {records.name} {records.folder} --verify`"
            ) from error
