"""ImageNet unpacked: `train/<class>/*`, and `val/` by class too or flat with a ground truth."""

from pathlib import Path, PurePosixPath

from data_prep.class_folders import class_names, list_folder, sample_of
from data_prep.imagenet_truth import find_truth
from data_prep.manifest import RecordsError
from data_prep.samples import LEFT_OUT, Listing, Problem, Sample


def list_folders(root: Path, archives: Path) -> Listing:
    """Where the images lie below `root`; a ground truth may also lie in `archives`.

    Raises:
        RecordsError: there is no `val` folder, or nothing says the classes of what is in it.
    """
    val = root / "val"
    if not val.is_dir():
        raise RecordsError(f"{val}: missing; put the folder of the validation images there")
    if any(path.is_dir() for path in val.iterdir()):
        classes = tuple(sorted({*class_names(root / "train"), *class_names(val)}))
        tests, problems = list_folder(val, classes, "val/")
    else:
        truth = find_truth(archives)
        classes = tuple(sorted({*class_names(root / "train"), *truth.classes}))
        tests, problems = [], list(truth.problems)
        for path in val.iterdir():
            wnid = truth.of(path.name)
            if wnid is None:
                said = "no ground truth says its class"
                problems.append(Problem(f"val/{path.name}", said, LEFT_OUT))
            else:
                found = sample_of(f"val/{path.name}", path, classes.index(wnid))
                if isinstance(found, Sample):
                    tests.append(found)
                else:
                    problems.append(found)
    samples, more = list_folder(root / "train", classes, "train/")
    # In the order of the tars, so that all forms make the same records.
    samples.sort()
    tests.sort(key=lambda sample: PurePosixPath(sample.name).name)
    splits = {"train": samples, "test": tests}
    walked = (root / "train", val)
    return Listing(str(root), classes, splits, problems=problems + more, walked=walked)
