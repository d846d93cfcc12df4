"""From a source of encoded images to records: shards of JPEGs, or arrays of one size."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from data_prep.datasets import EncodedDataset
from data_prep.disk_space import check_space
from data_prep.folder_lock import folder_lock
from data_prep.join_shards import finished, join, problems
from data_prep.manifest import FORMAT, SHARDS, SPLITS, RecordsError, read_manifest, to_be_made_again
from data_prep.options import Options, Settings
from data_prep.partial_records import PartialRecords, finish_publishing
from data_prep.problem_report import REPORT, count_actions, refuse_problems, write_report
from data_prep.processes import spread
from data_prep.progress import Progress
from data_prep.records import open_records
from data_prep.samples import CONVERTED, LEFT_OUT, NOTED, Listing
from data_prep.shard_task import ShardTask, drop_damaged, make_shard

PRELOAD = ["data_prep.shard_task", "webdataset"]


def prepare_images(
    name: str,
    dataset: EncodedDataset,
    side: int,
    folder: Path,
    archives: Path | None,
    verify: bool,
    report: Callable[[str], None],
    options: Options,
) -> None:
    """Make records of encoded images; see `data_prep.prepare.prepare`.

    `side` is that of decoded images, 0 for those that stay JPEGs.
    """
    if side and options.side not in (None, side):
        raise RecordsError(f"--side: {name} says its side by its name; leave out --side")
    settings = options.settings(side or dataset.SHAPE[0], _manifest(folder).get("settings", {}))
    source: dict[str, Any] = {"format": FORMAT if side else SHARDS, "dataset": name}
    source["settings"] = asdict(settings)
    report(f"{name}: looking for the images")
    try:
        listing = dataset.list_samples(archives, settings.test_fraction)
    except RecordsError as error:
        if not _is_finished(folder, source, verify, options.strict):
            raise
        report(f"{folder}: already finished, though its source can't be used now ({error})")
        return
    _refuse_inside(folder, listing)
    listing.drop_duplicates()
    source["origin"] = listing.origin | {"images": listing.digest()}
    # Asked before anything is written: finished records may lie where nothing can be.
    if _is_finished(folder, source, verify, options.strict, report):
        report(f"{folder}: already finished")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with folder_lock(folder, report):
        finish_publishing(folder)
        # Asked again: it may have been finished just now, by this or by who held the lock.
        if _is_finished(folder, source, verify, options.strict):
            report(f"{folder}: already finished")
            return
        partial = PartialRecords(folder, source)
        partial.begin()
        _refuse_empty(listing, partial.folder)
        tasks = _tasks(partial.folder, listing, settings, side)
        _make(name, tasks, folder, options, report)
        made = finished(tasks)
        rows = problems(made, listing)
        written = write_report(partial.folder, rows)
        if options.strict:
            refuse_problems(rows, partial.folder)
        joined = join(made, partial.folder, listing)
        joined["files"][REPORT] = written
        actions, names = count_actions(rows), list(listing.class_names)
        about = {"classes": len(names), "class_names": names, "problems": actions}
        shape = [settings.side, settings.side, 3]
        partial.publish(source | about | {"shape": shape} | joined)
    remarks = ", ".join(f"{count} {action}" for action, count in actions.items() if count)
    report(f"{folder}: finished" + (f"; {remarks}, see {folder / REPORT}" if remarks else ""))


def _manifest(folder: Path) -> dict[str, Any]:
    try:
        return read_manifest(folder)
    except RecordsError:
        return {}


def _is_finished(
    folder: Path,
    source: dict[str, Any],
    verify: bool,
    strict: bool,
    report: Callable[[str], None] = lambda line: None,
) -> bool:
    """Whether the folder holds records of this source, by as much of it as is known."""
    manifest = _manifest(folder)
    if any(manifest.get(key) != value for key, value in source.items()):
        return False
    if strict and any(manifest.get("problems", {}).get(a) for a in (LEFT_OUT, CONVERTED, NOTED)):
        return False
    try:
        open_records(folder, verify)
    except RecordsError as error:
        report(to_be_made_again(error))
        return False
    return True


def _refuse_empty(listing: Listing, folder: Path) -> None:
    for split, remedy in (("train", "give a source that has them"), ("test", listing.remedy)):
        if not listing.samples[split]:
            write_report(folder, listing.problems)
            seen = f"; {folder / REPORT} lists what is there instead" if listing.problems else ""
            raise RecordsError(f"{listing.where}: no {split} images; {remedy}{seen}")


def _refuse_inside(folder: Path, listing: Listing) -> None:
    for walked in listing.walked:
        if folder.resolve().is_relative_to(walked.resolve()):
            raise RecordsError(
                f"{folder}: lies in {walked}, every file of which is taken for an image; choose a "
                "folder outside"
            )


def _tasks(folder: Path, listing: Listing, settings: Settings, side: int) -> list[ShardTask]:
    """The shards: cut by the source alone, so that they are the same by any number of workers."""
    tasks = []
    for split in SPLITS:
        samples = listing.samples[split]
        total = sum(sample.length for sample in samples)
        # Small sets are cut smaller, so that there is work for many; arrays lie in memory at once.
        limit = min(settings.shard_mb * 1e6, max(4e6, total / 32)) / (4 if side else 1)
        first, size = 0, 0
        for place, sample in enumerate(samples):
            size += sample.length
            if size >= limit or place == len(samples) - 1:
                chosen = samples[first : place + 1]
                number = sum(task.split == split for task in tasks)
                tasks.append(
                    ShardTask(folder, split, number, first, chosen, settings.quality, side)
                )
                first, size = place + 1, 0
    return tasks


def _make(
    name: str, tasks: list[ShardTask], folder: Path, options: Options, report: Callable[[str], None]
) -> None:
    _drop_damaged(name, tasks, options, report)
    due = [task for task in tasks if task.result() is None]
    count = sum(len(task.samples) for task in tasks)
    left = sum(len(task.samples) for task in due)
    if len(due) < len(tasks):
        report(f"{name}: {len(tasks) - len(due)} of {len(tasks)} shards were finished before")
    check_space(folder, sum(map(_bytes, due)) + sum(_bytes(task) for task in tasks if task.side))
    report(f"{name}: {left:,} images in {len(due)} shards, {options.processes()} processes")
    done = count - left
    progress = Progress(name, count, done)
    steps = spread(
        make_shard,
        due,
        options.processes(),
        progress=lambda n: progress.update(done + n),
        preload=PRELOAD,
    )
    for _ in steps:
        pass
    progress.close()


def _drop_damaged(
    name: str, tasks: list[ShardTask], options: Options, report: Callable[[str], None]
) -> None:
    """Finished shards are taken over for their bytes, not for their size."""
    found = [task for task in tasks if task.result()]
    if found:
        report(f"{name}: checking {len(found)} shards that were finished before")
    checked = spread(drop_damaged, found, options.processes(), lambda n: None, PRELOAD)
    for damage in filter(None, checked):
        report(damage)


def _bytes(task: ShardTask) -> int:
    if task.side:
        return len(task.samples) * task.side**2 * 3
    # Two headers, the label and what is left of the last block, for each image.
    return sum(sample.length + 2048 for sample in task.samples)
