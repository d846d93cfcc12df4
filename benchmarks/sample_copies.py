"""The sample of ImageNet many times over, as files, for the benchmarks of preparing and reading."""

from pathlib import Path

from data_prep.tar_members import tar_members


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
