"""Models from outside this repository: a factory in a file or in an installed module."""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any


def foreign(source: str) -> Any:
    """What `source` names, with the functions that a file in `models/` defines.

    `path/to/file.py` (from the working folder on) or `package.module` has
    `torch_model(shape, classes)`, and `keras_model` if there is one; with `:factory` behind it,
    that function is the torch model, and the only one.

    Raises:
        ValueError: there is no such file, module or function, or it can't be imported.
    """
    module_name, _, factory = source.partition(":")
    module = _module(module_name)
    wanted = factory or "torch_model"
    if not callable(getattr(module, wanted, None)):
        raise ValueError(f"{module_name} has no function {wanted!r}(shape, classes); add it")
    return SimpleNamespace(torch_model=getattr(module, factory)) if factory else module


def file_of(source: str) -> Path:
    """The file that `source` names.

    Raises:
        ValueError: there is none.
    """
    name = source.partition(":")[0]
    path = Path(name) if name.endswith(".py") else _installed(name)
    if path is None:
        raise ValueError(
            f"{name}: no module that can be had by its file; install it, or name a .py file"
        )
    if not path.is_file():
        raise ValueError(f"{path.resolve()}: no such file; mend the path")
    return path.resolve()


def _module(name: str) -> ModuleType:
    path = file_of(name)
    try:
        if not name.endswith(".py"):
            return importlib.import_module(name)
        # It may import its neighbours, as a script may; what is installed comes first.
        if str(path.parent) not in sys.path:
            sys.path.append(str(path.parent))
        unique = f"models._foreign.{path.stem}"
        spec = importlib.util.spec_from_file_location(unique, path)
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules[unique] = module  # what a dataclass or a pickle in the file looks up
        spec.loader.exec_module(module)
        return module
    except Exception as error:  # whatever someone else's file raises
        raise ValueError(f"{name}: can't be imported, {type(error).__name__}: {error}") from error


def _installed(name: str) -> Path | None:
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(found.origin) if found and found.origin and found.has_location else None
