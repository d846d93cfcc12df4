"""A results folder with one finished run, and copies of it in which a test may break things."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from made_once import made_once
from suite import Suite

from bench import record

RUN = {"system": "crossbow", "model": "logistic", "epochs": 5}


@dataclass(frozen=True)
class Finished:
    """A suite whose config `base` has the one run `run`, which is finished."""

    suite: Suite
    config: Path
    run: str

    @property
    def results(self) -> Path:
        return self.suite.results(self.config)

    @property
    def arguments(self) -> tuple[str | Path, ...]:
        """What makes the tables of the config."""
        return ("collect", "--configfile", self.config)

    def more(self, *groups: dict, **top) -> list[str]:
        """Let the config have these groups as well; the ids of their runs."""
        self.suite.config("base", RUN, *groups, **top)
        return list(self.suite.runs(self.config))[1:]

    def files(self) -> dict[str, tuple[bytes, int]]:
        """Content and time of each file of the finished run, to see that nobody touched them."""
        paths = [self.results / "runs" / self.run / name for name in record.FILES]
        return {path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in paths}


@pytest.fixture(scope="session")
def base(tmp_path_factory):
    """The one that is copied."""
    suite = made_once(tmp_path_factory, "faults", make)
    config = suite.folder.with_name("base.yaml")
    (run,) = suite.runs(config)
    return Finished(suite, config, run)


def make(folder):
    """It has no patience with ranks, and of each attempt at a run no checkpoint is due after the
    first epoch's: another is one that was asked for.
    """
    suite = Suite.create(folder)
    suite.edit("bench/runner.py", "CHECKPOINT_SHARE = 0.05", "CHECKPOINT_SHARE = 1e-9")
    suite.edit("bench/ranks.py", "minutes=10", "seconds=8")
    suite.edit("bench/ranks.py", "GRACE_S = 10.0", "GRACE_S = 1.0")
    done = suite.snakemake("collect", "--configfile", suite.config("base", RUN))
    assert done.returncode == 0, done.stdout


@pytest.fixture
def finished(base, tmp_path):
    """A copy for one test alone."""
    suite = base.suite.clone(tmp_path / "copy")
    return Finished(suite, suite.config("base", RUN), base.run)
