"""Where a system is not what `bench.system.System` says: before it trains, and at each epoch."""

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bench.raised_in import shown
from bench.system import Context, EpochResult, System


def built(build: Callable[[Context], System], context: Context) -> System:
    """The system that `build` makes.

    Raises:
        TypeError: `build` takes something else, or what it makes lacks methods; says where.
    """
    name = getattr(build, "__name__", "the system")
    if not _takes(build, [context]):
        raise TypeError(
            f"{_where(build)}{name} takes no context alone; write def __init__(self, context), "
            "of a Context in bench/system.py"
        )
    system = build(context)
    lacking = []
    for method, wanted in vars(System).items():
        if method.startswith("_"):
            continue
        parameters = list(inspect.signature(wanted).parameters)[1:]
        own = getattr(system, method, None)
        inherited = getattr(own, "__func__", None) is wanted  # of the Protocol, which does nothing
        if inherited or not _takes(own, parameters):
            lacking.append(f"{method}({', '.join(parameters)})")
    if lacking:
        raise TypeError(
            f"{_where(build)}{name} lacks {', '.join(lacking)}; write what System in "
            "bench/system.py says of each method, with these parameters"
        )
    return system


def refuse_epoch(system: System, result: EpochResult, samples: int) -> None:
    """See that `result`, of its `train_epoch` on a plan of so many samples, can be of one epoch.

    Raises:
        ValueError: it is no EpochResult, or its images or losses are not; says where.
    """
    if not isinstance(result, EpochResult):
        fault = f"{type(result).__name__}; return an EpochResult of bench/system.py"
    elif not isinstance(result.images, int | np.integer) or not 1 <= result.images <= samples:
        fault = (
            f"images={result.images!r}, of an epoch that has {samples}; count each image that was "
            f"trained on once, over all devices: a whole number from 1 to {samples}"
        )
    elif not isinstance(result.losses, np.ndarray) or result.losses.ndim != 1:
        fault = "losses that are no NumPy array [iterations]; return one mean loss an iteration"
    elif not len(result.losses):
        fault = "no losses; return one mean loss an iteration"
    else:
        return
    raise ValueError(f"{_where(system.train_epoch)}train_epoch returned {fault}")


def _takes(called: Any, arguments: list[Any]) -> bool:
    try:
        inspect.signature(called).bind(*arguments)
    except TypeError:  # also of what can't be called
        return False
    except ValueError:  # of a function in C there may be no signature
        return True
    return True


def _where(made: Any) -> str:
    """The file and line of a class or function, before what is said of it."""
    made = getattr(made, "func", made)  # of a partial
    try:
        file, (_, line) = Path(inspect.getfile(made)), inspect.getsourcelines(made)
        return f"{shown(file)}, line {line}: "
    except (OSError, TypeError):  # not of a file
        return ""
