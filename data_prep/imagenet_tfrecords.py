"""ImageNet as the TFRecords of TensorFlow's own conversion (`build_imagenet_data`).

`train-00000-of-01024` and on, `validation-00000-of-00128` and on. Labels in them count from 1, as 0
is the background; here they count from 0.
"""

import mmap
import re
from pathlib import Path

from data_prep.example_proto import features
from data_prep.manifest import RecordsError
from data_prep.samples import LEFT_OUT, NOTED, Listing, Problem, Sample
from data_prep.tfrecord_files import records

_IMAGE, _LABEL, _CLASS = "image/encoded", "image/class/label", "image/class/synset"
_NAME = "image/filename"
_SPLITS = {"train": "train", "test": "validation"}


def list_tfrecords(root: Path, classes: int) -> Listing:
    """Where the images lie in the TFRecord files of a folder; labels are 1 to `classes`.

    Raises:
        RecordsError: there are no files of a split.
    """
    names = [f"class-{label + 1:04}" for label in range(classes)]
    splits: dict[str, list[Sample]] = {}
    problems: list[Problem] = []
    for split, prefix in _SPLITS.items():
        paths = _files(root, prefix, problems)
        splits[split] = [
            sample for path in paths for sample in _samples(path, split, names, problems)
        ]
    return Listing(str(root), tuple(names), splits, problems=problems)


def _files(root: Path, prefix: str, problems: list[Problem]) -> list[Path]:
    paths = sorted(root.glob(f"{prefix}-?????-of-?????"))
    if not paths:
        raise RecordsError(f"{root / prefix}-00000-of-...: missing; put the TFRecords there")
    total = int(paths[0].name[-5:])
    for number in range(total):
        name = f"{prefix}-{number:05}-of-{total:05}"
        if not (root / name).exists():
            problems.append(Problem(name, "missing file", NOTED))
    return paths


def _samples(path: Path, split: str, names: list[str], problems: list[Problem]) -> list[Sample]:
    samples: list[Sample] = []
    if not path.stat().st_size:
        problems.append(Problem(path.name, "empty file", LEFT_OUT))
        return samples
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole,
        memoryview(whole) as data,
    ):
        try:
            for number, (start, stop) in enumerate(records(data, path.name)):
                where = f"{path.name}: record {number}"
                sample = _sample(data, start, stop, path, where, names)
                if isinstance(sample, Problem):
                    problems.append(sample)
                else:
                    samples.append(sample._replace(name=f"{split}/{sample.name}"))
        except RecordsError as error:
            problems.append(Problem(path.name, str(error), LEFT_OUT))
    return samples


def _sample(
    data: memoryview, start: int, stop: int, path: Path, where: str, names: list[str]
) -> Sample | Problem:
    try:
        found = features(data, start, stop, {_IMAGE, _LABEL, _CLASS, _NAME})
        (image,), (number,) = found[_IMAGE], found[_LABEL]
        first, last = image
        label = number - 1
        name, synset = (
            bytes(data[slice(*found[key][0])]).decode() if found.get(key) else ""
            for key in (_NAME, _CLASS)
        )
    except (ValueError, KeyError, TypeError) as error:
        return Problem(where, f"no image with a label ({error})", LEFT_OUT)
    if not 0 <= label < len(names):
        return Problem(where, f"label {number} is not in 1 to {len(names)}", LEFT_OUT)
    if re.fullmatch(r"n\d{8}", synset):
        names[label] = synset
    return Sample(name or where, str(path), first, last - first, label)
