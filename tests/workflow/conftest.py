"""A small matrix that ran once, and copies of it in which a test may break things."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from made_once import made_once
from suite import Suite


@dataclass(frozen=True)
class Matrix:
    """A matrix that ran to its end: where, by which config, and what the pipeline printed."""

    suite: Suite
    config: Path
    printed: str

    @property
    def results(self) -> Path:
        return self.suite.results(self.config)

    @property
    def runs(self) -> list[str]:
        return list(self.suite.runs(self.config))


@pytest.fixture(scope="session")
def matrix(tmp_path_factory):
    """One run each of learners that are given, learners that are tuned, and two devices.

    Made by one of pytest's processes while the others wait, and each has a copy.
    """
    made = made_once(tmp_path_factory, "matrix", make)
    suite = made.clone(tmp_path_factory.mktemp("suite") / "copy")
    config = made.folder.with_name("matrix.yaml")
    return Matrix(suite, config, made.printed.read_text())


def make(folder):
    """Folder names are taken as they are, and rules use the python that runs Snakemake."""
    suite = Suite.create(folder)
    config = suite.config(
        "matrix",
        {"system": "crossbow", "learners": [2, "auto"]},
        {"system": "pytorch", "devices": 2, "augmentation": "crop_flip"},
        results="results/small matrix",
    )
    path = f"{Path(shutil.which('git')).parent}:/usr/bin:/bin"
    done = suite.snakemake("--configfile", config, PATH=path)
    assert done.returncode == 0, done.stdout
    suite.printed.write_text(done.stdout)


@pytest.fixture(scope="module")
def module_suite(matrix, tmp_path_factory):
    """A copy, with the matrix's results, that the tests of a module share."""
    return matrix.suite.clone(tmp_path_factory.mktemp("suite") / "copy")


@pytest.fixture
def suite(matrix, tmp_path):
    """A copy, with the matrix's results, for one test alone."""
    return matrix.suite.clone(tmp_path / "copy")
