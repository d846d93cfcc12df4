"""What a model written by hand has to be, in `models/` and in a file of the user's alike."""

import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

TAKES = ["shape", "classes"]
Made = TypeVar("Made")


def imported(name: str, load: Callable[[], Made]) -> Made:
    """What `load` makes of the file or module `name`.

    Raises:
        ValueError: it can't be imported; says why, and what to mend.
    """
    try:
        return load()
    except (Exception, SystemExit) as error:  # whatever someone else's file raises
        raise ValueError(f"{name}: can't be imported, {told(error, name)}") from error


def refuse_no_model(module: ModuleType, name: str, wanted: str = "torch_model") -> None:
    """See that `module`, which refusals call `name`, has the function `wanted` of a torch model.

    Raises:
        ValueError: it has none, or that or its `keras_model` takes something else.
    """
    if not callable(getattr(module, wanted, None)):
        raise ValueError(f"{name} has no function {wanted!r}(shape, classes); add it")
    for each in (wanted, "keras_model"):
        _refuse_other_parameters(getattr(module, each, None), f"{name}: {each}")


def told(error: BaseException, source: str) -> str:
    """What an exception says, in one line, and where to mend the file that `source` names.

    That is the last line under way in it, or in a file of the user's beside it. A syntax error says
    it itself.
    """
    said = " ".join(f"{type(error).__name__}: {error}".split())
    name = source.partition(":")[0]
    ending = Path(name if name.endswith(".py") else f"{name.replace('.', '/')}.py").as_posix()
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(Path(frame.f_code.co_filename), line) for frame, line in frames]
    own = next((path for path, _ in lines if path.as_posix().endswith(ending)), None)
    if own is None or isinstance(error, SyntaxError):
        return f"{said}; mend it"
    beside = [at for at in lines if at[0].parent == own.parent and at[0].name[0] != "_"]
    path, line = beside[-1]
    return f"{said}; mend line {line}{'' if path == own else f' of {path.name}'}"


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
