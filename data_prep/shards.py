"""Records of encoded images: tar shards in WebDataset's layout, and an index into them per split.

A shard holds KEY.jpg and KEY.cls of each sample, uncompressed, so that any WebDataset reader reads
it from front to end; the index says where each JPEG lies, so that samples can be read in any order.
"""

import mmap
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from data_prep.manifest import MANIFEST, SPLITS, RecordsError, file_sha256

# Where a JPEG lies: the shard's number, the bytes in it; and what it is: pixels and label.
INDEX = np.dtype(
    [
        ("shard", "<u4"),
        ("offset", "<u8"),
        ("length", "<u4"),
        ("height", "<u2"),
        ("width", "<u2"),
        ("label", "<u4"),
    ]
)


@dataclass(frozen=True, eq=False)
class ShardRecords:
    """A dataset of encoded images, opened. Only the indexes are looked at until an image is read.

    Attributes:
        name: the dataset, as `python -m data_prep` knows it.
        folder: where the shards lie.
        train_index: `INDEX` [N], one row a sample; `test_index` likewise.
        classes: how many classes there are.
        class_names: their names, by label.
        shape: (side, side, 3), the crop that a network sees; the images have sizes of their own.
        mean: float32 [3], of the training images scaled to [0, 1]; `std` likewise.
        hashes: SHA-256 in hex of each shard and index, by file name.
    """

    name: str
    folder: Path
    train_index: np.ndarray
    test_index: np.ndarray
    classes: int
    class_names: tuple[str, ...]
    shape: tuple[int, int, int]
    mean: np.ndarray
    std: np.ndarray
    hashes: dict[str, str]
    _maps: dict[str, memoryview] = field(default_factory=dict, repr=False)

    @cached_property
    def train_labels(self) -> np.ndarray:
        """int64 [N], in [0, classes)."""
        return self.train_index["label"].astype(np.int64)

    @cached_property
    def test_labels(self) -> np.ndarray:
        """int64 [N], in [0, classes)."""
        return self.test_index["label"].astype(np.int64)

    def index(self, split: str) -> np.ndarray:
        """The index of "train" or "test"."""
        return self.train_index if split == "train" else self.test_index

    def encoded(self, split: str, i: int) -> memoryview:
        """The JPEG of sample `i` of a split, as a view of the mapped shard: nothing is copied.

        Threads may call this at once.
        """
        shard, offset, length = self.index(split)[i].item()[:3]
        name = shard_file(split, shard)
        view = self._maps.get(name)
        if view is None:
            view = self._maps[name] = _mapped(self.folder / name)
        return view[offset : offset + length]

    def __getstate__(self) -> dict[str, Any]:
        # A map can't be sent to another process, which makes its own.
        return self.__dict__ | {"_maps": {}}


def shard_file(split: str, number: int) -> str:
    """The file name of a shard."""
    return f"{split}-{number:06}.tar"


def index_file(split: str) -> str:
    """The file name of a split's index."""
    return f"{split}-index.npy"


def names_file(split: str) -> str:
    """The file name of a split's list of names: where each sample comes from, one a line."""
    return f"{split}-names.txt"


def open_shards(folder: Path, manifest: dict, verify: bool = False) -> ShardRecords:
    """Open the records that `manifest` describes; see `data_prep.records.open_records`.

    Raises:
        RecordsError: a file is missing, or isn't what the manifest says.
    """
    again = f"run `python -m data_prep {manifest['dataset']} {folder}` again"
    hashes = {}
    for file, facts in manifest["files"].items():
        path = folder / file
        try:
            size, hashes[file] = facts["bytes"], facts["sha256"]
        except (KeyError, TypeError):
            raise RecordsError(
                f"{folder / MANIFEST}: says nothing usable of {file}; {again}"
            ) from None
        if not path.is_file():
            raise RecordsError(f"{path}: missing; {again}")
        if path.stat().st_size != size:
            raise RecordsError(
                f"{path}: {path.stat().st_size} bytes where the manifest says {size}; {again}"
            )
        if verify and file_sha256(path) != hashes[file]:
            raise RecordsError(
                f"{path}: contents differ from the manifest's sha256; {again} with --verify"
            )
    train_index, test_index = (_open_index(folder, split, manifest, again) for split in SPLITS)
    return ShardRecords(
        name=manifest["dataset"],
        folder=folder,
        train_index=train_index,
        test_index=test_index,
        classes=manifest["classes"],
        class_names=tuple(manifest["class_names"]),
        shape=tuple(manifest["shape"]),
        mean=np.array(manifest["mean"], np.float32),
        std=np.array(manifest["std"], np.float32),
        hashes=hashes,
    )


def _open_index(folder: Path, split: str, manifest: dict, again: str) -> np.ndarray:
    path, count = folder / index_file(split), manifest["counts"].get(split)
    if path.name not in manifest["files"]:
        raise RecordsError(f"{folder / MANIFEST}: says nothing usable of {path.name}; {again}")
    try:
        index = np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise RecordsError(f"{path}: can't be opened ({error}); {again}") from None
    if index.dtype != INDEX or index.shape != (count,):
        raise RecordsError(f"{path}: not an index of {count} samples; {again}")
    for shard in np.unique(index["shard"]):
        if shard_file(split, shard) not in manifest["files"]:
            raise RecordsError(f"{path}: asks for {shard_file(split, shard)}, not there; {again}")
    return index


def _mapped(path: Path) -> memoryview:
    with path.open("rb") as file:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
