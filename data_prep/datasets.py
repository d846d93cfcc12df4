"""The datasets there are: a file of this folder that defines `read_split` is one, by its name."""

import importlib
import re
from pathlib import Path
from typing import Protocol, cast

import numpy as np

from data_prep.archives import SourceFile
from data_prep.records import RecordsError


class Dataset(Protocol):
    """What the file of a dataset defines.

    Attributes:
        CLASS_NAMES: the names of the classes, by label.
        SHAPE: (H, W, C) of an image.
        COUNTS: samples in "train" and in "test".
        ORIGINS: the known origins, any of which will do: checksum by name of source file.
    """

    CLASS_NAMES: tuple[str, ...]
    SHAPE: tuple[int, int, int]
    COUNTS: dict[str, int]
    ORIGINS: list[dict[str, str]]

    def find_sources(self, archives: Path | None) -> dict[str, SourceFile]:
        """Find the source files in a folder, or download them without one, and verify them.

        Raises:
            RecordsError: one is missing, can't be downloaded, or its checksum is wrong.
        """

    def read_split(
        self, split: str, sources: dict[str, SourceFile]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Images uint8 [N, H, W, C] and labels int64 [N] of a split, always in the same order.

        Raises:
            RecordsError: a source file isn't what it should be.
        """


def known() -> list[str]:
    """The names of all datasets. The files are searched, not imported."""
    defines = re.compile(r"^def read_split\(", re.MULTILINE)
    return sorted(
        path.stem.replace("_", "-")
        for path in Path(__file__).parent.glob("*.py")
        if defines.search(path.read_text(encoding="utf-8"))
    )


def load(name: str) -> Dataset:
    """The module of a dataset.

    Raises:
        RecordsError: there is no dataset of this name.
    """
    if name not in known():
        raise RecordsError(f"{name}: no such dataset; choose one of {', '.join(known())}")
    return cast(Dataset, importlib.import_module(f"data_prep.{name.replace('-', '_')}"))
