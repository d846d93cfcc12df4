"""An image folder of the user's own: named in a config, prepared, trained on by every system."""

import numpy as np
import pytest
from PIL import Image
from suite import CELL, Suite, rows

from data_prep.options import Options
from data_prep.prepare import prepare
from workflows.plan import plan
from workflows.validate import ConfigError

SYSTEMS = ["crossbow", "pytorch", "tensorflow"]
GROUP = {"system": SYSTEMS, "model": "logistic", "batch": 4, "epochs": 1}


def config(folder, **group):
    return {
        "name": "own",
        "datasets": {"photos": str(folder)},
        "defaults": CELL,
        "matrix": [GROUP | {"dataset": "photos"} | group],
    }


@pytest.fixture
def photos(tmp_path):
    """A folder of two classes, some JPEGs each, of sizes that differ."""
    rng = np.random.default_rng(0)
    for split, count in (("train", 12), ("val", 3)):
        for label, shade in enumerate((40, 200)):
            folder = tmp_path / "photos" / split / f"class {label}"
            folder.mkdir(parents=True)
            for i in range(count):
                pixels = rng.integers(0, shade, (40 + i, 50, 3), np.uint8)
                Image.fromarray(pixels).save(folder / f"{i}.jpg")
    return tmp_path / "photos"


def test_encoded_and_at_one_size(photos):
    (data,) = plan(config(photos)).datasets.values()
    assert (data.name, data.archives, data.encoded) == ("imagefolder", str(photos), True)
    (data,) = plan(config(photos, dataset="photos-32")).datasets.values()
    assert (data.name, data.shape, data.encoded) == ("imagefolder-32", (32, 32, 3), False)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"group": {"augmentation": "crop_flip"}}, "resized_crop_flip"),
        ({"group": {"dataset": "photos-32", "augmentation": "resized_crop_flip"}}, "crop_flip"),
        ({"group": {"dataset": "fotos"}}, "unknown dataset 'fotos'"),
        ({"group": {"dataset": "photos-x"}}, "unknown dataset 'photos-x'"),
        ({"group": {"dataset": "photos-0"}}, "not a side from 1 to 4096"),
        ({"group": {"dataset": "imagefolder"}}, "name your folder in datasets"),
        ({"top": {"datasets": {"mnist": "x"}}}, "datasets.mnist: the suite has a"),
    ],
)
def test_what_does_not_go_together_is_refused(content, expected, photos):
    with pytest.raises(ConfigError) as refusal:
        plan(config(photos, **content.get("group", {})) | content.get("top", {}))
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize("dataset", ["photos", "photos-16"])
def test_a_folder_that_is_not_there_is_refused_unless_its_records_are(photos, tmp_path, dataset):
    (away,) = plan(config(tmp_path / "photos", dataset=dataset)).datasets.values()
    assert away.classes == 2
    gone = config(tmp_path / "nowhere", dataset=dataset) | {"data": str(tmp_path / "data")}
    with pytest.raises(ConfigError, match=r"datasets\.photos: .*nowhere: not a folder"):
        plan(gone)
    prepare(away.name, tmp_path / "data" / dataset, photos, options=Options(workers=1))
    (there,) = plan(gone).datasets.values()
    assert there.classes == 2


def test_a_folder_that_is_not_sorted_is_refused_by_its_key(tmp_path):
    (tmp_path / "photos/val/cat").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"datasets\.photos: .*val: no class"):
        plan(config(tmp_path / "photos"))


def test_every_system_trains_on_it(photos, tmp_path):
    suite = Suite.create(tmp_path / "suite")
    groups = [
        GROUP | {"dataset": "photos", "augmentation": "resized_crop_flip"},
        GROUP | {"dataset": "photos-32", "augmentation": "crop_flip", "system": "crossbow"},
    ]
    own = suite.config("own", *groups, datasets={"photos": str(photos)})
    done = suite.snakemake("collect", "--configfile", own)
    assert done.returncode == 0, done.stdout
    summary = rows(suite.folder / "results/own/summary.csv")
    assert sorted(row["system"] for row in summary) == sorted([*SYSTEMS, "crossbow"])
    assert {row["status"] for row in summary} == {"finished"}
