"""Images in folders by class, `<class>/**/<file>`, as torchvision's ImageFolder has them."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from data_prep.samples import LEFT_OUT, Problem, Sample


def class_names(root: Path) -> tuple[str, ...]:
    """The names of the folders in `root`, in the order of their labels; hidden ones are none."""
    names = (path.name for path in root.iterdir() if path.is_dir())
    return tuple(sorted(name for name in names if not is_hidden(name)))


def is_hidden(name: str) -> bool:
    """Whether a folder is what a program left behind, such as `.ipynb_checkpoints`."""
    return name.startswith(".") or name == "__MACOSX"


def list_folder(
    root: Path, classes: Sequence[str], prefix: str = ""
) -> tuple[list[Sample], list[Problem]]:
    """Every file of a folder of classes, in the order of class and name; `prefix` precedes names.

    What belongs to no class comes back as a problem, left out.
    """
    labels = {name: label for label, name in enumerate(classes)}
    around = frozenset(map(_identity, root.resolve().parents))
    samples: list[Sample] = []
    problems: list[Problem] = []
    for name, path, trouble in _walk(root, "", around):
        label = labels.get(name.partition("/")[0])
        if not trouble and "/" not in name:
            trouble = "not in the folder of a class"
        if not trouble and label is None:
            trouble = "of a class that isn't in train"
        if trouble or label is None:
            problems.append(Problem(prefix + name, trouble, LEFT_OUT))
            continue
        found = sample_of(prefix + name, path, label)
        if isinstance(found, Sample):
            samples.append(found)
        else:
            problems.append(found)
    return samples, problems


def sample_of(name: str, path: Path, label: int) -> Sample | Problem:
    """A whole file as a sample, unless it is none: to open a pipe would be to wait for ever."""
    try:
        found = path.stat()
    except OSError as error:
        return Problem(name, f"can't be read ({error.strerror})", LEFT_OUT)
    if not stat.S_ISREG(found.st_mode):
        return Problem(name, "no plain file", LEFT_OUT)
    return Sample(name, str(path), 0, found.st_size, label)


def _walk(
    folder: Path, name: str, around: frozenset[tuple[int, int]]
) -> Iterator[tuple[str, Path, str]]:
    """Name and path of each file below, and of each folder not entered, with the reason.

    Links are followed, but to no folder `around` this one.
    """
    try:
        here, entries = _identity(folder), sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        yield name, folder, f"can't be read ({error.strerror})"
        return
    if here in around:
        yield name, folder, "a link to a folder around it"
        return
    inner = []
    for entry in entries:
        below, path = f"{name}/{entry.name}".lstrip("/"), Path(entry.path)
        if not path.is_dir():
            yield below, path, ""
        elif is_hidden(entry.name):
            yield below, path, "a hidden folder"
        else:
            inner.append((path, below))
    for path, below in inner:
        yield from _walk(path, below, around | {here})


def _identity(folder: Path) -> tuple[int, int]:
    found = folder.stat()
    return found.st_dev, found.st_ino
