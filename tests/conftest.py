"""Inputs that many tests share: digits as records, and initial weights."""

import dataclasses
import gc
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import models
from bench.spec import RELEASED, RunSpec
from data_prep.prepare import prepare
from data_prep.records import open_records
from models.weights import export

SHARED_DATA = Path(__file__).parents[2] / "shared" / "data"
# More than twenty seconds of a core each, the longest first.
LONGEST = """
    test_frameworks_agree test_commands_run test_resume test_real_data test_figures
    test_reference_figures test_tall test_failures test_oracle test_tensorflow_ssgd
    test_reference test_lost_processes test_disk test_paper_figures test_own_images
    test_same_as_torchvision test_four_and_eight test_nodes test_train_command test_planned
    test_benchmarks_on_cpu
""".split()
torch.set_num_threads(1)  # as in a run, where a CPU device is one thread
# Started in the background, pytest ignores interrupts, and so would what tests start and interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items):
    """The files that take longest begin, so that none of them is alone at the end."""
    place = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path.stem, len(place)))


def pytest_collection_finish():
    """Look for garbage less often, and not in modules: it was a quarter of the figures' tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000)


@pytest.fixture(scope="session")
def digits(tmp_path_factory):
    """The folder of the digits records."""
    folder = tmp_path_factory.mktemp("data") / "digits"
    prepare("digits", folder)
    return folder


@pytest.fixture(scope="session")
def weights(digits, tmp_path_factory):
    """A function from a model's name to the file of its initial weights on digits."""
    folder, records = tmp_path_factory.mktemp("weights"), open_records(digits)

    def of(model):
        path = folder / f"{model}.npz"
        if not path.exists():
            export(model, records.shape, records.classes, 1, path)
        return path

    return of


@pytest.fixture
def only_model(monkeypatch):
    """A function that makes every model, whatever its name, one with this torch definition."""

    def become(torch_model):
        monkeypatch.setattr(models, "load", lambda *_: SimpleNamespace(torch_model=torch_model))
        monkeypatch.setattr(models, "origin", lambda *_: __file__)

    return become


@pytest.fixture(scope="session")
def real_archives():
    """Finds real source files, which are too large for the project; skips without them."""

    def find(name: str) -> Path:
        folder = Path(os.environ.get("DATA_MIRROR", SHARED_DATA))
        if not (folder / name).exists():
            pytest.skip(f"the real {name} is not in {folder}; set DATA_MIRROR to its folder")
        return folder

    return find


@pytest.fixture
def spec():
    """A function that makes a RunSpec of a small run from the fields that matter to a test."""

    def make(system="crossbow", **fields):
        averaging = {"variant": RELEASED, "mu": 0.9} if system == "crossbow" else {}
        defaults = {
            "model": "logistic",
            "dataset": "digits",
            "batch": 8,
            "seed": 1,
            "epochs": 2,
            "target": 0.9,
            "lr": 0.05,
            "momentum": 0.9,
        }
        return RunSpec(system=system, **{**defaults, **averaging, **fields})

    return make


@pytest.fixture
def first():
    """A function that cuts records down to their first n training samples."""

    def cut(records, n):
        return dataclasses.replace(
            records, train_images=records.train_images[:n], train_labels=records.train_labels[:n]
        )

    return cut
