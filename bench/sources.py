"""Which source files a system's results depend on, found by following its imports."""

import ast
import hashlib
from functools import cache
from pathlib import Path

from models._flaws import imported

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")  # where a statement has others


def sources(*modules: str) -> list[str]:
    """The files, relative to the repository, that `modules` are made of and import.

    Only imports written at the top of a file or inside its functions count; a module chosen by
    name at run time (a model, a dataset) has to be listed by the caller.

    Raises:
        ModuleNotFoundError: a module of `modules` is not a file of the repository.
        ValueError: a file is no Python; says where.
    """
    return list(_sources(modules))


@cache  # most of the thousands of runs of a matrix have the same
def _sources(modules: tuple[str, ...]) -> tuple[str, ...]:
    found: set[Path] = set()
    pending = []
    for module in modules:
        if not (files := files_of(module)):
            raise ModuleNotFoundError(
                f"{module} is not a module of this repository; add its file or mend its name"
            )
        pending += files
    while pending:
        path = pending.pop()
        if path not in found:
            found.add(path)
            pending += [file for name in _imports(path) for file in files_of(name)]
    return tuple(sorted(str(path.relative_to(ROOT)) for path in found))


def digest(paths: list[str]) -> str:
    """One SHA-256 over the names and contents of files."""
    total = hashlib.sha256()
    for path in paths:
        total.update(path.encode() + b"\0" + (ROOT / path).read_bytes() + b"\0")
    return total.hexdigest()


@cache
def files_of(module: str) -> list[Path]:
    """The module's file, the `__main__.py` of a package, and the packages around it."""
    path = ROOT.joinpath(*module.split("."))
    own = [path.with_suffix(".py"), path / "__init__.py", path / "__main__.py"]
    if not any(file.exists() for file in own):
        return []
    around = [parent / "__init__.py" for parent in path.parents if ROOT in parent.parents]
    return [file for file in own + around if file.exists()]


@cache
def _imports(path: Path) -> list[str]:
    names: list[str] = []
    name = str(path.relative_to(ROOT))
    pending: list[ast.AST] = [imported(name, lambda: ast.parse(path.read_bytes(), path))]
    while pending:  # statements alone: of a file's nodes nine in ten are expressions
        node = pending.pop()
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for block in BLOCKS:
            pending += getattr(node, block, ())
    return names
