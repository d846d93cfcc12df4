"""The manifest of a records folder: what it holds, and whether it is finished.

It is written last, so a folder without one is unfinished, whatever else lies in it.
"""

import hashlib
import json
from pathlib import Path

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


def to_be_made_again(error: RecordsError) -> str:
    """What is told of records that are there and no good, by the command that mends them."""
    return f"{str(error).rpartition('; ')[0]}; all is made again"


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
