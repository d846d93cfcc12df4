"""The records format: what a finished folder holds, and how it is opened.

A records folder has a manifest and either four arrays or, of images kept as JPEGs, shards and their
indexes (`data_prep.shards`).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from data_prep.manifest import (
    MANIFEST,
    SHARDS,
    SPLITS,
    RecordsError,
    array_files,
    file_sha256,
    read_manifest,
)
from data_prep.shards import ShardRecords, open_shards


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


def open_records(folder: str | Path, verify: bool = False) -> Records | ShardRecords:
    """Open a finished records folder; nothing is read into memory yet.

    File sizes, types and shapes are always checked; `verify` also reads every byte and checks
    the SHA-256 of each file.

    Raises:
        RecordsError: the folder isn't finished, or a file isn't what the manifest says.
    """
    folder = Path(folder)
    manifest = read_manifest(folder)
    if manifest["format"] == SHARDS:
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
