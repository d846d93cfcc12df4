"""What a model's torch definition draws, and what its Keras definition is compared with."""

from typing import Any

import numpy as np

from models import _twin
from models._torch_check import build, failure, torch_images

STATISTICS = ("running_mean", "running_var")  # of batch norm; other buffers are the model's own


def first_weights(
    model: Any, origin: str, shape: tuple[int, int, int], classes: int
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Weights by name that `model`, which came from `origin`, draws, and what a twin is known by.

    That is nothing for a model that has no `keras_model` or fails, and else `logits` [2, 2,
    classes]: of `_twin.images`, in evaluation, with each of the weights that `_twin.compared`
    yields as it moves those named in `moved`. They may be nan or inf: one seed's draw is no reason
    to stop the others.

    Raises:
        ValueError: its definition makes no torch module.
    """
    module = build(model, origin, shape, classes)
    arrays = {name: tensor.numpy().copy() for name, tensor in module.state_dict().items()}
    if not hasattr(model, "keras_model"):
        return arrays, {}
    moved = [name for name, parameter in module.named_parameters() if parameter.requires_grad]
    moved += [name for name in arrays if name.endswith(STATISTICS)]
    try:
        logits = [_logits(module, each, shape) for each in _twin.compared(arrays, moved)]
    except Exception as error:  # whatever someone else's file raises, its runs may raise too
        print(f"{failure(origin, shape, classes, error)}, or keras_model is compared with nothing")
        return arrays, {}
    return arrays, {"logits": np.stack(logits), "moved": np.array(moved)}


def _logits(module: Any, arrays: dict[str, np.ndarray], shape: tuple[int, int, int]) -> np.ndarray:
    import torch

    module.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    with torch.inference_mode():
        made: np.ndarray = module.eval()(torch_images(shape)).float().numpy()
    return made
