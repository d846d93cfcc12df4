"""What is wrong with a file of someone's, in one line, and where to mend it."""

import traceback
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

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


def told(error: BaseException, source: str) -> str:
    """What an exception says, in one line, and where to mend the file that `source` names.

    That is the last line under way in it, or in a file of the user's beside it. A syntax error says
    it itself.
    """
    said = " ".join(f"{type(error).__name__}: {error}".split())
    name = source.partition(":")[0]
    ending = Path(name if name.endswith(".py") else f"{name.replace('.', '/')}.py").parts
    frames = traceback.walk_tb(error.__traceback__)
    lines = [(Path(frame.f_code.co_filename), line) for frame, line in frames]
    theirs = (path for path, _ in reversed(lines) if path.parts[-len(ending) :] == ending)
    own = next(theirs, None)
    if own is None or isinstance(error, SyntaxError):
        return f"{said}; mend it"
    beside = [at for at in lines if at[0].parent == own.parent]
    # In models/ the suite's own files stand beside, with names that begin with "_".
    path, line = next(at for at in reversed(beside) if at[0] == own or at[0].name[0] != "_")
    return f"{said}; mend line {line}{'' if path == own else f' of {path.name}'}"
