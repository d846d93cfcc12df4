"""The cost of a large matrix grows with its runs alone: seen by counting, on small ones."""

import json
import sys

import pandas as pd
import pytest

from bench import environment, record, summary
from bench.progress import MATRIX
from benchmarks import suite_scale
from workflows import plan as planning


@pytest.fixture
def count(monkeypatch):
    """A function that counts the calls of a module's function from then on."""

    def of(module, name):
        calls, function = [], getattr(module, name)

        def counting(*given, **named):
            calls.append(given)
            return function(*given, **named)

        monkeypatch.setattr(module, name, counting)
        return calls

    return of


@pytest.mark.parametrize("runs", [50, 200])
def test_a_plan_looks_up_data_and_models_once_a_group_not_once_a_run(runs, count, tmp_path):
    looked_up = [count(planning, name) for name in ("data_of", "lacks_model")]
    planned = planning.plan(suite_scale.config_of(runs, 5, tmp_path)).runs
    assert len(planned) == runs
    assert [len(calls) for calls in looked_up] == [2, 2]


def test_a_run_of_the_plan_has_one_id_that_is_hashed_once(count):
    from bench import spec as specs

    hashed = count(specs.json, "dumps")
    one = specs.RunSpec(
        system="pytorch", model="m", dataset="d", batch=1, seed=1, epochs=1, target=0.5, lr=0.1
    )
    assert one.id == one.id and len(hashed) == 1


def test_tables_of_equal_columns_are_parsed_at_once_and_others_in_their_order(
    count, tmp_path, monkeypatch
):
    content = suite_scale.config_of(50, 5, tmp_path)
    runs = planning.plan(content).runs
    surroundings = environment.environment()
    for number, spec in enumerate(runs.values()):
        suite_scale.make_run(tmp_path, spec, surroundings, number)
    odd = list(runs)[20]
    table = pd.read_csv(tmp_path / "runs" / odd / record.EPOCHS)
    older = table.drop(columns="test_top5").assign(another=1)  # as another version wrote it
    older.to_csv(tmp_path / "runs" / odd / record.EPOCHS, index=False)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / MATRIX).write_text("\n".join(runs))
    monkeypatch.setattr(sys, "argv", ["summary", str(tmp_path)])
    monkeypatch.setattr(summary.energy, "of_run", lambda *_: {})
    parsed = count(pd, "read_csv")
    summary.main()
    assert len(parsed) == 4  # epochs before, of and after the odd run; samples of the tuner
    joined = pd.read_csv(tmp_path / "epochs.csv")
    assert list(joined["run"]) == [run for run in runs for _ in range(5)]
    assert list(joined.columns) == record.EPOCH_COLUMNS
    assert set(joined["run"][joined["test_top5"].isna()]) == {odd}
    assert len(json.loads((tmp_path / "machines.json").read_text())) == 2


def test_the_benchmark_measures_what_it_was_asked_to(tmp_path, monkeypatch):
    given = ["--runs", "50", "--epochs", "5", "--steps", "summary", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", ["suite_scale", *given, "--keep", str(tmp_path / "kept")])
    suite_scale.main()
    found = json.loads((tmp_path / "suite_scale.json").read_text())
    assert (found["runs"], found["epochs"]) == (50, 5)
    assert found["summary"].keys() == {"seconds", "cpu_s", "peak_bytes"} and "report" not in found
    assert len(pd.read_csv(tmp_path / "kept/results/summary.csv")) == 50
    assert len(pd.read_csv(tmp_path / "kept/results/epochs.csv")) == 250
