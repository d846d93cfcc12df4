"""What spans the shards of a dataset of images, joined from what each of them says."""

from pathlib import Path
from typing import Any

import numpy as np

from data_prep.atomic_files import write_array, write_pieces, write_text
from data_prep.manifest import SPLITS, RecordsError, array_files
from data_prep.problem_report import REPORT
from data_prep.samples import NOTED, Listing, Problem
from data_prep.shard_task import ShardTask
from data_prep.shards import index_file, names_file, shard_file

# A shard and what is known of it.
Made = tuple[ShardTask, dict[str, Any]]


def finished(tasks: list[ShardTask]) -> list[Made]:
    """All shards with what is known of them.

    Raises:
        RecordsError: one isn't there.
    """
    made = []
    for task in tasks:
        if (facts := task.result()) is None:
            raise RecordsError(f"{task.file('.json')}: gone while it was needed; run this again")
        made.append((task, facts))
    return made


def problems(made: list[Made], listing: Listing) -> list[Problem]:
    """All problems: of the source, of its images, and classes that lost all of theirs."""
    found = [*listing.problems, *(Problem(*row) for _, facts in made for row in facts["problems"])]
    for split in SPLITS:
        there = {sample.label for sample in listing.samples[split]}
        left = {label for task, facts in made if task.split == split for label in facts["labels"]}
        lost = f"all {split} images of this class are left out"
        found += [Problem(listing.class_names[n], lost, NOTED) for n in sorted(there - left)]
    return found


def join(made: list[Made], folder: Path, listing: Listing) -> dict[str, Any]:
    """Write the files that span shards into `folder`; `counts`, `files`, `mean` and `std`.

    Raises:
        RecordsError: there is no usable image in a split.
    """
    counts, files = {}, {}
    for split in SPLITS:
        parts = [(task, facts) for task, facts in made if task.split == split]
        counts[split] = sum(len(facts["labels"]) for _, facts in parts)
        if not counts[split]:
            raise RecordsError(
                f"{listing.where}: none of {len(listing.samples[split]):,} {split} images can be "
                f"used; {folder / REPORT} says why of each"
            )
        write = _join_arrays if parts[0][0].side else _join_index
        files |= write(split, parts, folder)
        names = "".join(f"{name}\n" for _, facts in parts for name in facts["names"])
        files[names_file(split)] = write_text(folder / names_file(split), names)
    return {"counts": counts, "files": files, **_statistics(made, counts["train"], listing.where)}


def _join_arrays(split: str, parts: list[Made], folder: Path) -> dict[str, Any]:
    images, labels = array_files(split)
    all_labels = np.concatenate([np.array(facts["labels"], np.int64) for _, facts in parts])
    side = parts[0][0].side
    pieces = (np.load(task.file(".npy"), mmap_mode="r") for task, _ in parts)
    return {
        images: write_pieces(folder / images, (len(all_labels), side, side, 3), pieces),
        labels: write_array(folder / labels, all_labels),
    }


def _join_index(split: str, parts: list[Made], folder: Path) -> dict[str, Any]:
    index = np.concatenate([np.load(task.file(".npy")) for task, _ in parts])
    files = {
        shard_file(split, task.number): facts["files"][".tar"]
        | {"source_sha256": facts["source_sha256"]}
        for task, facts in parts
    }
    return files | {index_file(split): write_array(folder / index_file(split), index)}


def _statistics(made: list[Made], count: int, where: str) -> dict[str, list[float]]:
    """Mean and deviation per channel of the training images, each of which counts the same."""
    train = [facts for task, facts in made if task.split == "train"]
    mean = np.sum([facts["means"] for facts in train], 0) / count
    square = np.sum([facts["squares"] for facts in train], 0) / count
    std = np.sqrt(np.maximum(square - mean**2, 0))
    if std.min() < 1e-6:
        raise RecordsError(f"{where}: a channel is the same everywhere; these are no photographs")
    return {"mean": mean.tolist(), "std": std.tolist()}
