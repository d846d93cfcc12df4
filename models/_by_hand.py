"""What a model written by hand has to be, in `models/` and in a file of the user's alike."""

import inspect
from types import ModuleType
from typing import Any

TAKES = ["shape", "classes"]


def refuse_no_model(module: ModuleType, name: str, wanted: str = "torch_model") -> None:
    """See that `module`, which refusals call `name`, has the function `wanted` of a torch model.

    Raises:
        ValueError: it has none, or that or its `keras_model` takes something else.
    """
    if not callable(getattr(module, wanted, None)):
        raise ValueError(f"{name} has no function {wanted!r}(shape, classes); add it")
    for each in (wanted, "keras_model"):
        _refuse_other_parameters(getattr(module, each, None), f"{name}: {each}")


def _refuse_other_parameters(function: Any, where: str) -> None:
    if function is None:
        return
    try:
        given = list(inspect.signature(function).parameters.values())
    except (ValueError, TypeError):  # of a function in C there may be none to see
        given = []
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [one.name for one in given if one.kind in positional and one.default is one.empty]
    if needed != TAKES:
        raise ValueError(
            f"{where} takes ({', '.join(needed)}) where a model's function takes (shape, classes); "
            "name one of those"
        )
