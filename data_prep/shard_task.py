"""One shard of a dataset of images: read, checked by the rules, and written whole or not at all.

What is known of a finished shard lies beside it as JSON, written last: where that is, the shard is
finished, and a rerun leaves it alone.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from data_prep.atomic_files import write_array, write_hashed, write_json
from data_prep.image_rules import Checked, check
from data_prep.manifest import file_sha256
from data_prep.samples import LEFT_OUT, Problem, Sample
from data_prep.shards import INDEX, shard_file

_BLOCK = 512  # a tar pads everything to it
# For mean and deviation every fifth pixel of every fifth row will do: five has no factor with the
# blocks of 8 pixels that a JPEG is made of.
_STRIDE = 5
MOST_BYTES = 1 << 29  # of one image's file: more than `image_rules.MAX_PIXELS` take in any format


class ShardTask(NamedTuple):
    """What a process has to know to make a shard.

    `first` is the place of its first sample in the split. `side` is that of decoded images, 0 for
    those that stay JPEGs.
    """

    folder: Path
    split: str
    number: int
    first: int
    samples: list[Sample]
    quality: int
    side: int

    def file(self, ending: str) -> Path:
        """A file of the shard, in the folder of partial records."""
        return (self.folder / shard_file(self.split, self.number)).with_suffix(ending)

    def result(self) -> dict[str, Any] | None:
        """What is known of the shard if it is finished, else None."""
        try:
            facts = json.loads(self.file(".json").read_text(encoding="utf-8"))
            written = [(self.file(ending), of["bytes"]) for ending, of in facts["files"].items()]
            return facts if all(path.stat().st_size == size for path, size in written) else None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None


@dataclass
class _Facts:
    """What is gathered while a shard is made."""

    names: list[str] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    sources: Any = field(default_factory=hashlib.sha256)
    # Of the pixels of each image: sum over images of their mean, and of the mean of their squares.
    means: np.ndarray = field(default_factory=lambda: np.zeros(3))
    squares: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def measure(self, pixels: np.ndarray) -> None:
        """Add the statistics of an image, uint8 [H, W, 3]."""
        planes = np.ascontiguousarray(pixels.reshape(-1, 3).T, np.float64) / 255
        self.means += planes.mean(1)
        self.squares += np.einsum("cp,cp->c", planes, planes) / planes.shape[1]

    def to_dict(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "labels": self.labels,
            "problems": self.problems,
            "source_sha256": self.sources.hexdigest(),
            "means": self.means.tolist(),
            "squares": self.squares.tolist(),
        }


def drop_damaged(task: ShardTask, step: Callable[[], None]) -> str | None:
    """Make a finished shard one that isn't, if its bytes aren't those written; say which file."""
    for ending, of in (task.result() or {"files": {}})["files"].items():
        if file_sha256(task.file(ending)) != of["sha256"]:
            task.file(".json").unlink()
            return f"{task.file(ending)}: contents differ from what was written; it is made again"
    return None


def make_shard(task: ShardTask, step: Callable[[], None]) -> ShardTask:
    """Make the shard and hand the task back, whose `result` is there now.

    Raises:
        OSError: it can't be written. What is wrong with an image is a row of its problems.
    """
    facts = _Facts()
    written = _decoded(task, facts, step) if task.side else _encoded(task, facts, step)
    write_json(task.file(".json"), {"files": written, **facts.to_dict()})
    return task


def _encoded(task: ShardTask, facts: _Facts, step: Callable[[], None]) -> dict[str, Any]:
    from webdataset import TarWriter  # imports torch, for which not everyone should wait

    rows = []

    def write(file: Any) -> None:
        # Without times and owners, so that equal images make equal bytes.
        with TarWriter(file, encoder=False, mtime=0.0, compress=False) as tar:
            for place, sample, image in _usable(task, facts, step):
                jpeg = image.jpeg
                facts.measure(image.pixels[::_STRIDE, ::_STRIDE])
                key = f"{task.first + place:08}"
                tar.write({"__key__": key, "cls": str(sample.label).encode(), "jpg": jpeg})
                offset = tar.tarstream.offset - -(-len(jpeg) // _BLOCK) * _BLOCK
                height, width, _ = image.pixels.shape
                rows.append((task.number, offset, len(jpeg), height, width, sample.label))

    written = write_hashed(task.file(".tar"), write)
    return {".tar": written, ".npy": write_array(task.file(".npy"), np.array(rows, INDEX))}


def _decoded(task: ShardTask, facts: _Facts, step: Callable[[], None]) -> dict[str, Any]:
    array = np.empty((len(task.samples), task.side, task.side, 3), np.uint8)
    count = 0
    for _, _, image in _usable(task, facts, step):
        array[count] = _fit(image.pixels, task.side)
        facts.measure(array[count])
        count += 1
    return {".npy": write_array(task.file(".npy"), array[:count])}


def _usable(
    task: ShardTask, facts: _Facts, step: Callable[[], None]
) -> Iterator[tuple[int, Sample, Checked]]:
    for place, sample in enumerate(task.samples):
        try:
            if sample.length > MOST_BYTES:
                raise OSError(f"{sample.length:,} bytes are more than {MOST_BYTES:,}")
            data = _read(sample)
        except OSError as error:
            reason = f"can't be read ({error.strerror or error})"
            data, image = b"", Checked(problems=(reason,), action=LEFT_OUT)
        else:
            image = check(data, sample.name, task.quality)
        facts.sources.update(hashlib.sha256(data).digest())
        if image.problems:
            facts.problems.append(Problem(sample.name, "; ".join(image.problems), image.action))
        if image.pixels is not None:
            # One line a name in the list of them.
            facts.names.append(sample.name.replace("\n", " "))
            facts.labels.append(sample.label)
            yield place, sample, image
        step()


def _read(sample: Sample) -> bytes:
    with Path(sample.path).open("rb") as file:
        file.seek(sample.offset)
        return file.read(sample.length)


def _fit(pixels: np.ndarray, side: int) -> np.ndarray:
    """The shorter side resized to `side`, and the square in the middle of the longer one."""
    height, width, _ = pixels.shape
    short = min(height, width)
    top, left = (height - short) / 2, (width - short) / 2
    box = (left, top, left + short, top + short)
    bicubic = Image.Resampling.BICUBIC
    # The gap makes it several times faster, and hardly another image, by Pillow's documentation.
    return np.asarray(Image.fromarray(pixels).resize((side, side), bicubic, box, reducing_gap=3))
