"""torchvision, which pipelines and networks here are compared with."""

import functools
import sys
from types import ModuleType
from typing import Any

import torch

_OPERATORS = ("nms", "qnms")  # all that importing it looks for


@functools.cache
def torchvision() -> ModuleType:
    """The package, also beside a torch that its compiled operators were not built for."""
    try:
        import torchvision
    except RuntimeError:  # operator torchvision::nms does not exist: only its declaration is missed
        for name in _OPERATORS:
            _LIBRARY.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
            del sys.modules[name]  # what of it was imported before it failed
        import torchvision
    return torchvision


def transforms() -> Any:
    """Its transforms."""
    return torchvision().transforms


_LIBRARY = torch.library.Library("torchvision", "FRAGMENT")  # its declarations go with it
