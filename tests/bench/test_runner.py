"""What the loop makes of the results that a system hands over."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bench import runner
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
        runner, "open_records", lambda _: SimpleNamespace(test_labels=np.array([0, 1]))
    )
    monkeypatch.delenv(runner.STARTED, raising=False)
    spec = RunSpec(
        system="fake", model="m", dataset="d", batch=4, seed=1, epochs=3, target=0.5, lr=0.1
    )
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


def test_memory_that_is_not_known_is_null(job):
    runner.train(job, lambda _: Fake([(None, None)] * 3))
    assert (outcome(job)["memory_bytes"], outcome(job)["learner_memory_bytes"]) == (None, None)


@pytest.mark.parametrize(("share", "saved"), [(1e-9, [1]), (float("inf"), [1, 2, 3])])
def test_checkpoints_take_no_more_than_their_share(share, saved, job, monkeypatch):
    epochs = []
    monkeypatch.setattr(runner, "CHECKPOINT_SHARE", share)
    monkeypatch.setattr(runner.checkpoint, "save", lambda folder, epoch, *_: epochs.append(epoch))
    runner.train(job, lambda _: Fake([(None, None)] * 3))
    assert epochs == saved
