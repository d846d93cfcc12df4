"""The records format: what a finished folder holds, and how it is opened.

A records folder has a manifest and either four arrays or, of images kept as JPEGs, shards and their
indexes (`data_prep.shards`). The manifest is written last, so a folder without one is unfinished,
whatever else lies in it.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from data_prep.shards import ShardRecords

FORMAT = 1
SHARDS = "shards"  # the format of encoded images
MANIFEST = "manifest.json"
SPLITS = ("train", "test")

_FIELDS: dict[str, type | tuple[type, ...]] = {
    "format": (int, str),
    "dataset": str,
    "counts": dict,
    "classes": int,
    "class_names": list,
    "shape": list,
    "files": dict,
    "mean": list,
    "std": list,
    "origin": dict,
}


class RecordsError(ValueError):
    """Data that can't be used: one sentence with the file, what is wrong and what to do."""


@dataclass(frozen=True, eq=False)
class Records:
    """A dataset, opened. The arrays are read-only memory maps of the files.

    Attributes:
        name: the dataset, as `python -m data_prep` knows it.
        train_images: uint8 [N, H, W, C]; `test_images` likewise.
        train_labels: int64 [N], in [0, classes); `test_labels` likewise.
        classes: how many classes there are.
        shape: (H, W, C).
        mean: float32 [C], of the training images scaled to [0, 1]; `std` likewise.
        hashes: SHA-256 in hex of each array file, by file name.
    """

    name: str
    train_images: np.ndarray
    train_labels: np.ndarray
    test_images: np.ndarray
    test_labels: np.ndarray
    classes: int
    shape: tuple[int, int, int]
    mean: np.ndarray
    std: np.ndarray
    hashes: dict[str, str]


def array_files(split: str) -> tuple[str, str]:
    """The file names of a split's images and labels."""
    return f"{split}_images.npy", f"{split}_labels.npy"


def read_manifest(folder: Path) -> dict:
    """The manifest of a finished folder, with every field there and of its type.

    Raises:
        RecordsError: there is none, it is broken, or it is of another format.
    """
    path = folder / MANIFEST
    prepare = f"run `python -m data_prep DATASET {folder}`"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise RecordsError(f"{path}: missing, so no finished records are here; {prepare}") from None
    except (OSError, ValueError) as error:
        raise RecordsError(f"{path}: can't be read ({error}); {prepare} again") from None
    found = manifest.get("format") if isinstance(manifest, dict) else None
    if found not in (FORMAT, SHARDS):
        raise RecordsError(f"{path}: format {found} where this reads {FORMAT}; {prepare} again")
    for field, kind in _FIELDS.items():
        if not isinstance(manifest.get(field), kind):
            raise RecordsError(f"{path}: no usable `{field}`; {prepare} again")
    return manifest


def open_records(folder: str | Path, verify: bool = False) -> "Records | ShardRecords":
    """Open a finished records folder; nothing is read into memory yet.

    File sizes, types and shapes are always checked; `verify` also reads every byte and checks
    the SHA-256 of each file.

    Raises:
        RecordsError: the folder isn't finished, or a file isn't what the manifest says.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest["format"] == SHARDS:
        from data_prep.shards import open_shards  # which needs this file

        return open_shards(folder, manifest, verify)
    again = f"run `python -m data_prep {manifest['dataset']} {folder}` again"
    arrays, hashes = {}, {}
    for split in SPLITS:
        for file, row, dtype in zip(
            array_files(split), (manifest["shape"], []), (np.uint8, np.int64), strict=True
        ):
            path = folder / file
            try:
                size, hashes[file] = (manifest["files"][file][key] for key in ("bytes", "sha256"))
                shape = (manifest["counts"][split], *row)
            except (KeyError, TypeError):
                raise RecordsError(
                    f"{folder / MANIFEST}: says nothing usable of {file}; {again}"
                ) from None
            array = arrays[file.removesuffix(".npy")] = _open_array(path, size, again)
            if array.dtype != dtype or array.shape != shape:
                raise RecordsError(
                    f"{path}: {array.dtype} {list(array.shape)} where the manifest says "
                    f"{np.dtype(dtype)} {list(shape)}; {again}"
                )
            if verify and file_sha256(path) != hashes[file]:
                raise RecordsError(
                    f"{path}: contents differ from the manifest's sha256; {again} with --verify"
                )
    return Records(
        name=manifest["dataset"],
        **arrays,
        classes=manifest["classes"],
        shape=tuple(manifest["shape"]),
        mean=np.array(manifest["mean"], np.float32),
        std=np.array(manifest["std"], np.float32),
        hashes=hashes,
    )


def to_be_made_again(error: RecordsError) -> str:
    """What is told of records that are there and no good, by the command that mends them."""
    return f"{str(error).rpartition('; ')[0]}; all is made again"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _open_array(path: Path, size: int, again: str) -> np.ndarray:
    if not path.is_file():
        raise RecordsError(f"{path}: missing; {again}")
    found = path.stat().st_size
    if found != size:
        raise RecordsError(f"{path}: {found} bytes where the manifest says {size}; {again}")
    try:
        return np.load(path, mmap_mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise RecordsError(f"{path}: can't be opened ({error}); {again}") from None
