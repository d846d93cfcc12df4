"""The datasets there are: a file of this folder is one, by its name.

It defines `read_split`, which gives arrays, or `list_samples`, which says where encoded images lie.
The latter are kept as JPEGs by their name, and as arrays of images of one size by `NAME-SIDE`, such
as `imagenet-64`.
"""

import importlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeGuard

import numpy as np

from data_prep.archives import SourceFile
from data_prep.manifest import RecordsError
from data_prep.options import MAX_SIDE
from data_prep.samples import Listing


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


class EncodedDataset(Protocol):
    """What the file of a dataset of encoded images defines.

    Attributes:
        SHAPE: (side, side, 3), the crop that a network sees unless another is asked for.
        COUNTS: samples in "train" and in "test", as published; empty if they are the user's own.
        CLASS_COUNT: how many classes are published; 0 if they are the user's own.
    """

    SHAPE: tuple[int, int, int]
    COUNTS: dict[str, int]
    CLASS_COUNT: int

    def list_samples(self, archives: Path | None, test_fraction: float) -> Listing:
        """Where the images of both splits lie; `test_fraction` is held out if nothing else says.

        Raises:
            RecordsError: the source is missing, or is none of the forms that can be read.
        """


@dataclass(frozen=True)
class Description:
    """A dataset before it is prepared: `counts` is empty, and `classes` 0, where unknown."""

    shape: tuple[int, int, int]
    classes: int
    counts: dict[str, int]


def known() -> list[str]:
    """The names of all datasets. The files are searched, not imported."""
    defines = re.compile(r"^def (read_split|list_samples)\(", re.MULTILINE)
    return sorted(
        path.stem.replace("_", "-")
        for path in Path(__file__).parent.glob("*.py")
        if defines.search(path.read_text(encoding="utf-8"))
    )


def resolve(name: str) -> tuple[str, int]:
    """The dataset that `name` asks for, and the side of its decoded images, 0 for as they are.

    Raises:
        RecordsError: there is no dataset of this name, its images are of one size already, or the
            side is none that they can have.
    """
    base, _, side = name.rpartition("-")
    if name in known():
        return name, 0
    if base not in known() or not re.fullmatch(r"[0-9]+", side):
        raise RecordsError(f"unknown dataset {name!r}; use one of {', '.join(known())}")
    if side.startswith("0") or int(side) > MAX_SIDE:
        raise RecordsError(f"{name}: not a side from 1 to {MAX_SIDE} pixels; write {base}-64, say")
    if not is_encoded(_module(base)):
        raise RecordsError(f"{name}: images of {base} have one size already; write {base}")
    return base, int(side)


def load(name: str) -> Dataset | EncodedDataset:
    """The module of a dataset.

    Raises:
        RecordsError: there is no dataset of this name.
    """
    return _module(resolve(name)[0])


def module_name(name: str) -> str:
    """The name of the module that defines a dataset, such as data_prep.imagenet."""
    return f"data_prep.{resolve(name)[0].replace('-', '_')}"


def describe(name: str) -> Description:
    """What is known of a dataset from its name alone.

    Raises:
        RecordsError: there is no dataset of this name.
    """
    module, side = load(name), resolve(name)[1]
    shape = (side, side, 3) if side else module.SHAPE
    classes = module.CLASS_COUNT if is_encoded(module) else len(module.CLASS_NAMES)
    return Description(shape, classes, dict(module.COUNTS))


def is_encoded(module: Dataset | EncodedDataset) -> TypeGuard[EncodedDataset]:
    """Whether a dataset's images are encoded ones."""
    return hasattr(module, "list_samples")


def _module(name: str) -> Any:
    return importlib.import_module(f"data_prep.{name.replace('-', '_')}")
