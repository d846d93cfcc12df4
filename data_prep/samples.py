"""What a source of encoded images holds: where the bytes of each image lie, and its label.

Whatever the source is (files, a tar, a tar of tars, TFRecords), an image is a stretch of a file, so
that any process can read any of them without the others.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

# What became of a file, in `preparation.csv`.
LEFT_OUT, CONVERTED, KEPT, NOTED = "left out", "converted", "kept", "noted"


class Sample(NamedTuple):
    """An image: `length` bytes from `offset` of the file `path`, and its label."""

    name: str
    path: str
    offset: int
    length: int
    label: int


class Problem(NamedTuple):
    """A row of `preparation.csv`; the action is one of those above, with its detail."""

    file: str
    problem: str
    action: str


@dataclass
class Listing:
    """All of a source: `samples` by split ("train", "test"), always in the same order.

    Attributes:
        where: the source, for errors.
        origin: checksum by name of the source files that have a published one.
        problems: what was wrong with the source itself, and files that are no images.
        walked: folders of which every file counts, so that nothing may be written there.
        remedy: what to do where there are no test images.
    """

    where: str
    class_names: tuple[str, ...]
    samples: dict[str, list[Sample]]
    origin: dict[str, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    walked: tuple[Path, ...] = ()
    remedy: str = "give a source that has them"

    def drop_duplicates(self) -> None:
        """Leave out samples whose name came before in their split, and say so."""
        for split, samples in self.samples.items():
            seen: set[str] = set()
            kept = []
            for sample in samples:
                if sample.name in seen:
                    self.problems.append(Problem(sample.name, "duplicate name", LEFT_OUT))
                else:
                    kept.append(sample)
                seen.add(sample.name)
            self.samples[split] = kept

    def note_missing_classes(self) -> None:
        """Say which classes have no image in a split."""
        for split, samples in self.samples.items():
            there = {sample.label for sample in samples}
            self.problems += [
                Problem(name, f"no {split} images of this class", NOTED)
                for label, name in enumerate(self.class_names)
                if label not in there
            ]

    def note_counts(self, expected: dict[str, int], classes: int) -> None:
        """Say where the source has other numbers than the published set."""
        found = {split: len(samples) for split, samples in self.samples.items()}
        for what, is_, should in [
            *((f"{split} images", found[split], expected[split]) for split in found),
            ("classes", len(self.class_names), classes),
        ]:
            if is_ != should:
                self.problems.append(
                    Problem("", f"{is_} {what} where {should} are published", NOTED)
                )

    def digest(self) -> str:
        """A checksum of the names, labels, places, sizes and times of change of all samples."""
        return f"sha256:{_digest(self.samples.items())}"


def _digest(splits: Iterable[tuple[str, list[Sample]]]) -> str:
    total, changed = hashlib.sha256(), {}
    for split, samples in splits:
        total.update(f"{split}\n".encode())
        for name, path, offset, length, label in samples:
            if path not in changed:
                changed[path] = Path(path).stat().st_mtime_ns
            line = f"{name}\t{Path(path).name}\t{offset}\t{length}\t{label}\t{changed[path]}\n"
            total.update(line.encode("utf-8", "surrogateescape"))
    return total.hexdigest()
