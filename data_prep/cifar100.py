"""CIFAR-100: 60,000 photographs of 32 x 32 pixels in a hundred classes (the fine labels)."""

from pathlib import Path

import numpy as np

from data_prep.archives import SourceFile
from data_prep.cifar_archives import binary_form, find_archive, python_form, read_members

CLASS_NAMES = tuple(
    """
    apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus
    butterfly camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch
    crab crocodile cup dinosaur dolphin elephant flatfish forest fox girl hamster house
    kangaroo keyboard lamp lawn_mower leopard lion lizard lobster man maple_tree motorcycle
    mountain mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree
    plain plate poppy porcupine possum rabbit raccoon ray road rocket rose sea seal shark shrew
    skunk skyscraper snail snake spider squirrel streetcar sunflower sweet_pepper table tank
    telephone television tiger tractor train trout tulip turtle wardrobe whale willow_tree wolf
    woman worm
    """.split()
)
SHAPE = (32, 32, 3)
COUNTS = {"train": 50_000, "test": 10_000}

_PYTHON, _BINARY = "cifar-100-python.tar.gz", "cifar-100-binary.tar.gz"
ORIGINS = [
    {_PYTHON: "md5:eb9058c3a382ffc7106e4002c42a8d85"},
    {_BINARY: "md5:03b5dce01913d631647c71ecec9e9cb8"},
]


def find_sources(archives: Path | None) -> dict[str, SourceFile]:
    """The Python or the binary archive, verified; see `data_prep.datasets.Dataset`."""
    return find_archive(archives, ORIGINS)


def read_split(split: str, sources: dict[str, SourceFile]) -> tuple[np.ndarray, np.ndarray]:
    """Images and fine labels of a split; see `data_prep.datasets.Dataset`."""
    ((name, source),) = sources.items()
    if name == _PYTHON:
        members, form = [f"cifar-100-python/{split}"], python_form(b"fine_labels")
    else:
        # The coarse label comes first, then the fine one.
        members, form = [f"cifar-100-binary/{split}.bin"], binary_form(label_bytes=2)
    return read_members(source.path, members, len(CLASS_NAMES), form)
