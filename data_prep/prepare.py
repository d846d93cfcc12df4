"""From source files to a finished records folder."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from data_prep.datasets import Dataset, is_encoded, load, resolve
from data_prep.disk_space import check_space
from data_prep.folder_lock import folder_lock
from data_prep.labels import checked_labels
from data_prep.manifest import FORMAT, SPLITS, RecordsError, read_manifest, to_be_made_again
from data_prep.options import Options
from data_prep.partial_records import PartialRecords, finish_publishing
from data_prep.records import open_records


def prepare(
    name: str,
    folder: str | Path,
    archives: str | Path | None = None,
    verify: bool = False,
    report: Callable[[str], None] = lambda line: None,
    options: Options | None = None,
) -> None:
    """Make the records of a dataset, unless the folder already holds them.

    Killed at any moment, it goes on from the last finished split when it runs again, and with
    encoded images from all finished shards. If it fails, finished records that were there stay as
    they were.

    Args:
        name: the dataset.
        folder: where the records go; its own folder, by custom `<data>/<dataset>`.
        archives: the folder of the source files; without one they are downloaded.
        verify: whether to check the SHA-256 of records already there, and replace bad ones.
        report: is given a line about each step.
        options: how encoded images are prepared.

    Raises:
        RecordsError: the source files are missing or bad, or the folder holds another dataset.
        OSError: the folder can't be written.
    """
    dataset, folder, chosen = load(name), Path(folder), options or Options()
    archives = Path(archives) if archives else None
    _refuse_other_dataset(name, folder)
    if is_encoded(dataset):
        from data_prep.prepare_images import prepare_images  # slow to import, as few need it

        side = resolve(name)[1]
        prepare_images(name, dataset, side, folder, archives, verify, report, chosen)
        return
    chosen.refuse_for_arrays(name)
    if _is_finished(folder, dataset.ORIGINS, verify, report):
        report(f"{folder}: already finished")
        return

    report(f"{name}: looking for the source files and checking them")
    sources = dataset.find_sources(archives)
    origin = {file: source.checksum for file, source in sources.items()}
    folder.mkdir(parents=True, exist_ok=True)
    with folder_lock(folder, report):
        finish_publishing(folder)
        # Asked again: it may have been finished just now, by this or by who held the lock.
        if _is_finished(folder, [origin], verify):
            report(f"{folder}: already finished")
            return
        check_space(folder, sum(dataset.COUNTS.values()) * math.prod(dataset.SHAPE))
        partial = PartialRecords(folder, {"format": FORMAT, "dataset": name, "origin": origin})
        for split in SPLITS:
            if partial.has(split):
                report(f"{name}: {split} was finished before")
                continue
            report(f"{name}: reading {split}")
            images, labels = dataset.read_split(split, sources)
            where = ", ".join(str(source.path) for source in sources.values())
            _check_split(dataset, split, images, labels, where)
            partial.write(split, images, labels, _pixel_statistics(images, where))
        partial.publish(_manifest(name, dataset, origin, partial))
    report(f"{folder}: finished")


def _refuse_other_dataset(name: str, folder: Path) -> None:
    try:
        found = read_manifest(folder)["dataset"]
    except RecordsError:
        return
    if found != name:
        raise RecordsError(f"{folder}: holds the records of {found}; choose another folder")


def _is_finished(
    folder: Path,
    origins: list[dict[str, str]],
    verify: bool,
    report: Callable[[str], None] = lambda line: None,
) -> bool:
    try:
        if read_manifest(folder)["origin"] not in origins:
            return False
    except RecordsError:
        return False
    try:
        open_records(folder, verify)
    except RecordsError as error:
        report(to_be_made_again(error))
        return False
    return True


def _check_split(
    dataset: Dataset, split: str, images: np.ndarray, labels: np.ndarray, where: str
) -> None:
    expected = (dataset.COUNTS[split], *dataset.SHAPE)
    if images.shape != expected or images.dtype != np.uint8 or len(labels) != len(images):
        raise RecordsError(
            f"{where}: {split} has {len(labels)} labels and {images.dtype} images "
            f"{list(images.shape)} where uint8 {list(expected)} is expected; fetch the files again"
        )
    checked_labels(labels, len(dataset.CLASS_NAMES), where)


def _pixel_statistics(images: np.ndarray, where: str) -> dict[str, list[float]]:
    """Mean and standard deviation per channel, exact: from counts of the 256 values."""
    values = np.arange(256) / 255
    means, deviations = [], []
    for channel in range(images.shape[3]):
        weights = np.bincount(images[..., channel].ravel(), minlength=256) / images[..., 0].size
        mean = float(weights @ values)
        means.append(mean)
        deviations.append(float(np.sqrt(weights @ (values - mean) ** 2)))
    if 0 in deviations:
        raise RecordsError(f"{where}: a channel is the same everywhere; fetch the files again")
    return {"mean": means, "std": deviations}


def _manifest(name: str, dataset: Dataset, origin: dict, partial: PartialRecords) -> dict:
    train, test = (partial.facts(split) for split in SPLITS)
    return {
        "format": FORMAT,
        "dataset": name,
        "counts": dict(dataset.COUNTS),
        "classes": len(dataset.CLASS_NAMES),
        "class_names": list(dataset.CLASS_NAMES),
        "shape": list(dataset.SHAPE),
        "files": {**train["files"], **test["files"]},
        "mean": train["mean"],
        "std": train["std"],
        "origin": origin,
    }
