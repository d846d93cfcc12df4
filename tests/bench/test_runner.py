"""What the loop makes of the results that a system hands over."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bench import resident_memory, runner
from bench.job import Job
from bench.spec import RunSpec
from bench.system import EpochResult


class Fake:
    """Two classes, never wrong; each epoch takes the memory it is told to."""

    def __init__(self, memory, killed_in=None):
        self.memory, self.killed_in = memory, killed_in

    def prepare(self, ledger):
        pass

    def train_epoch(self, epoch):
        if epoch == self.killed_in:
            raise KeyboardInterrupt
        peak, learner = self.memory[epoch]
        sizes = {"memory_bytes": peak, "learner_memory_bytes": learner}
        return EpochResult(losses=np.ones(2), images=8, learners=1, lr=0.1, **sizes)

    def logits(self):
        return np.array([[1.0, 0.0], [0.0, 1.0]])

    def drain(self):
        pass

    def agree(self, stop):
        return stop

    def state(self):
        return {}

    def load_state(self, state):
        pass


@pytest.fixture
def job(tmp_path, monkeypatch):
    monkeypatch.setattr(
        runner,
        "open_records",
        lambda _: SimpleNamespace(train_labels=np.zeros(9), test_labels=np.array([0, 1])),
    )
    monkeypatch.delenv(runner.STARTED, raising=False)
    spec = RunSpec(
        system="fake", model="m", dataset="d", batch=4, seed=1, epochs=3, target=0.5, lr=0.1,
        device_type="cuda",
    )  # fmt: skip
    return Job(spec, Path("records"), Path("weights"), tmp_path, tmp_path, "fingerprint")


def outcome(job):
    return json.loads((job.out / "status.json").read_text())


def test_memory_is_the_most_of_all_epochs_and_a_learners_is_the_last(job):
    runner.train(job, lambda _: Fake([(10, 3), (30, 5), (20, 4)]))
    assert (outcome(job)["memory_bytes"], outcome(job)["learner_memory_bytes"]) == (30, 4)


def test_a_resumed_run_carries_its_memory_and_its_seconds(job, monkeypatch):
    monkeypatch.setattr(
        runner, "CHECKPOINT_SHARE", float("inf")
    )  # after every epoch, however short
    with pytest.raises(KeyboardInterrupt):
        runner.train(job, lambda _: Fake([(10, 3), (30, 5), None], killed_in=2))
    runner.train(job, lambda _: Fake([None, None, (20, 4)]))
    assert (outcome(job)["memory_bytes"], outcome(job)["learner_memory_bytes"]) == (30, 4)
    assert outcome(job)["carried_s"] > 0


def test_ranks_meet_after_they_are_prepared_and_before_the_first_epochs_clock_runs(job):
    """Or it has what another rank's preparation takes longer."""
    called = []

    class Watched(Fake):
        def prepare(self, ledger):
            called.append("prepare")

        def train_epoch(self, epoch):
            called.append("train_epoch")
            return super().train_epoch(epoch)

        def agree(self, stop):
            called.append("agree")
            return stop

    runner.train(job, lambda _: Watched([(None, None)] * 3))
    assert called[:3] == ["prepare", "agree", "train_epoch"]


def test_a_system_that_lacks_methods_is_refused_before_it_prepares(job):
    class Lacking(Fake):
        state = None

        def prepare(self, ledger):
            raise AssertionError("it was called")

    with pytest.raises(TypeError, match=r"lacks state\(\); write"):
        runner.train(job, lambda _: Lacking([(None, None)] * 3))


@pytest.mark.parametrize(("images", "believed"), [(9, True), (10, False), (8.0, False)])
def test_an_epoch_of_more_images_than_there_are_is_not_believed(images, believed, job):
    class Counts(Fake):
        def train_epoch(self, epoch):
            return replace(super().train_epoch(epoch), images=images)

    def train():
        runner.train(job, lambda _: Counts([(None, None)] * 3))

    if believed:
        train()
        return
    with pytest.raises(ValueError, match=r"train_epoch returned images=.* of an epoch that has 9"):
        train()
    assert (job.out / "epochs.csv").read_text().count("\n") == 1  # its header


def test_memory_that_is_not_known_is_null(job):
    runner.train(job, lambda _: Fake([(None, None)] * 3))
    assert (outcome(job)["memory_bytes"], outcome(job)["learner_memory_bytes"]) == (None, None)


def test_on_a_cpu_memory_is_the_peak_of_what_the_process_had_resident(job):
    np.ones(2**25)  # 256 MiB, given back
    peak = resident_memory.peak()
    assert peak > 2**28
    job = replace(job, spec=replace(job.spec, device_type="cpu"))
    runner.train(job, lambda _: Fake([(None, None)] * 3))
    assert peak <= outcome(job)["memory_bytes"] < peak + 2**27
    assert outcome(job)["learner_memory_bytes"] is None


def of_rank(rank, folder):
    if rank == 1:
        np.ones(2**26)  # 512 MiB
    largest = resident_memory.of_largest(resident_memory.peak(), 2)
    (folder / str(rank)).write_text(f"{largest} {resident_memory.peak()}")


RANKS = """
import functools, json, pathlib, sys
from bench.ranks import on_devices
from test_runner import RunSpec, of_rank
work = functools.partial(of_rank, folder=pathlib.Path(sys.argv[2]))
on_devices(RunSpec(**json.loads(sys.argv[1])), work)
"""


def test_the_memory_of_a_run_is_its_largest_ranks(job, tmp_path):
    spec = replace(job.spec, device_type="cpu", devices=2).to_dict()
    # From a process of its own: forks of this one have what earlier tests had.
    folders = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-c", RANKS, json.dumps(spec), str(tmp_path)]
    subprocess.run(command, env=os.environ | {"PYTHONPATH": folders}, check=True)
    (told, own), (told_by_other, others) = (
        map(int, (tmp_path / rank).read_text().split()) for rank in "01"
    )
    assert told == told_by_other
    assert others >= told >= own + 2**28


@pytest.mark.parametrize(("share", "saved"), [(1e-9, [1]), (float("inf"), [1, 2, 3])])
def test_checkpoints_take_no_more_than_their_share(share, saved, job, monkeypatch):
    epochs = []
    monkeypatch.setattr(runner, "CHECKPOINT_SHARE", share)
    monkeypatch.setattr(runner.checkpoint, "save", lambda folder, epoch, *_: epochs.append(epoch))
    runner.train(job, lambda _: Fake([(None, None)] * 3))
    assert epochs == saved
