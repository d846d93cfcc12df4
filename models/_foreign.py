"""Models from outside this repository: a factory in a file or in an installed module.

A config may come from someone else. So what it names is imported only where it may be a model, and
called only where it takes what a model takes: nothing of Python itself, no path out of the working
folder that isn't given in full, no function of other parameters.
"""

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from models._by_hand import refuse_no_model
from models._flaws import imported


def foreign(source: str) -> Any:
    """What `source` names, with the functions that a file in `models/` defines.

    `path/to/file.py` (from the working folder on) or `package.module` has
    `torch_model(shape, classes)`, and `keras_model` if there is one; with `:factory` behind it,
    that function is the torch model, and the only one.

    Raises:
        ValueError: there is no such file, module or function, it can't be imported, or may not be
            a model.
    """
    module_name, _, factory = source.partition(":")
    path = file_of(module_name)
    module = imported(module_name, lambda: _module(module_name, path))
    refuse_no_model(module, module_name, factory or "torch_model")
    return SimpleNamespace(torch_model=getattr(module, factory)) if factory else module


def file_of(source: str) -> Path:
    """The file that `source` names.

    Raises:
        ValueError: there is none, or it may not be a model's.
    """
    name = source.partition(":")[0]
    if name.endswith(".py") and ".." in Path(name).parts and not Path(name).is_absolute():
        raise ValueError(f"{name}: it leaves the working folder; name the file by its full path")
    if name.partition(".")[0] in sys.stdlib_module_names:
        raise ValueError(f"{name}: a module of Python itself is no model; name a .py file of yours")
    path = Path(name) if name.endswith(".py") else _installed(name)
    if path is None:
        raise ValueError(
            f"{name}: no module that can be had by its file; install it, or name a .py file"
        )
    if not path.is_file():
        raise ValueError(f"{path.resolve()}: no such file; mend the path")
    return path.resolve()


def _module(name: str, path: Path) -> ModuleType:
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


def _installed(name: str) -> Path | None:
    if not all(part.isidentifier() for part in name.split(".")):
        return None
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    return Path(found.origin) if found and found.origin and found.has_location else None
