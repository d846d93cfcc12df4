"""Images in folders by class, `<class>/**/<file>`, as torchvision's ImageFolder has them."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from data_prep.samples import LEFT_OUT, Problem, Sample


def class_names(root: Path) -> tuple[str, ...]:
    """The names of the folders in `root`, in the order of their labels."""
    return tuple(sorted(path.name for path in root.iterdir() if path.is_dir()))


def list_folder(
    root: Path, classes: Sequence[str], prefix: str = ""
) -> tuple[list[Sample], list[Problem]]:
    """Every file of a folder of classes, in the order of class and name; `prefix` precedes names.

    What belongs to no class comes back as a problem, left out.
    """
    labels = {name: label for label, name in enumerate(classes)}
    samples, problems = [], []
    for entry in sorted(os.scandir(root), key=lambda entry: entry.name):
        name = prefix + entry.name
        if not entry.is_dir():
            problems.append(Problem(name, "not in the folder of a class", LEFT_OUT))
            continue
        for path in _files(Path(entry.path)):
            name = prefix + path.relative_to(root).as_posix()
            if entry.name not in labels:
                problems.append(Problem(name, "of a class that isn't in train", LEFT_OUT))
                continue
            try:
                size = path.stat().st_size
            except OSError as error:
                problems.append(Problem(name, f"can't be read ({error.strerror})", LEFT_OUT))
                continue
            samples.append(Sample(name, str(path), 0, size, labels[entry.name]))
    return samples, problems


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder, followlinks=True):
        folders.sort()
        yield from (Path(here) / name for name in sorted(files))
