"""ImageNet as it is published: a tar of a tar per class, and a tar of the validation images."""

from pathlib import Path, PurePosixPath

from data_prep.archives import file_checksum, places
from data_prep.imagenet_truth import find_truth
from data_prep.manifest import RecordsError
from data_prep.samples import LEFT_OUT, NOTED, Listing, Problem, Sample
from data_prep.tar_members import tar_members

TRAIN, VAL = "ILSVRC2012_img_train.tar", "ILSVRC2012_img_val.tar"
PUBLISHED = {
    TRAIN: "md5:1d675b47d978889d74fa0da5fadfb00e",
    VAL: "md5:29b22e2961454d5413ddabcf34fc5622",
}


def list_tars(archives: Path) -> Listing:
    """Where the images lie in the two tars.

    A tar with another checksum than the published one is read nevertheless, and that is noted: each
    image is checked by itself.

    Raises:
        RecordsError: a tar or the ground truth is missing, or can't be read at all.
    """
    train, val = _find(archives, TRAIN), _find(archives, VAL)
    truth = find_truth(archives)
    problems, found = list(truth.problems), []
    for member in tar_members(train):
        wnid = PurePosixPath(member.name).stem
        if not member.name.endswith(".tar"):
            problems.append(Problem(f"{TRAIN}: {member.name}", "not the tar of a class", LEFT_OUT))
            continue
        try:
            for inner in tar_members(train, member.offset, member.length):
                found.append((wnid, inner))
        except RecordsError as error:
            problems.append(Problem(f"{TRAIN}: {member.name}", str(error), LEFT_OUT))
    classes = tuple(sorted(truth.classes | {wnid for wnid, _ in found}))
    labels = {name: label for label, name in enumerate(classes)}
    samples = sorted(
        Sample(f"train/{wnid}/{name}", str(train), offset, length, labels[wnid])
        for wnid, (name, offset, length) in found
    )
    tests = []
    for name, offset, length in sorted(tar_members(val)):
        file = PurePosixPath(name).name
        wnid = truth.of(file)
        if wnid is None:
            problems.append(Problem(f"val/{file}", "no ground truth says its class", LEFT_OUT))
        else:
            tests.append(Sample(f"val/{file}", str(val), offset, length, labels[wnid]))
    origin = {path.name: file_checksum(path, "md5") for path in (train, val)}
    for name, checksum in origin.items():
        if checksum != PUBLISHED[name]:
            said = f"{checksum} where {PUBLISHED[name]} is published"
            problems.append(Problem(name, said, NOTED))
    return Listing(str(train), classes, {"train": samples, "test": tests}, origin, problems)


def _find(archives: Path, name: str) -> Path:
    for path in places(archives, [name]):
        return path
    raise RecordsError(f"{archives / name}: missing, also one folder down; put it there")
