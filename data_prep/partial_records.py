"""Records in the making: kept in `<folder>/.partial`, and published in one go when complete.

Finished records stay untouched until all of the new ones are on the disk. Each step leaves a
state from which a rerun goes on, whenever the process is killed.
"""

import json
import re
import shutil
from pathlib import Path

import numpy as np

from data_prep.atomic_files import replace, sync_folder, write_array, write_json
from data_prep.manifest import MANIFEST, array_files, file_sha256

_PARTIAL = ".partial"
_PROGRESS = "progress.json"
_OURS = re.compile(
    r"(train|test)(-\d{6}\.tar|-index\.npy|-names\.txt|_images\.npy|_labels\.npy)|preparation\.csv"
)


class PartialRecords:
    """The splits written so far from one source; those from any other source are dropped."""

    def __init__(self, folder: Path, source: dict) -> None:
        """`source` says what is being made from what: only equal sources share finished splits."""
        self._final = folder
        self.folder = folder / _PARTIAL
        self._progress = self._read_progress()
        if self._progress.get("source") != source:
            shutil.rmtree(self.folder, ignore_errors=True)
            self._progress = {"source": source, "splits": {}}
        self.folder.mkdir(exist_ok=True)

    def begin(self) -> None:
        """Note what is being made, so that a rerun takes over what it finds."""
        write_json(self.folder / _PROGRESS, self._progress)

    def has(self, split: str) -> bool:
        """Whether the split was written, and its files still are what they were."""
        files = self._progress["splits"].get(split, {}).get("files")
        return bool(files) and all(
            (self.folder / name).is_file() and file_sha256(self.folder / name) == written["sha256"]
            for name, written in files.items()
        )

    def write(self, split: str, images: np.ndarray, labels: np.ndarray, facts: dict) -> None:
        """Write both arrays of a split; `facts` about it are kept for the manifest."""
        names = array_files(split)
        files = {
            name: write_array(self.folder / name, array)
            for name, array in zip(names, (images, labels), strict=True)
        }
        self._progress["splits"][split] = {"files": files, **facts}
        write_json(self.folder / _PROGRESS, self._progress)

    def facts(self, split: str) -> dict:
        """What is known of a written split: its `files`, and the facts given with it."""
        return self._progress["splits"][split]

    def publish(self, manifest: dict) -> None:
        """Put the complete records in the place of whatever the folder held."""
        write_json(self.folder / MANIFEST, manifest)
        finish_publishing(self._final)

    def _read_progress(self) -> dict:
        try:
            progress = json.loads((self.folder / _PROGRESS).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return progress if isinstance(progress, dict) else {}


def finish_publishing(folder: Path) -> None:
    """Publish records that are complete; the rest of a publication that was cut short, too.

    The old manifest goes first and the new one comes last, so that at no moment a manifest
    stands beside arrays of other records.
    """
    partial = folder / _PARTIAL
    if not (partial / MANIFEST).exists():
        return
    (folder / MANIFEST).unlink(missing_ok=True)
    sync_folder(folder)
    files = json.loads((partial / MANIFEST).read_text(encoding="utf-8"))["files"]
    for name in files:
        if (partial / name).exists():
            replace(partial / name, folder / name)
    for path in folder.iterdir():
        # Of the old records, which had more shards, or were of another format.
        if _OURS.fullmatch(path.name) and path.name not in files:
            path.unlink()
    replace(partial / MANIFEST, folder / MANIFEST)
    shutil.rmtree(partial, ignore_errors=True)
