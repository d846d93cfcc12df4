"""One file is one network; the file's name is the model's name in a config.

A model file defines `torch_model(shape, classes)` and `keras_model(shape, classes)`, the same
network in both frameworks with its layers in the same order; `shape` is (height, width, channels)
of the images, which torch takes as NCHW and Keras as NHWC. Both raise ValueError, in one sentence,
for images that the network can't take. What networks share is in files whose names start with "_".

A model that does not suit every shape says so in `check_shape(shape)`: a ValueError with a
sentence, before anything is built.
"""

import importlib
from pathlib import Path
from typing import Any

from models._foreign import foreign

FOLDER = Path(__file__).parent


def known() -> list[str]:
    """The names of all models."""
    return sorted({path.stem for path in FOLDER.glob("[!_]*.py")} - {"weights"})


def load(name: str, source: str | None = None) -> Any:
    """The module of model `name`; of one from outside this folder, what `source` names.

    Raises:
        ValueError: there is no such model; lists those there are.
    """
    if source:
        return foreign(source)
    if name not in known():
        raise ValueError(f"unknown model {name!r}; use one of {', '.join(known())}")
    return importlib.import_module(f"models.{name}")
