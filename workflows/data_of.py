"""Which data a config's dataset is: one of the suite's, or an image folder of the user's own."""

from collections.abc import Mapping
from dataclasses import dataclass

from data_prep import datasets
from data_prep.records import RecordsError
from workflows.validate import ConfigError


@dataclass(frozen=True)
class Data:
    """How a dataset is prepared, and what is known of it before.

    `name` is what `python -m data_prep` calls it, `archives` where its sources are, or empty.
    `train_images` is None where only the preparation will tell.
    """

    name: str
    archives: str
    shape: tuple[int, int, int]
    encoded: bool
    train_images: int | None


def data_of(name: str, own: Mapping[str, str], archives: str, where: str) -> Data:
    """The data of dataset `name`; NAME-SIDE are the images of `own` folder NAME at one size.

    Raises:
        ConfigError: there is no such dataset.
    """
    base, _, side = name.rpartition("-")
    if name in own:
        return _described("imagefolder", own[name], where)
    if base in own:
        return _described(f"imagefolder-{side}", own[base], where)
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


def _described(name: str, archives: str, where: str) -> Data:
    try:
        module, (_, side) = datasets.load(name), datasets.resolve(name)
        described = datasets.describe(name)
    except RecordsError:
        known = ", ".join(datasets.known())
        raise ConfigError(f"{where}: unknown dataset {name!r}; use one of {known}") from None
    return Data(
        name=name,
        archives=archives,
        shape=described.shape,
        encoded=datasets.is_encoded(module) and not side,
        train_images=described.counts.get("train"),
    )
