"""The torch module of a model, or one sentence on why a definition does not make one."""

from typing import Any


def build(model: Any, source: str, shape: tuple[int, int, int], classes: int) -> Any:
    """The torch module of `model`, which came from `source`.

    Raises:
        ValueError: its definition fails, or returns something else.
    """
    from torch import nn

    try:
        module = model.torch_model(shape, classes)
    except Exception as error:  # whatever someone else's file raises
        raise _failure(source, shape, classes, error) from error
    if not isinstance(module, nn.Module):
        made = type(module).__name__
        raise ValueError(f"{source}: the torch model is a {made}; return a torch.nn.Module")
    return module


def refuse_unfit(model: Any, source: str, shape: tuple[int, int, int], classes: int) -> None:
    """See that the torch module takes images of `shape` (H, W, C) and has a value per class.

    Raises:
        ValueError: it can't be built or run, or gives something else.
    """
    import torch

    module, (height, width, channels) = build(model, source, shape, classes), shape
    try:
        with torch.inference_mode():
            logits = module.eval()(torch.zeros(2, channels, height, width))
    except Exception as error:  # as above
        raise _failure(source, shape, classes, error) from error
    made = list(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
    if made != [2, classes]:
        raise ValueError(
            f"{source}: the torch model makes {made} of 2 images; make [2, {classes}], the logits "
            "of each class"
        )


def _failure(source: str, shape: tuple[int, ...], classes: int, error: Exception) -> ValueError:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return ValueError(
        f"{source}: the torch model for shape {shape} and {classes} classes fails, {said}; mend it"
    )
