"""What the files in `models/` define, and why a name of theirs is no model.

A file that can't be used refuses its own names alone: experiments that use others go on.
"""

import importlib
import sys
from collections import defaultdict
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from models._by_hand import refuse_no_model
from models._flaws import imported


@dataclass(frozen=True)
class Found:
    """`models` has module and model by name, `refused` why another name is none.

    `broken` are sentences on files that can't be imported: what they define isn't known.
    """

    models: dict[str, tuple[str, Any]]
    refused: dict[str, str]
    broken: list[str]


def find(folder: Path) -> Found:
    """What the files in `folder`, that of the package `models`, define."""
    defined: dict[str, list[tuple[str, Any]]] = defaultdict(list)
    refused: dict[str, str] = {}
    broken: list[str] = []
    for path in sorted(folder.glob("[!_]*.py")):
        module, file = f"models.{path.stem}", f"models/{path.name}"
        try:
            networks = imported(file, partial(_listed, module))
        except ValueError as error:
            refused[path.stem] = str(error)
            broken.append(str(error))
            continue
        for name, network in networks:
            defined[name].append((module, network))
        if not networks:
            try:
                refuse_no_model(sys.modules[module], file)
                defined[path.stem].append((module, sys.modules[module]))
            except ValueError as error:
                refused[path.stem] = str(error)
    for name, found in defined.items():
        if len(found) > 1:
            files = " and ".join(f"{module.replace('.', '/')}.py" for module, _ in found)
            refused[name] = f"{files} both define {name}; rename one"
    only = {name: found[0] for name, found in defined.items() if len(found) == 1}
    return Found(only, refused, broken)


def _listed(module: str) -> list[tuple[str, Any]]:
    """The networks that a module describes, by their names; one written by hand has none."""
    listed = getattr(importlib.import_module(module), "NETWORKS", [])
    return [(network.name, network) for network in listed]
