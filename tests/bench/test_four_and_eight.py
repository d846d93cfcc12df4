"""Four and eight processes of a run: what they compute, and what the configs for as many ask for.

That of Crossbow with as many learners as the config says is in tests/crossbow_impl/test_oracle.py.
"""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from softmax import flat, problem
from steps import steps

from baselines.pytorch_ssgd import PyTorchSSGD
from bench import record, stop
from bench.job import Job
from bench.ranks import on_devices, spread
from bench.runner import train
from crossbow_impl.autotune import SAMPLES, WARM_UP
from crossbow_impl.train import Crossbow
from data_prep.records import open_records
from workflows.plan import plan

SYSTEMS = {"crossbow": Crossbow, "pytorch": PyTorchSSGD}
ITERATIONS, IMAGES = 12, 32  # of an iteration, on all devices
CONFIGS = Path(__file__).resolve().parents[2] / "workflows" / "config"


@pytest.mark.parametrize("devices", [4, 8])
def test_ssgd_of_pytorch_takes_the_steps_of_numpy(devices, spec, digits, weights, first, tmp_path):
    fields = {"weight_decay": 1e-2, "augmentation": "crop_flip", "epochs": 1}
    cell = spec("pytorch", batch=IMAGES // devices, devices=devices, **fields)
    samples, path = ITERATIONS * IMAGES, weights("logistic")
    ranks = steps(
        "baselines.pytorch_ssgd:PyTorchSSGD", cell, digits, path, samples, tmp_path / "run"
    )
    task = problem(cell, first(open_records(digits), samples), path)
    w, velocity, losses = task.start, 0.0, []
    for i, lr in enumerate(task.rates):
        of_devices = [task.gradient(i, j, w) for j in range(devices)]
        velocity = cell.momentum * velocity + sum(g for g, _ in of_devices) / devices
        w = w - lr * velocity
        losses.append(sum(loss for _, loss in of_devices) / devices)
    assert len(ranks) == devices and len(losses) == ITERATIONS
    for actual in ranks:
        np.testing.assert_allclose(flat(actual, "model."), w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(actual["losses"], losses, rtol=1e-5)
    np.testing.assert_allclose(ranks[0]["logits"], task.logits(w), rtol=1e-5, atol=1e-5)


def test_four_ranks_tune_together(spec, digits, weights, tmp_path):
    """By the clock, so how many learners there are in the end is not known."""
    cell = spec(learners="auto", batch=4, devices=4, epochs=3)
    crossbow, path = "crossbow_impl.train:Crossbow", weights("logistic")
    ranks = steps(crossbow, cell, digits, path, 1437, tmp_path / "run")
    traces = [json.loads(str(rank["loop"]))["tuning"]["trace"] for rank in ranks]
    alike = ("iteration", "learners", "images_per_s", "decision")
    decisions = [[[row[name] for name in alike] for row in trace] for trace in traces]
    assert len(ranks) == 4 and len(decisions[0]) > WARM_UP + SAMPLES
    assert len({row["learners"] for row in traces[0]}) > 1
    assert all(decided == decisions[0] for decided in decisions)
    for rank in ranks:
        assert rank["w"].shape == ranks[0]["w"].shape
        assert np.array_equal(rank["z"], ranks[0]["z"])


@pytest.fixture
def trained(digits, weights):
    """Trains a spec in a folder, as far as it gets: its rows' numbers and the ranks' states."""

    def run(spec, folder):
        (folder / "state").mkdir(parents=True, exist_ok=True)
        job = Job(spec, digits, weights(spec.model), folder / "state", folder, "fingerprint")

        def work(rank):
            systems = []

            def build(context):
                systems.append(SYSTEMS[spec.system](context))
                return systems[0]

            train(job, build, rank, spec.devices)
            np.savez(folder / f"rank-{rank}.npz", **systems[0].state())

        on_devices(spec, work)
        columns = ("epoch", "iteration", "learners", "lr", "train_loss", "test_loss", "test_acc")
        rows = record.read_table(folder / record.EPOCHS)
        return SimpleNamespace(
            rows=[[row[name] for name in columns] for row in rows],
            states=[dict(np.load(path)) for path in sorted(folder.glob("rank-*.npz"))],
        )

    return run


@pytest.mark.parametrize("system", SYSTEMS)
def test_four_ranks_go_on_from_a_checkpoint(system, spec, trained, tmp_path, monkeypatch):
    learners = {"learners": 2} if system == "crossbow" else {}
    cell = spec(system, devices=4, epochs=2, batch=16, **learners)
    whole = trained(cell, tmp_path / "whole")
    with monkeypatch.context() as asked:
        answers = iter([False, True])  # before the first epoch and after it, on every rank
        asked.setattr(stop, "requested", lambda: next(answers))
        before = trained(cell, tmp_path / "stopped")
    assert len(whole.rows) == 2 and before.rows == whole.rows[:1]
    saved = {path.name for path in (tmp_path / "stopped" / "state").iterdir()}
    assert saved == {f"epoch-000001-rank-{rank}.npz" for rank in range(4)}
    after = trained(cell, tmp_path / "stopped")
    assert after.rows == whole.rows
    for rank in range(4):
        assert after.states[rank].keys() == whole.states[rank].keys()
        for name, array in whole.states[rank].items():
            assert np.array_equal(after.states[rank][name], array), name


def small(name):
    """A config for GPUs, as CPUs can train it in a second: a run of each kind of its rows."""
    config = yaml.safe_load((CONFIGS / f"{name}.yaml").read_text())
    config["defaults"] = {"device_type": "cpu", "devices": config["defaults"]["devices"], "seed": 1}
    own = {"model": "logistic", "dataset": "digits", "epochs": 1, "augmentation": "none"}
    own |= {"cudnn_benchmark": False}
    for group in config["matrix"]:
        group |= own | {key: less(group[key]) for key in ("batch", "lr")}
    runs = plan(config).runs.values()
    return {(cell.system, cell.learners, cell.tau): cell for cell in runs}


def less(values):
    """A sixteenth of a value or of each of several."""
    if isinstance(values, list):
        return [less(value) for value in values]
    return values // 16 if isinstance(values, int) else values / 16


FOUR, EIGHT = small("gpu-4"), small("gpu-8")
CELLS = [*FOUR.values(), EIGHT["crossbow", "auto", 1], EIGHT["pytorch", 1, 1]]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.id)
def test_each_kind_of_row_trains_on_four_and_a_tuned_and_a_pytorch_one_on_eight(
    cell, digits, weights, tmp_path
):
    (tmp_path / "state").mkdir()
    job = Job(cell, digits, weights("logistic"), tmp_path / "state", tmp_path, "fingerprint")
    spread(job, SYSTEMS[cell.system])
    (row,) = record.read_table(tmp_path / record.EPOCHS)
    outcome = record.read_json(tmp_path / record.STATUS)
    assert outcome["status"] == record.FINISHED and outcome["sent_bytes"] > 0
    assert float(row["test_acc"]) > 0.3
    tuned = cell.learners == "auto"
    assert (tmp_path / record.AUTOTUNE).exists() == tuned
    if not tuned:
        step = cell.devices * cell.learners * cell.batch
        assert (int(row["learners"]), int(row["images"])) == (cell.learners, 1437 // step * step)
