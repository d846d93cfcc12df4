"""Each benchmark's command, with stretches too short to mean anything."""

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bench import record
from benchmarks import engine, overhead, tuning

ROOT = Path(engine.__file__).parents[1]
CELL = {
    "system": "crossbow", "model": "logistic", "dataset": "digits", "device_type": "cpu",
    "batch": 8, "augmentation": "none",
}  # fmt: skip


@pytest.fixture
def call(digits, tmp_path):
    """Runs a benchmark on a cell and returns the folder that it wrote to."""

    def run(module, cell, *options):
        command = [sys.executable, "-m", f"benchmarks.{module}", json.dumps(cell)]
        command += ["--data", str(digits.parent), "--out", str(tmp_path), *options]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return tmp_path

    return run


@pytest.mark.parametrize("system", ["crossbow", "pytorch", "tensorflow"])
def test_a_cell_has_a_row_per_number_of_learners(system, digits):
    learners = [1, 3] if system == "crossbow" else [1]
    cell = CELL | {"system": system, "learners": learners}
    rows = list(engine.measured(cell, digits.parent, options=("--stretch", "0.02")))
    assert [row["learners"] for row in rows] == learners
    assert all(row["images_per_s"] > 0 and row["batch"] == 8 for row in rows)


def test_a_cell_of_two_devices_counts_the_images_of_both(digits):
    cell = CELL | {"devices": 2}
    (row,) = engine.measured(cell, digits.parent, options=("--stretch", "0.02"))
    assert row["devices"] == 2


def test_rows_until_a_cell_fails_count(digits, capfd):
    cell = CELL | {"learners": [1, "many"]}
    rows = list(engine.measured(cell, digits.parent, options=("--stretch", "0.02")))
    assert [row["learners"] for row in rows] == [1]
    assert "ended with code 1" in capfd.readouterr().out


def test_a_model_of_ones_own_is_measured(digits):
    own = {"model": "normed", "model_source": str(ROOT / "tests/baselines/normed.py")}
    (row,) = engine.measured(CELL | own, digits.parent, options=("--stretch", "0.02"))
    assert row["model"] == "normed" and row["images_per_s"] > 0


def test_a_cell_that_takes_too_long_is_killed(digits, capfd):
    assert list(engine.measured(CELL, digits.parent, limit_s=0.2)) == []
    assert "killed, as its time or its memory was over" in capfd.readouterr().out


def test_tf_data_is_measured_by_itself_and_beside_training(call):
    folder = call("tf_data", CELL | {"system": "tensorflow"}, "--stretch", "0.02")
    found = record.read_json(folder / "tf_data.json")
    assert {(row["ahead"], row["parallel"]) for row in found["pipeline"]} == {
        (ahead, parallel) for ahead in (0, 1, 2, 8, -1) for parallel in (False, True)
    }
    for row in [*found["pipeline"], found["training"]]:
        low, high = row["range"]
        assert 0 < low <= row["images_per_s"] <= high


def test_overhead_compares_stretches_with_and_without_the_sampler(call):
    folder = call("overhead", CELL, "--pairs", "3", "--stretch", "0.6")
    found = record.read_json(folder / "overhead.json")
    assert found["images_per_s_sampled"] > 0 < found["images_per_s_alone"]
    low, high = found["cost_range"]
    assert low <= found["cost"] <= high
    assert 1 < found["samples_per_s"] <= 2  # the sampler's own period, without a GPU
    assert 0 < found["sampler_cores"] < 1
    assert found["environment"]["cores"] and "commit" in found["code"]


def test_sampled_stretches_and_others_take_turns():
    sampling, seen = threading.Event(), []

    def stretch():
        seen.append(sampling.is_set())
        return float(len(seen))

    found = overhead.in_turns(3, sampling, stretch)
    assert seen == [True, False, False, True, True, False] and not sampling.is_set()
    assert found == [{True: 1, False: 2}, {False: 3, True: 4}, {True: 5, False: 6}]


def test_cost_of_sampling_is_that_of_the_pairs():
    found = overhead.summary(
        [{True: 90.0, False: 100.0}, {True: 49.0, False: 50.0}, {True: 10.0, False: 10.0}]
    )
    assert found["cost"] == pytest.approx(0.02)
    assert found["cost_range"] == [0.0, pytest.approx(0.1)]
    assert (found["images_per_s_sampled"], found["images_per_s_alone"]) == (49.0, 50.0)


def test_tuning_writes_sweep_and_tuner_side_by_side(call):
    cell = CELL | {"epochs": 3, "batch": 4}
    folder = call("tuning", cell, "--learners", "[1, 2]", "--stretch", "0.02")
    found = record.read_json(folder / "tuning.json")
    rows = record.read_table(folder / "tuning.csv")
    assert [row["learners"] for row in rows if row["source"] == "sweep"] == ["1", "2"]
    tuner = [row for row in rows if row["source"] == "tuner"]
    assert tuner[0]["learners"] == "1" and float(tuner[-1]["tuning_s"]) == found["tuning_s"]
    assert 0 < found["tuning_s"] < found["train_s"]


@pytest.mark.parametrize(
    ("cell", "learners", "sentence"),
    [
        (CELL | {"system": "pytorch"}, [1], "CELL.system: pytorch has no learners to tune; use"),
        (CELL | {"learners": 4}, [1], "CELL.learners: the tuner chooses them; --learners has"),
        (CELL | {"model": "resnet50"}, [1], "CELL.model: on digits, resnet50 needs at least 32"),
        (CELL, [1, 200], "CELL.batch: one iteration takes 1600 images and digits has 1437"),
        ([CELL], [1], "is not a mapping of keys to values"),
    ],
)
def test_a_cell_that_has_no_tuner_is_refused(
    cell, learners, sentence, tmp_path, monkeypatch, capsys
):
    command = ["tuning", json.dumps(cell), "--learners", json.dumps(learners)]
    monkeypatch.setattr(sys, "argv", [*command, "--out", str(tmp_path / "out")])
    with pytest.raises(SystemExit) as refused:
        tuning.main()
    assert refused.value.code == 2 and sentence in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_chosen_learners_are_judged_by_the_sweep():
    sweep = [{"learners": m, "images_per_s": x} for m, x in ((1, 10.0), (4, 40.0), (8, 50.0))]
    found = tuning.compare(sweep, 6, [{"tuning_s": 1.0}, {"tuning_s": 2.0}], 100.0)
    assert (found["best"], found["chosen_images_per_s"]) == (8, 45.0)
    assert found["ratio"] == pytest.approx(0.9) and found["share"] == pytest.approx(0.02)
    assert tuning.throughput_at(16, sweep) == 50.0
