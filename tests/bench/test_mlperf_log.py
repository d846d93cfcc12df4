"""Logs in MLPerf's format, before MLPerf's own compliance checker."""

import json
import sys

import pytest
from mlperf_logging.compliance_checker.mlp_compliance import make_checker
from mlperf_logging.compliance_checker.mlp_parser import parse_file
from run_folders import command_line, make, plan

from bench import mlperf_log, record
from bench.launch import launch

RULES = f"training_{mlperf_log.RULESET}/common.yaml"


@pytest.fixture
def export(monkeypatch, capsys):
    return command_line(mlperf_log, monkeypatch, capsys)


def complaints(log):
    """What the compliance checker says of a log."""
    checker = make_checker("training", mlperf_log.RULESET, quiet=False, werror=True)
    checker.check_file(str(log), RULES)
    return [*checker.overwritable.values(), *checker.not_overwritable]


def events(log):
    """Key, value, epoch and milliseconds of each line."""
    lines, errors = parse_file(str(log), ruleset=mlperf_log.RULESET)
    assert not errors
    return [
        (line.key, line.value["value"], line.value["metadata"].get("epoch_num"), line.timestamp)
        for line in lines
    ]


@pytest.fixture(scope="module")
def trained(digits, weights, tmp_path_factory, module_spec):
    """The results folder of a run that was really made."""
    results = tmp_path_factory.mktemp("results")
    state = results / "state" / module_spec.id
    inputs = {"records": digits, "weights": weights("logistic"), "state": state}
    launch(module_spec, inputs, results / "runs" / module_spec.id, sys.executable)
    return results


@pytest.fixture(scope="module")
def module_spec():
    from bench.spec import RunSpec

    run = {"system": "pytorch", "model": "logistic", "dataset": "digits", "batch": 32, "seed": 3}
    return RunSpec(**run, epochs=2, target=0.5, lr=0.05)


def test_of_a_real_run_the_checker_misses_the_benchmark_alone(trained, export, tmp_path):
    assert export(trained, tmp_path) == f"{tmp_path}: 1 of 1 runs\n"
    (log,) = tmp_path.iterdir()
    assert complaints(log) == [
        "Required EXACTLY_ONE occurrence of 'submission_benchmark' but found 0"
    ]
    values = {key: value for key, value, *_ in events(log)}
    assert values["submission_entry"] == log.stem
    assert (values["seed"], values["global_batch_size"]) == (3, 32)
    assert (values["train_samples"], values["eval_samples"]) == (1437, 360)


@pytest.fixture
def benchmark(tmp_path, digits):
    """A run of MLPerf's own workload, as its folder would be; the sizes are those of digits."""
    workload = {"model": "resnet50_v15", "dataset": "imagenet", "target": 0.759}
    folder = make(tmp_path / "results", "r", [0.3, 0.6, 0.76, 0.77], "reached", **workload)
    request = json.loads((folder / record.RUN).read_text())
    request["inputs"]["records"] = str(digits)
    record.write_json(folder / record.RUN, request)
    return folder


def test_the_checker_passes_a_run_of_the_benchmark(benchmark, export, tmp_path):
    export(tmp_path / "results", tmp_path / "out")
    assert complaints(tmp_path / "out" / "r.txt") == []


def test_without_the_records_their_sizes_are_missed(benchmark, export, tmp_path):
    request = json.loads((benchmark / record.RUN).read_text())
    request["inputs"]["records"] = "nowhere"
    record.write_json(benchmark / record.RUN, request)
    export(tmp_path / "results", tmp_path / "out")
    assert [text.split("'")[1] for text in complaints(tmp_path / "out" / "r.txt")] == [
        "train_samples",
        "eval_samples",
    ]


def test_times_are_those_of_the_run_up_to_the_target(benchmark, export, tmp_path):
    export(tmp_path / "results", tmp_path / "out")
    seen = events(tmp_path / "out" / "r.txt")
    start = next(ms for key, *_, ms in seen if key == "init_start")
    clock = [(key, epoch, (ms - start) / 1000) for key, _, epoch, ms in seen]
    assert ("run_start", None, 5.0) in clock  # what comes before is setting up
    of_second = [(key, seconds) for key, epoch, seconds in clock if epoch == 2]
    assert of_second == [
        ("epoch_start", 7.5),
        ("epoch_stop", 9.5),
        ("eval_start", 9.5),
        ("eval_accuracy", 10.0),
        ("eval_stop", 10.0),
    ]
    assert clock[-1] == ("run_stop", None, 12.5)  # 0.76, in the third of four
    assert [value for key, value, *_ in seen if key == "eval_accuracy"] == [0.3, 0.6, 0.76]


@pytest.mark.parametrize("status", ["finished", "diverged", "failed"])
def test_a_run_without_the_target_is_aborted_and_all_its_epochs_are_there(tmp_path, export, status):
    make(tmp_path / "results", "r", [0.3, 0.6], status)
    export(tmp_path / "results", tmp_path / "out")
    lines = (tmp_path / "out" / "r.txt").read_text().splitlines()
    assert '"run_stop"' in lines[-1] and '"aborted"' in lines[-1]
    assert sum('"eval_accuracy"' in line for line in lines) == 2


def test_runs_that_have_not_ended_or_have_no_epoch_have_no_log(tmp_path, export):
    results = tmp_path / "results"
    plan(results, "trains", "broke", "next", "ended")
    make(results, "trains", [0.3])
    make(results, "broke", [], "failed")
    make(results, "ended", [0.3], "finished")
    assert export(results, tmp_path / "out").endswith(
        "1 of 4 runs; 3 have not ended, or had no epoch\n"
    )
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["ended.txt"]


def test_what_can_not_be_done_is_one_sentence(tmp_path, export):
    with pytest.raises(SystemExit, match="no such folder"):
        export(tmp_path / "nowhere", tmp_path / "out")
    make(tmp_path, "r", [0.5], "finished")
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"file.*; name other folders"):
        export(tmp_path, tmp_path / "file")
