"""Which data a config's dataset is: one of the suite's, or an image folder of the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from data_prep import datasets
from data_prep.imagefolder import layout
from data_prep.manifest import RecordsError, read_manifest
from workflows.validate import ConfigError


@dataclass(frozen=True)
class Data:
    """How a dataset is prepared, and what is known of it before.

    `name` is what `python -m data_prep` calls it, `archives` where its sources are, or empty.
    `classes` is 0, and `train_images` None, where only the preparation will tell.
    """

    name: str
    archives: str
    shape: tuple[int, int, int]
    encoded: bool
    classes: int
    train_images: int | None


def data_of(name: str, own: Mapping[str, str], archives: str, prepared: Path, where: str) -> Data:
    """The data of dataset `name`; NAME-SIDE are the images of `own` folder NAME at one size.

    `prepared` is the folder of all records.

    Raises:
        ConfigError: there is no such dataset, or neither the user's folder nor records of it.
    """
    base, _, side = name.rpartition("-")
    if name in own:
        described = _described("imagefolder", own[name], where)
        return replace(described, classes=_own_classes(name, own[name], prepared / name))
    if base in own and side.isdigit():
        described = _described(f"imagefolder-{side}", own[base], where)
        return replace(described, classes=_own_classes(base, own[base], prepared / name))
    if name == "imagefolder":
        raise ConfigError(f"{where}: name your folder in datasets, and use that name")
    return _described(name, archives, where)


def own_datasets(folders: Mapping[str, str]) -> dict[str, str]:
    """The user's image folders, by name.

    Raises:
        ConfigError: a name is taken.
    """
    for name in folders:
        if name in datasets.known():
            raise ConfigError(
                f"datasets.{name}: the suite has a dataset of this name; choose another"
            )
    return dict(folders)


def _own_classes(name: str, folder: str, records: Path) -> int:
    try:
        return len(layout(Path(folder)).classes)
    except RecordsError as error:
        # Records that are finished need no source.
        try:
            return int(read_manifest(records)["classes"])
        except RecordsError:
            raise ConfigError(f"datasets.{name}: {error}") from None


def _described(name: str, archives: str, where: str) -> Data:
    try:
        module, (_, side) = datasets.load(name), datasets.resolve(name)
        described = datasets.describe(name)
    except RecordsError as error:
        raise ConfigError(f"{where}: {error}, or name a folder of yours in datasets") from None
    return Data(
        name=name,
        archives=archives,
        shape=described.shape,
        encoded=datasets.is_encoded(module) and not side,
        classes=described.classes,
        train_images=described.counts.get("train"),
    )
