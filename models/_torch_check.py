"""The torch module of a model, or one sentence on why a definition does not make one."""

from collections.abc import Set
from typing import Any

from models import _twin
from models._flaws import told

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
        raise failure(source, shape, classes, error) from error
    if not isinstance(module, nn.Module):
        made = type(module).__name__
        raise ValueError(f"{source}: the torch model is of type {made}; return a torch.nn.Module")
    if any(isinstance(p, nn.UninitializedParameter) for p in module.parameters()):
        raise ValueError(f"{source}: the torch model has lazy layers; give them their sizes")
    return module


def refuse_unfit(
    model: Any, source: str, shape: tuple[int, int, int], classes: int, together: Set[str]
) -> None:
    """See that the torch module can be trained on images of `shape` (H, W, C), and tested.

    A described network's layers say it by their shapes, without torch. `together`: the systems that
    train it on several devices, of which each waits for all gradients of the others.

    Raises:
        ValueError: it can't be built or run, has not a number per class, or not a gradient for each
            parameter that requires one, or has a parameter that one of those systems can't take.
    """
    if hasattr(model, "layers"):
        try:
            flaw = _ill_described(model.out(shape, classes), classes)
        except Exception as error:  # as above
            raise failure(source, shape, classes, error) from error
    else:
        flaw = _unfit(model, source, shape, classes, together)
    if flaw:
        raise ValueError(f"{source}: the torch model {flaw}")


def _ill_described(made: tuple[int, ...], classes: int) -> str | None:
    if made == (classes,):
        return None
    return f"makes {list(made)} of an image; make [{classes}], the logits of each class"


def _unfit(
    model: Any, source: str, shape: tuple[int, int, int], classes: int, together: Set[str]
) -> str | None:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)  # the same answer whenever the plan is made
        module, images = build(model, source, shape, classes), torch_images(shape)
        try:
            return _scalar(module, together) or _flaw(module, images, classes, bool(together))
        except Exception as error:  # as above
            raise failure(source, shape, classes, error) from error


def _scalar(module: Any, together: Set[str]) -> str | None:
    """Which parameter has no dimensions, and which system can't take it, if there are such."""
    for name, parameter in module.named_parameters():
        refusing = {"fsdp", "powersgd"} if parameter.requires_grad else {"fsdp"}
        if not parameter.ndim and (systems := sorted(refusing & together)):
            return (
                f"has a parameter without dimensions, {name}, which {systems[0]} can't take on "
                "several devices; make its shape [1]"
            )
    return None


def _flaw(module: Any, images: Any, classes: int, together: bool) -> str | None:
    """Why a module can't be trained on and tested by `images` [2, C, H, W], if it can't."""
    import torch

    before = torch.get_rng_state()
    logits = module.train()(images.clone())  # as a network may change its input
    draws = not torch.equal(before, torch.get_rng_state())
    flaw = _no_logits(logits, classes, "training") or _no_numbers(logits)
    flaw = flaw or _untrained(module, images, logits, draws, together)
    if flaw:
        return flaw
    with torch.inference_mode():
        return _no_logits(module.eval()(images.clone()), classes, "evaluation")


def torch_images(shape: tuple[int, int, int]) -> Any:
    """`_twin.images` as a tensor [2, C, H, W], which a network may change."""
    import torch

    return torch.from_numpy(_twin.images(shape).transpose(0, 3, 1, 2).copy())


def _no_numbers(logits: Any) -> str | None:
    """That logits made in training mode aren't finite, if they aren't.

    In evaluation those of an honest deep network may not be: batch norm has no statistics yet.
    """
    if bool(logits.isfinite().all()):
        return None
    return (
        "makes logits of nan or inf of two random images at its initial weights; draw finite and "
        "smaller ones"
    )


def _no_logits(logits: Any, classes: int, mode: str) -> str | None:
    """Why what a module made of two images are no logits [2, classes], if they are none."""
    import torch

    made = list(logits.shape) if isinstance(logits, torch.Tensor) else type(logits).__name__
    if made == [2, classes]:
        return None
    return f"in {mode} mode makes {made} of 2 images; make [2, {classes}], the logits of each class"


def _untrained(module: Any, images: Any, logits: Any, draws: bool, together: bool) -> str | None:
    """Which parameters require a gradient and get none from `images` [2, C, H, W], if any.

    `logits` are a first pass's. A network that `draws` random numbers may leave out layers, so it
    is tried more than once.
    """
    parameters = {name: p for name, p in module.named_parameters() if p.requires_grad}
    if not parameters:
        return "has no parameter that requires a gradient; leave one that is not frozen"
    missing = [_without_gradient(parameters, logits)]
    if draws:
        missing += [_without_gradient(parameters, module(images.clone())) for _ in range(TRIES - 1)]
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


def _without_gradient(parameters: dict[str, Any], logits: Any) -> list[str]:
    """The parameters that get no gradient from `logits` [2, classes]."""
    import torch
    from torch.nn.functional import cross_entropy

    if not logits.requires_grad:
        return list(parameters)
    loss = cross_entropy(logits, torch.zeros(2, dtype=torch.int64))
    gradients = torch.autograd.grad(loss, list(parameters.values()), allow_unused=True)
    return [name for name, of in zip(parameters, gradients, strict=True) if of is None]


def _named(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if names[3:] else "")


def failure(source: str, shape: tuple[int, ...], classes: int, error: Exception) -> ValueError:
    """The sentence on a torch model from `source` that raised `error`."""
    said = told(error, source)
    return ValueError(
        f"{source}: the torch model for shape {shape} and {classes} classes fails, {said}"
    )
