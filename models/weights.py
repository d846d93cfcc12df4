"""Initial weights: drawn once by torch, kept as arrays, loaded by torch and by Keras alike."""

import os
from pathlib import Path
from typing import Any

import numpy as np

import models

# Keras keeps convolutions as HWIO and dense layers as [in, out]; torch as OIHW and [out, in].
TORCH_TO_KERAS = {4: (2, 3, 1, 0), 2: (1, 0)}


def export(
    model: str,
    shape: tuple[int, int, int],
    classes: int,
    seed: int,
    path: Path,
    source: str | None = None,
) -> None:
    """Write the weights that the model's torch definition draws from `seed` to `path`."""
    import torch

    torch.manual_seed(seed)
    state = models.load(model, source).torch_model(shape, classes).state_dict()
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.npz")
    np.savez(draft, **arrays)
    draft.replace(path)


def read(path: Path) -> dict[str, np.ndarray]:
    """The arrays in `path`, by their torch names, in torch's order."""
    with np.load(path, allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def load_torch(module: Any, path: Path) -> None:
    """Give a torch module the weights in `path`."""
    import torch

    module.load_state_dict({name: torch.from_numpy(a) for name, a in read(path).items()})


def load_keras(model: Any, path: Path) -> None:
    """Give a Keras model, whose layers have the torch module's order, the weights in `path`.

    Raises:
        ValueError: the layers do not match in number or shape.
    """
    arrays = [a for name, a in read(path).items() if not name.endswith("num_batches_tracked")]
    model.set_weights([a.transpose(TORCH_TO_KERAS.get(a.ndim, range(a.ndim))) for a in arrays])
