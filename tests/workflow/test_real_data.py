"""Real datasets through the whole pipeline on a CPU, where their source files are to be had."""

import numpy as np
import pytest
from suite import DATA, rows, status

from data_prep.records import open_records

FIELDS = {
    "system": "crossbow",
    "model": "mlp",  # whose epoch takes seconds
    "variant": "released",
    "momentum": 0.9,
    "learners": 2,
    "devices": 2,
    "epochs": 1,
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("dataset", "archive", "fields", "accuracy"),
    [
        ("mnist", "mnist", {"lr": 0.05}, 0.95),
        ("cifar10-jpeg", "cifar-10-jpeg.tar.xz", {"lr": 0.02, "augmentation": "crop_flip"}, 0.3),
    ],
)
def test_a_network_learns(dataset, archive, fields, accuracy, suite, real_archives):
    group = {**FIELDS, "dataset": dataset, **fields}
    config = suite.config("real", group, archives=str(real_archives(archive)))
    done = suite.snakemake("collect", "--configfile", config, deadline_s=500)
    assert done.returncode == 0, done.stdout
    (run,) = suite.runs(config)
    results = suite.results(config)
    assert status(results, run)["status"] in ("finished", "reached")
    epochs = rows(results / "runs" / run / "epochs.csv")
    assert len(epochs) == FIELDS["epochs"]
    assert float(epochs[-1]["test_acc"]) > accuracy
    if dataset == "cifar10-jpeg":
        is_cifar10(open_records(suite.folder / DATA / dataset, verify=True))


def is_cifar10(records):
    """Mean and deviation are those quoted for CIFAR-10 itself; JPEG moves them by less than so."""
    assert np.bincount(records.train_labels).tolist() == [5000] * 10
    assert np.bincount(records.test_labels).tolist() == [1000] * 10
    assert records.mean == pytest.approx([0.4914, 0.4822, 0.4465], abs=1e-3)
    assert records.std == pytest.approx([0.2470, 0.2435, 0.2616], abs=3e-3)
