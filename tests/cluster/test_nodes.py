"""A run over several nodes; here they are torchrun's agents on one machine, that meet by c10d."""

import dataclasses
import json
import os
import signal
import subprocess
import sys

import pytest
from suite import numbers, wait_until

from bench import endings, nodes, record, stop
from bench.launch import launch

REHEARSAL = {nodes.STARTER: f"{sys.executable} -m bench.nodes 2"}


@pytest.fixture
def cell(spec):
    return spec(devices=2, learners=2, epochs=12)


def inputs(folder, run, digits, weights):
    return {
        "records": digits,
        "weights": weights("logistic"),
        "state": folder / "state" / run.id,
    }


def start(run, folder, given):
    """`python -m bench.launch` on two nodes that are this machine."""
    folders = given | {"out": folder / "runs" / run.id}
    options = [f"--{name}={path}" for name, path in folders.items()]
    command = [sys.executable, "-m", "bench.launch", json.dumps(run.to_dict()), *options]
    return subprocess.Popen(command, env=os.environ | REHEARSAL)


def without_run(folder, run):
    return [row | {"run": ""} for row in numbers(folder, run.id)]


def test_two_nodes_stopped_and_resumed_train_exactly_what_one_does(cell, digits, weights, tmp_path):
    """SIGTERM reaches the ranks of both nodes; they leave a checkpoint of the same epoch."""
    given = inputs(tmp_path, cell, digits, weights)
    alone = launch(cell, given, tmp_path / "runs" / cell.id, sys.executable)
    assert alone["status"] == record.REACHED
    two = dataclasses.replace(cell, nodes=2)
    given = inputs(tmp_path, two, digits, weights)
    launcher, epochs = start(two, tmp_path, given), tmp_path / "runs" / two.id / record.EPOCHS
    wait_until(lambda: len(record.read_table(epochs)) > 1, launcher)
    launcher.send_signal(signal.SIGTERM)
    assert launcher.wait() == stop.RESUME
    assert not (epochs.parent / record.STATUS).exists()
    kept = {path.name.split("-rank-")[1] for path in given["state"].glob("epoch-*.npz")}
    assert kept == {"0.npz", "1.npz"}
    assert start(two, tmp_path, given).wait() == 0
    assert "resuming" in (epochs.parent / record.LOG).read_text()
    assert without_run(tmp_path, two) == without_run(tmp_path, cell)
    ended = record.read_json(epochs.parent / record.STATUS)
    assert (ended["status"], ended["sent_bytes"]) == (alone["status"], alone["sent_bytes"])
    assert not list(given["state"].glob("epoch-*"))


def test_srun_starts_one_agent_a_node(spec):
    two = spec(devices=4, nodes=2)
    words = nodes.command(two, "python3", ["system", "run.json"], {nodes.ALLOCATION: "7"})
    assert words[:4] == ["srun", "--nodes=2", "--ntasks=2", "--ntasks-per-node=1"]
    assert "--cpus-per-task=2" in words and not any(word.startswith("--gres") for word in words)
    agent = words[words.index("python3") :]
    assert agent[1:3] == ["-m", "bench.agent"] and agent[-3:] == ["-m", "system", "run.json"]
    assert {"--nnodes=2", "--nproc-per-node=2", "--rdzv-backend=c10d"} <= set(agent)
    on_gpus = dataclasses.replace(two, device_type="cuda")
    words = nodes.starter(on_gpus, {nodes.ALLOCATION: "7"})
    assert {"--gres=gpu:2", "--cpus-per-task=16"} <= set(words)


def test_one_node_needs_nothing_to_start_it(spec):
    assert nodes.command(spec(), "python3", ["system"], {}) == ["python3", "-m", "system"]


def test_own_words_start_the_agents_anywhere(spec):
    words = nodes.starter(spec(devices=2, nodes=2), {nodes.STARTER: "mpirun -np 2"})
    assert words == ["mpirun", "-np", "2"]


def test_without_a_way_to_start_them_it_says_what_to_do(cell, digits, weights, tmp_path):
    two = dataclasses.replace(cell, nodes=2)
    given = inputs(tmp_path, two, digits, weights)
    with pytest.raises(nodes.NoNodes, match=r"needs 2 nodes; submit it to Slurm by .* CROSSBOW_NO"):
        launch(two, given, tmp_path / "out", sys.executable)


@pytest.mark.parametrize(("ends", "code"), [("exit 3", 3), ("exit 0", 0)])
def test_an_agent_that_fails_ends_the_others(tmp_path, ends, code):
    # The first of the two to make the folder does what it has to; the other waits for its end.
    script = f"mkdir {tmp_path}/first 2> {tmp_path}/no && {{ {ends}; }}; exec sleep {9 * code}"
    command = [sys.executable, "-m", "bench.nodes", "2", "sh", "-c", script]
    assert subprocess.run(command).returncode == code


def test_the_reason_is_that_of_the_rank_that_failed_first(tmp_path):
    endings.leave_first(tmp_path, ValueError("no image 7"))
    endings.leave_first(tmp_path, RuntimeError("Connection closed by peer"))
    assert record.read_json(tmp_path / record.STATUS)["reason"] == "ValueError: no image 7"


def test_a_rank_that_torchrun_did_not_start_says_who_does(spec):
    from bench.ranks import on_devices

    with pytest.raises(ValueError, match="a run on 2 nodes, whose processes torchrun starts"):
        on_devices(spec(devices=2, nodes=2), lambda rank: None)
