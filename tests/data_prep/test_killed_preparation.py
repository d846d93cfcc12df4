"""Killed at any step, and run twice at once: nothing looks finished that isn't."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from data_prep import mnist
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records

ROOT = Path(__file__).parents[2]

# A process that prepares the tiny MNIST, notes each split it reads, and is slow at one of them.
PREPARE = """
import json, sys, time
from data_prep import mnist
from data_prep.__main__ import main

facts = json.loads(sys.argv.pop())
mnist.COUNTS, mnist.ORIGINS = facts["counts"], facts["origins"]
read = mnist.read_split

def noted(split, sources):
    with open(facts["log"], "a") as log:
        log.write(split + " ")
    time.sleep(facts["seconds"].get(split, 0))
    return read(split, sources)

mnist.read_split = noted
sys.exit(main())
"""


def start(folder, archives, log, **seconds):
    facts = {
        "counts": mnist.COUNTS,
        "origins": mnist.ORIGINS,
        "log": str(log),
        "seconds": seconds,
    }
    return subprocess.Popen(
        [sys.executable, "-c", PREPARE, "mnist", folder, "--archives", archives, json.dumps(facts)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(path):
    deadline = time.monotonic() + 60
    while not path.exists():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.01)


def test_a_killed_process_leaves_no_records_and_a_rerun_keeps_its_split(tiny_mnist, tmp_path):
    folder, archives, log = tmp_path / "mnist", tiny_mnist(), tmp_path / "log"
    with start(folder, archives, log, test=600) as process:
        wait_for(folder / ".partial" / "progress.json")
        process.kill()
    assert process.returncode == -signal.SIGKILL
    with pytest.raises(RecordsError, match="no finished records"):
        open_records(folder)

    with start(folder, archives, log) as process:
        _, said = process.communicate()
    assert process.returncode == 0, said
    assert "train was finished before" in said
    assert open_records(folder, verify=True).train_labels.tolist() == [0, 1, 2, 3, 4, 5]
    # Once by the first process; "test" twice at most, as the kill may have come before it.
    assert log.read_text().split().count("train") == 1
    assert not (folder / ".partial").exists()


def test_a_finished_split_of_other_bytes_is_made_again(tiny_mnist, tmp_path):
    archives, folder, clean = tiny_mnist(), tmp_path / "mnist", tmp_path / "clean"
    prepare("mnist", clean, archives)
    with start(folder, archives, tmp_path / "log", test=600) as process:
        wait_for(folder / ".partial" / "progress.json")
        process.kill()
    images = folder / ".partial/train_images.npy"
    data = bytearray(images.read_bytes())
    data[-1] ^= 1
    images.write_bytes(data)
    prepare("mnist", folder, archives)
    assert open_records(folder, verify=True).hashes == open_records(clean).hashes


def test_two_preparations_at_once_make_one(tiny_mnist, tmp_path):
    folder, archives, log = tmp_path / "mnist", tiny_mnist(), tmp_path / "log"
    processes = [start(folder, archives, log, train=1, test=1) for _ in range(3)]
    said = [process.communicate()[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0, 0], said
    assert log.read_text().split() == ["train", "test"]
    assert sum("another preparation" in lines for lines in said) == 2
    assert sum("already finished" in lines for lines in said) == 2
    open_records(folder, verify=True)


def run_and_kill(step, folder, archives):
    """Prepare in a process that is killed at its `step`-th change of the disk.

    That is just before a file is synced, moved or deleted, and just after one was opened to be
    written, when nothing is in it yet.
    """
    child = os.fork()
    if child == 0:
        left = step

        def count():
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        def counted(change):
            def before(*arguments, **options):
                count()
                return change(*arguments, **options)

            return before

        def opened(path, mode="r", *arguments, open_file=Path.open, **options):
            file = open_file(path, mode, *arguments, **options)
            if "w" in mode:
                count()
            return file

        Path.open = opened
        os.fsync = counted(os.fsync)
        Path.replace = counted(Path.replace)
        Path.unlink = counted(Path.unlink)
        os.unlink = counted(os.unlink)
        try:
            prepare("mnist", folder, archives)
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("replacing", [False, True])
def test_killed_at_every_step_it_is_old_new_or_unfinished(tiny_mnist, tmp_path, replacing):
    clean, folder = tmp_path / "clean", tmp_path / "mnist"
    old = None
    if replacing:
        prepare("mnist", tmp_path / "old", tiny_mnist(seed=0))
        old = open_records(tmp_path / "old").hashes
    archives = tiny_mnist(seed=1)
    prepare("mnist", clean, archives)
    new = open_records(clean).hashes

    outcomes = []
    for step in range(1, 200):
        shutil.rmtree(folder, ignore_errors=True)
        if replacing:
            shutil.copytree(tmp_path / "old", folder)
        status = run_and_kill(step, folder, archives)
        try:
            found = open_records(folder, verify=True).hashes
        except RecordsError as error:
            assert "no finished records" in str(error)
            outcomes.append("unfinished")
        else:
            outcomes.append({json.dumps(old): "old", json.dumps(new): "new"}[json.dumps(found)])
        if status == 0:
            break
        assert status == -signal.SIGKILL

        saved = folder / ".partial" / "progress.json"
        finished = set(json.loads(saved.read_text())["splits"]) if saved.exists() else set()
        said = []
        prepare("mnist", folder, archives, report=said.append)
        assert open_records(folder, verify=True).hashes == new
        for split in finished:
            assert f"mnist: reading {split}" not in said, (step, said)
    assert len(outcomes) > 20
    # In one direction only: what was there, then (for a moment) nothing, then the new records.
    order = ["old", "unfinished", "new"] if replacing else ["unfinished", "new"]
    assert outcomes == sorted(outcomes, key=order.index) and set(outcomes) == set(order)
