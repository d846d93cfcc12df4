"""Weights as arrays with torch's names and layout: drawn by torch, loaded and saved by both."""

import os
import zipfile
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

import models
from models import _twin
from models._first_weights import first_weights

# Keras keeps convolutions as HWIO and dense layers as [in, out]; torch as OIHW and [out, in].
TORCH_TO_KERAS = {4: (2, 3, 1, 0), 2: (1, 0)}
KERAS_TO_TORCH = {4: (3, 2, 0, 1), 2: (1, 0)}
FAILURE = "failure"  # text in place of weights: why a seed has none
COUNTER = "num_batches_tracked"  # of torch's batch norm alone, which does not use it here


def export(
    model: str,
    shape: tuple[int, int, int],
    classes: int,
    seed: int,
    path: Path,
    source: str | None = None,
) -> None:
    """Write the weights that the model's torch definition draws from `seed` to `path`.

    Beside them, in `logits_beside(path)`, are logits by which its Keras model, if it has one, is
    known as the same. A draw of nan or inf is written too, and a definition that makes no module as
    why: the runs of this seed alone fail of it.

    Raises:
        ValueError: there is no such model.
    """
    import torch

    definition, origin = models.load(model, source), models.origin(model, source)
    torch.manual_seed(seed)
    try:
        arrays, of_twin = first_weights(definition, origin, shape, classes)
    except ValueError as error:
        print(f"{error}; runs with seed {seed} fail of it")
        arrays, of_twin = {FAILURE: np.array(str(error))}, {}
    save(of_twin, logits_beside(path))
    save(arrays, path)


def logits_beside(path: Path) -> Path:
    """The file of logits that belong to the weights in `path`; see `models._twin`."""
    return path.with_name(f"logits-{path.name}")


def save(arrays: dict[str, Any], path: Path) -> None:
    """Write arrays by their torch names; the file is there when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.npz")
    np.savez(draft, **arrays)
    draft.replace(path)


def read(path: Path) -> dict[str, np.ndarray]:
    """The arrays in `path`, by their torch names, in torch's order.

    Raises:
        ValueError: it is no archive of plain arrays; pickled objects, which could run code, aren't.
            Or it says why there are none.
    """
    try:
        zipfile.ZipFile(path).close()  # np.load would take a single array, too
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path}: not weights that this suite wrote ({error}); remove it, and it is made again"
        ) from None
    if (reason := arrays.get(FAILURE)) is not None and reason.dtype.kind == "U":
        raise ValueError(f"{reason}, or remove {path}, and it is drawn again")
    return arrays


def load_torch(module: Any, path: Path) -> None:
    """Give a torch module the weights in `path`."""
    import torch

    module.load_state_dict({name: torch.from_numpy(a) for name, a in read(path).items()})


def load_keras(model: Any, path: Path) -> None:
    """Give a Keras model, whose layers have the torch module's order, the weights in `path`.

    Raises:
        ValueError: the layers do not match in number or shape; says which is the first.
    """
    _give_keras(model, read(path), str(path))


def refuse_no_twin(model: Any, origin: str, shape: tuple[int, int, int], path: Path) -> None:
    """See that a Keras model from `origin` computes what the torch model does; its weights change.

    Where there are no logits beside the weights in `path`, as of older ones, or no finite ones, as
    of a very deep network before batch norm has statistics, it says so and goes on.

    Raises:
        ValueError: it has other layers, or is another function; says what to do.
    """
    beside = logits_beside(path)
    known = read(beside) if beside.exists() else {}
    if "moved" not in known or not np.isfinite(known["logits"]).all():
        flaw = "not finite" if "moved" in known else "missing"
        print(f"{beside}: logits to compare keras_model's with are {flaw}; it is taken as it is")
        return
    images, found = _twin.images(shape), []
    for arrays in _twin.compared(read(path), known["moved"]):
        _give_keras(model, arrays, origin)
        found.append(np.asarray(model(images, training=False)))
    _twin.refuse_apart(origin, found, known["logits"])


def _give_keras(model: Any, given: dict[str, np.ndarray], where: str) -> None:
    drawn = {name: a for name, a in given.items() if not name.endswith(COUNTER)}
    arrays = {name: _transposed(a, TORCH_TO_KERAS) for name, a in drawn.items()}
    for variable, name in zip_longest(model.weights, arrays):
        ours = f"{name} {arrays[name].shape}" if name else "no more"
        theirs = f"{variable.path} {tuple(variable.shape)}" if variable is not None else "no more"
        if variable is None or name is None or tuple(variable.shape) != arrays[name].shape:
            raise ValueError(
                f"{where}: the Keras model has {theirs} where the torch model has {ours}, as Keras "
                "lays it out; define both with the same layers in the same order"
            )
    model.set_weights(list(arrays.values()))


def keras_arrays(model: Any, like: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """A Keras model's weights by torch's names, in its layout: what `save` and `load_torch` take.

    Names, and what Keras has none of, are those of `like`, the arrays of the same network.
    """
    names = [name for name in like if not name.endswith(COUNTER)]
    weights = [_transposed(a, KERAS_TO_TORCH) for a in model.get_weights()]
    found = dict(zip(names, weights, strict=True))
    return {name: found.get(name, array) for name, array in like.items()}


def _transposed(array: np.ndarray, axes: dict[int, tuple[int, ...]]) -> np.ndarray:
    return array.transpose(axes.get(array.ndim, range(array.ndim)))
