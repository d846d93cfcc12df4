"""The command of a timeline without a GPU: what is profiled, what is left when a rank dies."""

import json
import os
import signal
import sys
from types import SimpleNamespace

import pytest
import torch
from torch.multiprocessing import ProcessRaisedException
from torch.profiler import ProfilerActivity, profile

from bench import record
from benchmarks import timeline

CELL = {"system": "crossbow", "model": "logistic", "dataset": "digits", "batch": 8}
PART = {
    "overlap": {"kernels_at_once": 1.5},
    "spans": [{"stream": 7, "kind": "compute", "kernels": 2, "start_us": 0.0, "end_us": 3.0}],
}


@pytest.fixture
def command(digits, tmp_path, monkeypatch):
    """Runs the command on a cell's fields and options; the folder that it wrote to."""

    def run(*options, **fields):
        cell = json.dumps(CELL | {"device_type": "cpu"} | fields)
        arguments = [cell, "--data", str(digits.parent), "--out", str(tmp_path / "out"), *options]
        monkeypatch.setattr(sys, "argv", ["timeline", *arguments])
        timeline.main()
        return tmp_path / "out"

    return run


@pytest.fixture
def on_cpus(monkeypatch):
    """A CPU stands in for each GPU; its operators for kernels."""

    def on_cpu(activities, schedule):
        return profile(activities=[ProfilerActivity.CPU], schedule=schedule)

    monkeypatch.setattr(timeline, "profile", on_cpu)
    monkeypatch.setattr(timeline, "KERNEL", "cpu_op")
    monkeypatch.setattr(timeline, "_refuse", lambda spec: None)


def leaves(out, rank):
    record.write_json(timeline._part(out, rank), PART)


@pytest.mark.parametrize(
    ("options", "ranks"), [((), ["rank 0", "rank 1"]), (("--ranks", "2"), ["rank 2"])], ids=str
)
def test_of_three_ranks_two_are_profiled_or_those_asked_for(options, ranks, command, on_cpus):
    folder = command(*options, devices=3)
    found = record.read_json(folder / "overlap.json")
    assert [name for name in found if name.startswith("rank")] == ranks
    assert all(found[name]["kernels_at_once"] > 0 for name in ranks)
    assert found["environment"]["cpu"] and found["code"]["commit"]
    rows = record.read_table(folder / "timeline.csv")
    assert sorted({f"rank {row['rank']}" for row in rows}) == ranks
    assert sorted(path.name for path in folder.iterdir()) == ["overlap.json", "timeline.csv"]


@pytest.mark.parametrize("there", [100, 12])
def test_warm_up_is_not_kept_and_ends_with_the_epoch(there, spec, tmp_path, on_cpus, monkeypatch):
    """Every iteration here is one kernel."""
    ran = []

    def run(epoch, cursor, count):
        ran.append(count)
        for _ in range(count):
            torch.neg(numbers)

    feed, numbers = SimpleNamespace(plan=lambda epoch: None), torch.ones(3)
    system = SimpleNamespace(feed=feed, begin=lambda *_: there, drain=lambda: None, run=run)
    monkeypatch.setattr(timeline, "prepared", lambda *_: system)
    timeline.trace(0, spec(), tmp_path, tmp_path / "weights.npz", tmp_path, [0])
    assert ran == [min(timeline.WARM_UP, there), timeline.ITERATIONS]
    spans = record.read_json(timeline._part(tmp_path, 0))["spans"]
    assert sum(span["kernels"] for span in spans) == timeline.ITERATIONS // 3


def dies(rank, spec, data, weights, out, ranks):
    """Stands in for `trace`: rank 1 crashes before it has written anything."""
    if rank == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    leaves(out, rank)


def test_a_rank_that_crashes_is_named_and_the_others_are_kept(
    command, on_cpus, tmp_path, monkeypatch, capfd
):
    monkeypatch.setattr(timeline, "trace", dies)
    monkeypatch.setattr("faulthandler.is_enabled", lambda: False)  # as where pytest is not
    (tmp_path / "out").mkdir()
    leaves(tmp_path / "out", 1)  # of a call before
    with pytest.raises(SystemExit) as ended:
        command(devices=2)
    out = tmp_path / "out"
    assert ended.value.code == (
        f"rank 1 of 2 ranks was killed by SIGSEGV; {out} lacks rank 1; "
        "try --ranks 0, or another rank alone"
    )
    assert {row["rank"] for row in record.read_table(out / "timeline.csv")} == {"0"}
    assert "rank 1" not in record.read_json(out / "overlap.json")
    printed = capfd.readouterr().err
    assert "Fatal Python error: Segmentation fault" in printed and "in dies" in printed


def test_a_rank_that_fails_says_how_and_the_others_are_kept(
    command, on_cpus, tmp_path, monkeypatch
):
    def fails(rank, spec, data, weights, out, ranks):
        if rank == 1:
            raise ValueError("no such kernel")
        leaves(out, rank)

    monkeypatch.setattr(timeline, "trace", fails)
    with pytest.raises(ProcessRaisedException, match="no such kernel"):
        command(devices=2)
    assert "rank 0" in record.read_json(tmp_path / "out" / "overlap.json")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"device_type": "cpu"}, "is of kernels on GPUs: the cell asks for 1 x cpu"),
        ({"system": "pytorch"}, "Crossbow's learners, and the cell's system is pytorch"),
    ],
    ids=["cpu", "pytorch"],
)
def test_what_has_no_timeline_is_refused(fields, why, command):
    with pytest.raises(SystemExit, match=why):
        command(**fields)


def test_a_rank_that_there_is_not_is_refused(command, on_cpus, capsys):
    with pytest.raises(SystemExit):
        command("--ranks", "2", devices=2)
    assert "the cell's ranks are 0 to 1" in capsys.readouterr().err
