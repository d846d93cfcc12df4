"""Run directories as the launcher leaves them, at any moment of a run."""

import os
import sys
import time

from bench import record

CPU = {"system": "pytorch", "model": "lenet", "dataset": "digits", "device_type": "cpu"}
SPEC = CPU | {"devices": 1, "batch": 16, "seed": 1, "epochs": 4, "target": 0.9, "lr": 0.1}
SPEC |= {"weight_decay": 0.0, "schedule": {"kind": "constant"}}


def plan(results, *runs):
    """A results folder of which `runs` are planned."""
    (results / "state").mkdir(parents=True, exist_ok=True)
    (results / "state" / "matrix.txt").write_text("".join(f"{run}\n" for run in runs))


def epoch(number, accuracy):
    """A row of epochs.csv: 5 s of setting up, then epochs of 2 s and evaluations of 0.5 s."""
    times = {"train_s": 2.0 * number, "eval_s": 0.5 * number, "wall_s": 5 + 2.5 * number}
    row = dict.fromkeys(record.EPOCH_COLUMNS, 1) | times
    return row | {"epoch": number, "test_acc": accuracy, "images_per_s": 700.0 + number}


def make(results, run, accuracies=(), status=None, reason="", ago_s=0.0, **settings):
    """A run with epochs of these accuracies, last written `ago_s` ago; it runs without a status."""
    folder = results / "runs" / run
    folder.mkdir(parents=True, exist_ok=True)
    spec = SPEC | settings
    request = {"run": run, "spec": spec, "machine": "2 x a CPU", "inputs": {"records": "nowhere"}}
    record.write_json(folder / record.RUN, request)
    rows = [epoch(number, accuracy) for number, accuracy in enumerate(accuracies, 1)]
    record.write_table(folder / record.EPOCHS, record.EPOCH_COLUMNS, rows)
    if status:
        wall_s = 6 + 2.5 * len(rows)
        outcome = {"status": status, "reason": reason, "wall_s": wall_s, "carried_s": 0.0}
        record.write_json(folder / record.STATUS, outcome)
    written = time.time() - ago_s
    for path in folder.iterdir():
        os.utime(path, (written, written))
    return folder


def sample(folder, *utilisations, device="cpu", every_s=0.5):
    """Its telemetry: a sample of `device` every so often, with these utilisations."""
    rows = [
        {"run": folder.name, "t_s": i * every_s, "device": device, "utilization": value}
        for i, value in enumerate(utilisations)
    ]
    record.write_table(folder / record.TELEMETRY, record.TELEMETRY_COLUMNS, rows)


def command_line(module, monkeypatch, capsys):
    """A function that runs a module's command line and returns what it says."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", [module.__name__, *map(str, arguments)])
        module.main()
        return capsys.readouterr().out

    return run
