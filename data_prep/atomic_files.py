"""Files that appear whole or not at all, even across a kill or a power cut."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np

_BUFFER = 1 << 20  # a tar comes in small pieces


class _HashedFile:
    """A file that hashes and counts what is written to it, so that nothing is read twice."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.digest = hashlib.sha256()
        self.size = 0

    def write(self, data: bytes) -> int:
        self.digest.update(data)
        self.size += len(data)
        return self._file.write(data)


def write_array(path: Path, array: np.ndarray) -> dict[str, Any]:
    """Write a .npy file and return its `bytes` and `sha256`."""
    whole = np.ascontiguousarray(array)
    return write_hashed(
        path, lambda file: np.lib.format.write_array(file, whole, allow_pickle=False)
    )


def write_pieces(
    path: Path, shape: tuple[int, ...], pieces: Iterable[np.ndarray]
) -> dict[str, Any]:
    """Write a .npy file of uint8 and of `shape` piece by piece, each in memory only for a while."""

    def write(file: BinaryIO) -> None:
        header = {"descr": "|u1", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(file, header)
        for piece in pieces:
            # In one dimension: of more, a piece without images has no bytes to be cast to.
            file.write(np.ascontiguousarray(piece).reshape(-1).data)

    return write_hashed(path, write)


def write_text(path: Path, text: str) -> dict[str, Any]:
    """Write a text file and return its `bytes` and `sha256`."""
    return write_hashed(path, lambda file: file.write(text.encode("utf-8", "surrogateescape")))


def write_hashed(path: Path, write: Callable[[BinaryIO], Any]) -> dict[str, Any]:
    """Write a file by whatever `write` does to it, and return its `bytes` and `sha256`."""

    def hashing(file: BinaryIO) -> dict[str, Any]:
        hashed = _HashedFile(file)
        write(cast(BinaryIO, hashed))
        return {"bytes": hashed.size, "sha256": hashed.digest.hexdigest()}

    return _write(path, hashing)


def write_json(path: Path, value: dict) -> None:
    """Write a JSON file, equal values giving equal bytes."""
    text = json.dumps(value, indent=2) + "\n"
    _write(path, lambda file: file.write(text.encode()))


def replace(source: Path, target: Path) -> None:
    """Move a file over another, and see the move itself onto the disk."""
    source.replace(target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """See the names in a folder onto the disk: fsync of a file alone doesn't promise its name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path: Path, write: Callable[[BinaryIO], Any]) -> Any:
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb", buffering=_BUFFER) as file:
        result = write(file)
        file.flush()
        os.fsync(file.fileno())
    replace(temporary, path)
    return result
