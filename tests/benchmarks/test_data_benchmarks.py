"""The benchmarks of data, on a few images: every figure that they are for is there."""

import json
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.sample_copies import sample_archive

ROOT = Path(__file__).parents[2]


@pytest.fixture
def archive(tmp_path):
    """Two images of two classes, as imagenet-sample.tar has them."""
    path = tmp_path / "sample.tar"
    with tarfile.open(path, "w") as tar:
        for label in range(2):
            pixels = np.random.default_rng(label).integers(0, 256, (50, 60, 3), np.uint8)
            file = tmp_path / f"{label}.JPEG"
            Image.fromarray(pixels).save(file, "JPEG")
            tar.add(file, f"n0000000{label}/n0000000{label}_name.JPEG")
    return path


def measured(module, archive, out, *options):
    command = [sys.executable, "-m", module, archive, "--out", out, "--rounds", "1", *options]
    subprocess.run(command, check=True, cwd=ROOT, capture_output=True)
    (file,) = out.glob("*.json")
    result = json.loads(file.read_text())
    assert result["environment"]["cpu"] and result["code"]["commit"]
    assert result["rounds"] == {name: [rate] for name, rate in result["images_per_s"].items()}
    assert all(rate > 0 for rate in result["images_per_s"].values())
    return file.name, result


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "No such file or directory; name imagenet-sample.tar"),
        (b"", "can't be read as an uncompressed tar"),
        (b"not a tar", "can't be read as an uncompressed tar"),
        (bytes(10240), "not a tar of <class>/<file>; name imagenet-sample.tar"),
    ],
)
def test_an_archive_that_does_not_do_is_refused(archive, tmp_path, data, words):
    assert sample_archive(str(archive)) == archive
    path = tmp_path / "other.tar"
    if data is not None:
        path.write_bytes(data)
    command = [sys.executable, "-m", "benchmarks.reading", path, "--out", tmp_path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    last = done.stderr.splitlines()[-1]
    assert f"argument TAR: {path}: " in last and words in last


@pytest.mark.slow
def test_preparing_is_measured_by_workers_and_beside_the_plain_loop(archive, tmp_path):
    name, result = measured(
        "benchmarks.preparing", archive, tmp_path / "out", "--images", "5", "--workers", "1", "2"
    )
    assert name == "preparing.json" and result["images"] == 6
    assert set(result["images_per_s"]) == {
        "ShardWriter, copied",
        "ShardWriter, decoded by Pillow",
        *(f"{name}, {n} workers" for name in ("imagefolder", "imagefolder-64") for n in (1, 2)),
    }


@pytest.mark.slow
def test_both_formats_are_measured_writing_and_reading(archive, tmp_path):
    name, result = measured(
        "benchmarks.record_formats", archive, tmp_path / "out", "--images", "40"
    )
    assert name == "record_formats.json"
    assert {figure.split(",")[0] for figure in result["images_per_s"]} == {
        *("write", "front to end", "random")
    }
    assert result["bytes"]["tar"] > result["bytes"]["JPEGs"] < result["bytes"]["TFRecord"]
