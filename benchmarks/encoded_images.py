"""JPEGs as finished records, without the preparation's checks: for benchmarks and tests."""

import io
import json
import tarfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import simplejpeg

from data_prep.manifest import MANIFEST, SPLITS, file_sha256
from data_prep.shards import INDEX, index_file, shard_file

SHARD_IMAGES = 1000


def write_records(
    folder: Path, images: dict[str, list[bytes]], labels: dict[str, list[int]], side: int
) -> None:
    """Write records whose networks see `side` x `side` pixels; JPEGs and labels by split."""
    folder.mkdir(parents=True)
    files = []
    for split in SPLITS:
        rows = []
        for shard, start in enumerate(range(0, len(images[split]), SHARD_IMAGES)):
            part = slice(start, start + SHARD_IMAGES)
            path = folder / shard_file(split, shard)
            offsets = _write_shard(path, start, images[split][part], labels[split][part])
            files.append(path.name)
            for data, label, offset in zip(
                images[split][part], labels[split][part], offsets, strict=True
            ):
                height, width = simplejpeg.decode_jpeg_header(data)[:2]
                rows.append((shard, offset, len(data), height, width, label))
        np.save(folder / index_file(split), np.array(rows, INDEX))
        files.append(index_file(split))
    classes = 1 + max(max(labels[split]) for split in SPLITS)
    manifest = {
        "format": "shards",
        "dataset": folder.name,
        "counts": {split: len(images[split]) for split in SPLITS},
        "classes": classes,
        "class_names": [str(label) for label in range(classes)],
        "shape": [side, side, 3],
        "files": {
            file: {
                "bytes": (folder / file).stat().st_size,
                "sha256": file_sha256(folder / file),
            }
            for file in files
        },
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
        "origin": {},
    }
    (folder / MANIFEST).write_text(json.dumps(manifest))


def sample_images(archive: Path) -> list[bytes]:
    """The JPEGs of a tar file, by name."""
    with tarfile.open(archive) as tar:
        members = sorted((m for m in tar if m.isfile()), key=lambda member: member.name)
        return [tar.extractfile(member).read() for member in members]


def _write_shard(path: Path, first: int, images: list[bytes], labels: Iterable[int]) -> list[int]:
    """Write a shard of samples numbered from `first` on; the offset of each JPEG in it."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number, (data, label) in enumerate(zip(images, labels, strict=True), first):
            for ending, content in (("jpg", data), ("cls", str(label).encode())):
                member = tarfile.TarInfo(f"{number:08}.{ending}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    with tarfile.open(path) as tar:
        return [member.offset_data for member in tar if member.name.endswith(".jpg")]
