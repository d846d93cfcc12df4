"""A model's name in a config is that of a network in one of the files here.

A file describes one network or a family, in either of two ways:

- `NETWORKS` lists `models._network.Network`s, each a list of layers that is built in torch and in
  Keras alike;
- `torch_model(shape, classes)` and, if there is one, `keras_model(shape, classes)` are written by
  hand, with their layers in the same order, and the file's name is the model's.

`shape` is (height, width, channels) of the images, which torch takes as NCHW and Keras as NHWC. A
model that does not suit every shape says so in `check_shape(shape)`: a ValueError with a sentence,
before anything is built. Files whose names start with "_" hold what networks share.
"""

import importlib
from functools import cache
from pathlib import Path
from typing import Any

from models._foreign import foreign

FOLDER = Path(__file__).parent


def known() -> list[str]:
    """The names of all models."""
    return sorted(_found())


def load(name: str, source: str | None = None) -> Any:
    """The model `name`; of one from outside this folder, what `source` names.

    It has `torch_model(shape, classes)`, and `keras_model` and `check_shape(shape)` if there are.

    Raises:
        ValueError: there is no such model; lists those there are.
    """
    if source:
        return foreign(source)
    return _lookup(name)[1]


def module_of(name: str) -> str:
    """The module that defines the model `name`, such as "models.vgg".

    Raises:
        ValueError: there is no such model; lists those there are.
    """
    return _lookup(name)[0]


def origin(name: str, source: str | None = None) -> str:
    """How a refusal names where the model `name` comes from: by its file, or by its `source`.

    Raises:
        ValueError: there is no such model; lists those there are.
    """
    return source or f"{module_of(name).replace('.', '/')}.py"


def _lookup(name: str) -> tuple[str, Any]:
    if name not in _found():
        raise ValueError(f"unknown model {name!r}; use one of {', '.join(known())}")
    return _found()[name]


@cache
def _found() -> dict[str, tuple[str, Any]]:
    """Module and model by name; files that define neither form are none."""
    found: dict[str, tuple[str, Any]] = {}
    for path in sorted(FOLDER.glob("[!_]*.py")):
        module = importlib.import_module(f"models.{path.stem}")
        networks = {network.name: network for network in getattr(module, "NETWORKS", [])}
        if not networks and hasattr(module, "torch_model"):
            networks = {path.stem: module}
        if twice := found.keys() & networks.keys():
            raise ValueError(f"{path.name}: another file defines {', '.join(sorted(twice))}")
        found |= {name: (module.__name__, network) for name, network in networks.items()}
    return found
