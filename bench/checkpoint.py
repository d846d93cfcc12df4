"""Checkpoints of an unfinished run: one file per rank and epoch, in a folder of their own.

A checkpoint is an `.npz` of plain arrays, neither pickled nor compressed. One that is could run
code or fill the memory, and ends the run that would read it. Epoch e counts only when every rank's
file of e can be read, so a kill at any moment leaves the newest complete epoch to resume from.
"""

import os
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

KEPT = 2


def save(
    folder: Path, epoch: int, rank: int, fingerprint: str, arrays: Mapping[str, np.ndarray]
) -> None:
    """Write this rank's arrays after `epoch`, and drop its files older than the last `KEPT`."""
    path = _path(folder, epoch, rank)
    draft = path.with_suffix(".partial")
    try:
        with draft.open("wb") as file:
            np.savez(file, fingerprint=np.array(fingerprint), **dict(arrays))  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # the disk is full, and there are those before to go on from
        draft.unlink()
        raise
    draft.replace(path)
    for old in sorted(folder.glob(f"epoch-*-rank-{rank}.npz"))[:-KEPT]:
        old.unlink()


def load(
    folder: Path, rank: int, ranks: int, fingerprint: str
) -> tuple[int, dict[str, np.ndarray]] | None:
    """The newest epoch that every rank saved, with this rank's arrays; None without one.

    Files of another `fingerprint` (other code, data or spec) do not count.

    Raises:
        ValueError: a file holds what no checkpoint does; one sentence.
    """
    epochs = sorted({int(path.name.split("-")[1]) for path in folder.glob("epoch-*.npz")})
    for epoch in reversed(epochs):
        states = [_read(_path(folder, epoch, other), fingerprint) for other in range(ranks)]
        if all(state is not None for state in states):
            return epoch, states[rank] or {}
    return None


def clear(folder: Path) -> None:
    """Remove every checkpoint in `folder`."""
    for path in [*folder.glob("epoch-*.npz"), *folder.glob("epoch-*.partial")]:
        path.unlink(missing_ok=True)  # each rank of a run on several nodes does


def _path(folder: Path, epoch: int, rank: int) -> Path:
    return folder / f"epoch-{epoch:06d}-rank-{rank}.npz"


def _read(path: Path, fingerprint: str) -> dict[str, np.ndarray] | None:
    try:
        with zipfile.ZipFile(path) as archive:
            plain = all(one.compress_type == zipfile.ZIP_STORED for one in archive.infolist())
        if plain:
            with np.load(path, allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, MemoryError, zipfile.BadZipFile) as error:
        if "allow_pickle" not in str(error):
            return None
        plain = False
    if not plain:
        raise ValueError(
            f"{path}: pickled objects, which could run code, or compressed arrays, as no "
            "checkpoint of this suite has; remove the file"
        )
    return arrays if str(arrays.pop("fingerprint", "")) == fingerprint else None
