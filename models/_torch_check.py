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
    if any(isinstance(p, nn.UninitializedParameter) for p in module.parameters()):
        raise ValueError(f"{source}: the torch model has lazy layers; give them their sizes")
    return module


def refuse_unfit(model: Any, source: str, shape: tuple[int, int, int], classes: int) -> None:
    """See that the torch module can be trained on images of `shape` (H, W, C), and tested.

    Raises:
        ValueError: it can't be built or run, has not a value per class, or not a gradient for each
            parameter that requires one.
    """
    import torch

    module, (height, width, channels) = build(model, source, shape, classes), shape
    try:
        flaw = _flaw(module, torch.zeros(2, channels, height, width), classes)
    except Exception as error:  # as above
        raise _failure(source, shape, classes, error) from error
    if flaw:
        raise ValueError(f"{source}: the torch model {flaw}")


def _flaw(module: Any, images: Any, classes: int) -> str | None:
    """Why a module can't be trained or tested on `images` [2, C, H, W], if it can't."""
    import torch

    for training, mode in ((True, "training"), (False, "evaluation")):
        with torch.inference_mode(not training):
            logits = module.train(training)(images)
        made = list(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        if made != [2, classes]:
            return (
                f"in {mode} mode makes {made} of 2 images; make [2, {classes}], the logits of each "
                "class"
            )
        if training and (flaw := _untrained(module, logits)):
            return flaw
    return None


def _untrained(module: Any, logits: Any) -> str | None:
    """Which parameters require a gradient and get none from `logits` [2, classes], if any."""
    import torch
    from torch.nn.functional import cross_entropy

    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    if not parameters:
        return "has no parameter that requires a gradient; leave one that is not frozen"
    unused = list(parameters)
    if logits.requires_grad:
        loss = cross_entropy(logits, torch.zeros(2, dtype=torch.int64))
        gradients = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
        unused = [name for name, of in zip(parameters, gradients, strict=True) if of is None]
    if not unused:
        return None
    named = ", ".join(unused[:3]) + (f" and {len(unused) - 3} more" if unused[3:] else "")
    return (
        f"gives no gradient to {named}, though required; use it in forward, freeze it by "
        "requires_grad_(False), or remove it"
    )


def _failure(source: str, shape: tuple[int, ...], classes: int, error: Exception) -> ValueError:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return ValueError(
        f"{source}: the torch model for shape {shape} and {classes} classes fails, {said}; mend it"
    )
