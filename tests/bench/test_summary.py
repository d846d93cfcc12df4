"""The joined tables have what the runs left, also those of an older version or without a tuner."""

import dataclasses
import sys

import pandas as pd
import pytest

from bench import record, summary
from bench.spec import RunSpec
from bench.summary_columns import SPEC_COLUMNS

GIVEN = {"model": "m", "dataset": "d", "batch": 4, "seed": 1, "epochs": 1, "target": 0.5, "lr": 0.1}
EPOCH = {"epoch": 1, "iteration": 9, "images": 36, "train_s": 2.0, "eval_s": 1.0, "wall_s": 4.0}
EPOCH |= {"learners": 1, "lr": 0.1, "train_loss": 1.0, "test_loss": 1.0, "test_acc": 0.75}
EPOCH |= {"test_top5": 1.0, "images_per_s": 18.0}


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Write these runs as a pipeline would, and join them."""

    def join(*runs):
        (tmp_path / "state").mkdir()
        names = [f"run-{number}" for number, _ in enumerate(runs)]
        (tmp_path / "state/matrix.txt").write_text("\n".join(names))
        for name, (spec, outcome, tuning) in zip(names, runs, strict=True):
            folder = tmp_path / "runs" / name
            folder.mkdir(parents=True)
            job = {"run": name, "spec": spec, "machine": "a machine", "environment": {}}
            job |= {"code": {"commit": "c", "dirty": False}}
            record.write_json(folder / record.RUN, job)
            status = {"status": "finished", "reason": "", "wall_s": 5.0}
            record.write_json(folder / record.STATUS, status | outcome)
            rows = [EPOCH | {"run": name}]
            record.write_table(folder / record.EPOCHS, record.EPOCH_COLUMNS, rows)
            record.write_table(folder / record.TELEMETRY, record.TELEMETRY_COLUMNS, [])
            if tuning is not None:
                tuning.assign(run=name).to_csv(folder / record.AUTOTUNE, index=False)
        monkeypatch.setattr(sys, "argv", ["summary", str(tmp_path)])
        summary.main()
        return tmp_path

    return join


def spec(system, **given):
    return RunSpec(system=system, **(GIVEN | given)).to_dict()


def tuning(*rows):
    return pd.DataFrame(rows, columns=["run", "iteration", "learners", "decision"])


def test_every_setting_of_a_run_is_a_column():
    assert {field.name for field in dataclasses.fields(RunSpec)} <= set(SPEC_COLUMNS)


def test_settings_and_memory_are_joined(results):
    memory = {"memory_bytes": 3_000_000_001, "learner_memory_bytes": 7}
    averaging = spec("crossbow", variant="released", tau=4, batch_norm="shared", compile=True)
    folder = results((averaging, memory, None), (spec("pytorch", precision="bf16"), {}, None))
    one, other = pd.read_csv(folder / "summary.csv", dtype=str).to_dict("records")
    assert (one["tau"], one["batch_norm"], one["compile"]) == ("4", "shared", "True")
    assert (one["memory_bytes"], one["learner_memory_bytes"]) == ("3000000001", "7")
    # It averages nothing, and its memory is not known.
    for column in ("tau", "batch_norm", "memory_bytes", "learner_memory_bytes", "energy_j"):
        assert pd.isna(other[column]), column
    assert (other["precision"], other["graph"], other["learners"]) == ("bf16", "False", "1")


def test_a_setting_that_an_older_run_did_not_have_is_empty(results):
    old = spec("crossbow", variant="released")
    del old["tau"], old["precision"]
    (row,) = pd.read_csv(results((old, {}, None)) / "summary.csv", dtype=str).to_dict("records")
    assert pd.isna(row["tau"]) and pd.isna(row["precision"]) and row["batch_norm"] == "averaged"


def test_a_setting_that_left_ids_as_they_were_has_its_default_in_an_older_run(results):
    old = spec("pytorch")
    del old["nodes"], old["repeat"]
    (row,) = pd.read_csv(results((old, {}, None)) / "summary.csv", dtype=str).to_dict("records")
    assert (row["nodes"], row["repeat"]) == ("1", "1")


def test_samples_of_all_tuned_runs_are_joined(results):
    tuned = spec("crossbow", variant="released", learners="auto")
    old = tuning(["", 8, 1, "wait"], ["", 16, 1, "grow"])
    new = tuning(["", 8, 1, "shrink"]).assign(tuning_s=0.5)
    folder = results((tuned, {}, old), (spec("pytorch"), {}, None), (tuned, {}, new))
    table = pd.read_csv(folder / "autotune.csv")
    assert list(table.columns) == record.AUTOTUNE_COLUMNS
    assert list(table["run"]) == ["run-0", "run-0", "run-2"]
    assert list(table["decision"]) == ["wait", "grow", "shrink"]
    assert list(table["tuning_s"].dropna()) == [0.5]


def test_without_a_tuned_run_there_is_the_header_alone(results):
    folder = results((spec("pytorch"), {}, None))
    assert (folder / "autotune.csv").read_text() == ",".join(record.AUTOTUNE_COLUMNS) + "\n"
