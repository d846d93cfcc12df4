"""The torch module of a model, or one sentence on why a definition does not make one."""

from typing import Any

TRIES = 8  # of a network that draws random numbers


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


def refuse_unfit(
    model: Any, source: str, shape: tuple[int, int, int], classes: int, together: bool
) -> None:
    """See that the torch module can be trained on images of `shape` (H, W, C), and tested.

    `together`: also by several devices, of which each waits for all gradients of the others.

    Raises:
        ValueError: it can't be built or run, has not a value per class, or not a gradient for each
            parameter that requires one.
    """
    import torch

    module, (height, width, channels) = build(model, source, shape, classes), shape
    images = torch.zeros(2, channels, height, width)
    try:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(1)  # the same answer whenever the plan is made
            flaw = _flaw(module, images, classes) or _untrained(module, images, together)
    except Exception as error:  # as above
        raise _failure(source, shape, classes, error) from error
    if flaw:
        raise ValueError(f"{source}: the torch model {flaw}")


def _flaw(module: Any, images: Any, classes: int) -> str | None:
    """Why what a module makes of `images` [2, C, H, W] are no logits, if they are none."""
    import torch

    for mode in ("training", "evaluation"):
        with torch.inference_mode():
            logits = module.train(mode == "training")(images)
        made = list(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
        if made != [2, classes]:
            return (
                f"in {mode} mode makes {made} of 2 images; make [2, {classes}], the logits of each "
                "class"
            )
    return None


def _untrained(module: Any, images: Any, together: bool) -> str | None:
    """Which parameters require a gradient and get none from `images` [2, C, H, W], if any.

    A network that draws random numbers may leave out layers, so it is tried more than once.
    """
    import torch

    if not any(parameter.requires_grad for parameter in module.parameters()):
        return "has no parameter that requires a gradient; leave one that is not frozen"
    before = torch.get_rng_state()
    missing = [_without_gradient(module.train(), images)]
    if not torch.equal(before, torch.get_rng_state()):
        missing += [_without_gradient(module, images) for _ in range(TRIES - 1)]
    if never := [name for name in missing[0] if all(name in names for names in missing)]:
        return (
            f"gives no gradient to {_named(never)}, though required; use it in forward, freeze it "
            "by requires_grad_(False), or remove it"
        )
    sometimes = list(dict.fromkeys(name for names in missing for name in names))
    if together and sometimes:
        return (
            f"leaves out {_named(sometimes)} by chance, and several devices wait for every "
            "gradient; train it on one"
        )
    return None


def _without_gradient(module: Any, images: Any) -> list[str]:
    """The parameters that require a gradient and get none from one step."""
    import torch
    from torch.nn.functional import cross_entropy

    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    logits = module(images)
    if not logits.requires_grad:
        return list(parameters)
    loss = cross_entropy(logits, torch.zeros(2, dtype=torch.int64))
    gradients = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
    return [name for name, of in zip(parameters, gradients, strict=True) if of is None]


def _named(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")


def _failure(source: str, shape: tuple[int, ...], classes: int, error: Exception) -> ValueError:
    said = " ".join(f"{type(error).__name__}: {error}".split())
    return ValueError(
        f"{source}: the torch model for shape {shape} and {classes} classes fails, {said}; mend it"
    )
