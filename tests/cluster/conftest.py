"""A real Slurm of two nodes on this machine, where one can be had."""

import shutil
import subprocess
from pathlib import Path

import pytest
from suite import DATA, Suite

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def slurm(tmp_path_factory):
    """The folder of its logs; skips, and says why, where none can be started."""
    folder = tmp_path_factory.mktemp("slurm")
    try:
        started = subprocess.run(
            [HERE / "start_slurm.sh", folder], text=True, stderr=subprocess.PIPE, timeout=240
        )
        if started.returncode:
            pytest.skip(started.stderr.strip().splitlines()[-1])
        yield folder
    finally:
        subprocess.run([HERE / "stop_slurm.sh", folder])


@pytest.fixture(scope="session")
def cluster_suite(digits, tmp_path_factory):
    """A copy of the repository in which a pipeline may run, with the records of digits."""
    suite = Suite.create(tmp_path_factory.mktemp("cluster") / "copy")
    shutil.copytree(digits, suite.folder / DATA / "digits")
    return suite
