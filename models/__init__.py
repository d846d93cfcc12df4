"""A model's name in a config is that of a network in one of the files here.

A file describes one network or a family, in either of two ways:

- `NETWORKS` lists `models._network.Network`s, each a list of layers that is built in torch and in
  Keras alike;
- `torch_model(shape, classes)` and, if there is one, `keras_model(shape, classes)` are written by
  hand, with their layers in the same order, and the file's name is the model's.

`shape` is (height, width, channels) of the images, which torch takes as NCHW and Keras as NHWC. A
model that does not suit every shape says so in `check_shape(shape)`: a ValueError with a sentence,
before anything is built. Files whose names start with "_" hold what networks share. A file that
can't be used is no obstacle to models of others.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from models._files import Found, find
from models._foreign import foreign

FOLDER = Path(__file__).parent


def known() -> list[str]:
    """The names of all models."""
    return sorted(_found().models)


def unusable_files() -> list[str]:
    """A sentence on each file here that can't be imported."""
    return _found().broken


def why_unknown(name: str, own: Iterable[str] = ()) -> str | None:
    """Why `name` is no model of a file here, and what to do; None if it is, or the user's `own`."""
    found = _found()
    if name in found.models or name in own:
        return None
    if name in found.refused:
        return found.refused[name]
    return "; or the file that defines it can't be used: ".join(
        [
            f"unknown model {name!r}; use one of {', '.join([*known(), *own])}, or name a file of "
            "yours in models",
            *found.broken,
        ]
    )


def load(name: str, source: str | None = None) -> Any:
    """The model `name`; of one from outside this folder, what `source` names.

    It has `torch_model(shape, classes)`, and `keras_model` and `check_shape(shape)` if there are.

    Raises:
        ValueError: there is no such model, or its file is broken; says what to do.
    """
    if source:
        return foreign(source)
    return _lookup(name)[1]


def module_of(name: str) -> str:
    """The module that defines the model `name`, such as "models.vgg".

    Raises:
        ValueError: there is no such model, or its file is broken; says what to do.
    """
    return _lookup(name)[0]


def origin(name: str, source: str | None = None) -> str:
    """How a refusal names where the model `name` comes from: by its file, or by its `source`.

    Raises:
        ValueError: there is no such model, or its file is broken; says what to do.
    """
    return source or f"{module_of(name).replace('.', '/')}.py"


def _lookup(name: str) -> tuple[str, Any]:
    if reason := why_unknown(name):
        raise ValueError(reason)
    return _found().models[name]


@cache
def _found() -> Found:
    return find(FOLDER)
