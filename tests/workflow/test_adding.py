"""A model, a system, a dataset and a figure cost one new file each, a system one line more."""

import pytest
from suite import numbers, rows

MODEL = '''
"""One linear layer."""


def torch_model(shape, classes):
    """As a torch module on NCHW images."""
    from torch import nn

    return nn.Sequential(nn.Flatten(), nn.Linear(shape[0] * shape[1] * shape[2], classes))


def keras_model(shape, classes):
    """As a Keras model on NHWC images."""
    from keras import Sequential, layers

    return Sequential([layers.Input(shape), layers.Flatten(), layers.Dense(classes)])
'''
DATASET = '''
"""Bars: 8 x 8 images with a bright row (class 0) or a bright column (class 1) in noise."""

import hashlib
from pathlib import Path

import numpy as np

from data_prep.archives import SourceFile

CLASS_NAMES = ("row", "column")
SHAPE = (8, 8, 1)
COUNTS = {"train": 256, "test": 64}
_CHECKSUM = "sha256:" + hashlib.sha256(b"bars").hexdigest()
ORIGINS = [{"bars": _CHECKSUM}]


def find_sources(archives):
    """It is drawn, not downloaded."""
    return {"bars": SourceFile(Path(__file__), _CHECKSUM)}


def read_split(split, sources):
    """Always the same images."""
    random = np.random.default_rng(COUNTS[split])
    images = random.integers(0, 128, (COUNTS[split], *SHAPE), dtype=np.uint8)
    labels = random.integers(0, 2, COUNTS[split])
    for image, label in zip(images, labels):
        place = random.integers(0, 2)  # few places, which one linear layer can tell apart
        image[(place, slice(None)) if label == 0 else (slice(2, None), 7 - place)] = 255
    return images, labels
'''
SYSTEM = '''
"""Softmax regression by SGD in NumPy, for the model that is one linear layer."""

import numpy as np

from bench import runner
from bench.system import EpochResult
from data_prep.feed import Feed
from models.weights import read


class NumPySGD:
    """See `bench.system.System` for the methods."""

    def __init__(self, context):
        self.spec = context.spec
        self.feed = Feed(context.records, self.spec.augmentation, self.spec.seed)
        self.weight, self.bias = (array.copy() for array in read(context.weights).values())

    def prepare(self, ledger):
        """Nothing to compile."""

    def train_epoch(self, epoch):
        plan, batch, losses = self.feed.plan(epoch), self.spec.batch, []
        for start in range(0, self.feed.samples - batch + 1, batch):
            images, labels = self.feed.batch(plan[start : start + batch])
            x = images.reshape(batch, -1)
            odds = np.exp(x @ self.weight.T + self.bias)
            chances = odds / odds.sum(1, keepdims=True)
            losses.append(-np.log(chances[np.arange(batch), labels]).mean())
            chances[np.arange(batch), labels] -= 1
            self.weight -= self.spec.lr * chances.T @ x / batch
            self.bias -= self.spec.lr * chances.mean(0)
        images = len(losses) * batch
        return EpochResult(losses=np.array(losses), images=images, learners=1, lr=self.spec.lr)

    def logits(self):
        images = self.feed.test_images()
        return images.reshape(len(images), -1) @ self.weight.T + self.bias

    def drain(self):
        """No queue."""

    def agree(self, stop):
        return stop

    def state(self):
        return {"weight": self.weight, "bias": self.bias}

    def load_state(self, state):
        self.weight, self.bias = state["weight"], state["bias"]


if __name__ == "__main__":
    runner.main(NumPySGD)
'''
FIGURE = '''
"""Best accuracy of every run.

One bar a run.
"""

from matplotlib.figure import Figure


def draw(tables):
    """The figure and what it shows."""
    figure, summary = Figure(), tables.summary
    figure.subplots().bar(range(len(summary)), summary["best_acc"])
    return figure, summary[["run", "best_acc"]]
'''
NEW = {
    "models/linear.py": MODEL,
    "data_prep/bars.py": DATASET,
    "baselines/numpy_sgd.py": SYSTEM,
    "plots/best_accuracy.py": FIGURE,
}


@pytest.fixture(scope="module")
def grown(module_suite):
    """The copy with one new file of each kind, and a line for the system."""
    for name, text in NEW.items():
        (module_suite.folder / name).write_text(text)
    line = '\n    "numpy": "baselines.numpy_sgd",'
    module_suite.edit("bench/systems.py", "SYSTEMS = {", f"SYSTEMS = {{{line}")
    return module_suite


def test_new_ones_make_no_old_run_due(grown, matrix):
    # Claims name systems: with a new one they are read again.
    due = ["best_accuracy", "claims", "report"]
    assert grown.planned("--configfile", matrix.config) == due


def test_new_ones_work_together_and_with_the_old(grown, tmp_path):
    defaults = {"model": "linear", "dataset": "bars", "batch": 16, "seed": 1, "epochs": 5}
    defaults |= {"target": 0.9, "lr": 0.02}
    config = grown.config("grown", {"system": ["numpy", "pytorch"]}, defaults=defaults)
    results = tmp_path / "results"  # a folder elsewhere will do as well
    arguments = ("--configfile", config, "--config", f"results={results}")
    done = grown.snakemake(*arguments)
    assert done.returncode == 0, done.stdout
    assert not grown.results(config).exists()

    summary = rows(results / "summary.csv")
    assert [row["system"] for row in summary] == ["numpy", "pytorch"]
    assert {(row["model"], row["dataset"]) for row in summary} == {("linear", "bars")}
    assert {row["status"] for row in summary} == {"reached"}
    # The new system took the same steps as a known one: same weights, samples and order.
    ours, theirs = (numbers(results, row["run"]) for row in summary)
    for row, other in zip(ours, theirs, strict=True):
        assert float(row["train_loss"]) == pytest.approx(float(other["train_loss"]), rel=1e-4)
        assert row["test_acc"] == other["test_acc"]
    drawn = rows(results / "figures/best_accuracy.csv")
    assert [row["run"] for row in drawn] == [row["run"] for row in summary]
    page = (results / "report.html").read_text()
    assert "Best accuracy of every run" in page
    again = f"snakemake --cores all {' '.join(map(str, arguments))} --forcerun {results}/runs/"
    assert again + summary[0]["run"] in page
    assert grown.planned(*arguments) == []
