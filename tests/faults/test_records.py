"""Records that were damaged after they were made: no run trains on them."""

import re
import shutil

import numpy as np
import pytest
from PIL import Image
from suite import DATA, status

from data_prep.prepare import prepare

GROUP = {"system": "crossbow", "model": "logistic", "dataset": "photos", "batch": 4, "epochs": 1}


@pytest.fixture
def photos(tmp_path):
    """A folder of two classes, four images of each for training."""
    rng = np.random.default_rng(0)
    for split, count in (("train", 4), ("val", 2)):
        for label in ("cat", "dog"):
            folder = tmp_path / "photos" / split / label
            folder.mkdir(parents=True)
            for i in range(count):
                pixels = rng.integers(0, 256, (40, 40, 3), np.uint8)
                Image.fromarray(pixels).save(folder / f"{i}.jpg")
    return tmp_path / "photos"


def test_a_corrupt_shard(finished, photos):
    suite, results, data = finished.suite, finished.results, finished.suite.folder / DATA
    (run,) = finished.more(GROUP, datasets={"photos": str(photos)})
    before = finished.files()
    prepare("imagefolder", data / "photos", archives=photos)
    shard = data / "photos/train-000000.tar"
    content = bytearray(shard.read_bytes())
    content[1000] ^= 1  # within the first image
    shard.write_bytes(content)

    done = suite.snakemake(*finished.arguments)
    assert done.returncode == 0, done.stdout
    assert status(results, run)["status"] == "failed"
    reason = status(results, run)["reason"]
    assert "train-000000.tar: contents differ from the manifest's sha256" in reason
    assert reason in done.stdout

    (told,) = re.findall(r"remove (.*?), and the same command", reason)
    shutil.rmtree(suite.folder / told)
    done = suite.snakemake(*finished.arguments)
    assert done.returncode == 0, done.stdout
    assert status(results, run)["status"] == "finished"
    assert finished.files() == before
