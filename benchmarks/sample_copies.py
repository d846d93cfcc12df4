"""The sample of ImageNet many times over, as files, for the benchmarks of preparing and reading."""

from argparse import ArgumentTypeError
from pathlib import Path

from data_prep.manifest import RecordsError
from data_prep.tar_members import tar_members


def sample_archive(text: str) -> Path:
    """The path of an archive of `<class>/<file>`, as an argument of a command line.

    Raises:
        ArgumentTypeError: it is not there, no tar, or has other members; one sentence.
    """
    path = Path(text)
    try:
        names = [member.name for member in tar_members(path)]
    except OSError as error:
        raise ArgumentTypeError(f"{path}: {error.strerror}; name imagenet-sample.tar") from None
    except RecordsError as error:
        raise ArgumentTypeError(str(error)) from None
    if not names or any(name.count("/") != 1 for name in names):
        raise ArgumentTypeError(f"{path}: not a tar of <class>/<file>; name imagenet-sample.tar")
    return path


def write_copies(archive: Path, folder: Path, images: int) -> list[tuple[Path, int]]:
    """At least `images` files in `folder/train/<class>/` and one in `folder/val/<class>/`.

    They are whole copies of the archive. Returned are path and label of all in train.
    """
    members = sorted(tar_members(archive))
    classes = sorted({member.name.split("/")[0] for member in members})
    files = []
    with archive.open("rb") as tar:
        for copy in range(-(-images // len(members))):
            for name, offset, length in members:
                label, file = name.split("/")
                tar.seek(offset)
                path = folder / "train" / label / f"{copy:04}_{file}"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(tar.read(length))
                files.append((path, classes.index(label)))
        for label in classes[:1]:
            path = folder / "val" / label / "0.JPEG"
            path.parent.mkdir(parents=True)
            path.write_bytes(files[0][0].read_bytes())
    return files
