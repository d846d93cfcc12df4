"""Summaries and epochs as a matrix would leave them, with known times to the target."""

import io
import zlib
from functools import cache

import numpy as np
import pandas as pd

from plots import _tables
from plots._tables import Tables

TARGET = 0.9
EPOCH_COLUMNS = ["run", "epoch", "iteration", "images", "train_s", "eval_s", "wall_s", "learners"]
EPOCH_COLUMNS += ["lr", "train_loss", "test_loss", "test_acc", "test_top5", "images_per_s"]
MEASURED = ["memory_bytes", "learner_memory_bytes", "energy_j", "joules_per_image"]
AUTOTUNE_COLUMNS = ["run", "iteration", "learners", "images_per_s", "decision", "memory_bytes"]
AUTOTUNE_COLUMNS += ["tuning_s"]


def run(epochs: int = 12, **given) -> tuple[dict, list[dict]]:
    """One run: its row of the summary, and its epochs."""
    spec = {
        "system": "crossbow",
        "model": "lenet",
        "dataset": "digits",
        "device_type": "cpu",
        "devices": 1,
        "learners": "2",
        "batch": 16,
        "seed": 1,
    } | given
    learners = 3 if spec["learners"] == "auto" else int(spec["learners"])
    is_crossbow = spec["system"] == "crossbow"
    key = "-".join(str(value) for value in spec.values())
    noise = np.random.default_rng(zlib.crc32(key.encode()))
    total = spec["devices"] * learners * spec["batch"]
    rate = 900 * total**0.45 * (1.0 if is_crossbow else 0.7) * noise.uniform(0.95, 1.05)
    rate = given.get("images_per_s", rate)
    pace = (1.5 + total / 200) * noise.uniform(0.9, 1.1)
    accuracy = 0.96 - 0.8 * np.exp(-np.arange(1, epochs + 1) / pace)
    row = spec | {
        "run": given.get("run", key),
        "variant": "algorithm-1" if is_crossbow else "",
        "alpha": 1 / learners if is_crossbow else None,
        "mu": 0.9 if is_crossbow else None,
        "momentum": 0.9,
        "weight_decay": 0.0,
        "lr": 0.1,
        "schedule": "constant",
        "epochs": epochs,
        "augmentation": "none",
        "precision": "fp32",
        "target": TARGET,
        "status": "finished",
        "reason": "",
        "epochs_run": epochs,
        "learners_final": learners,
        "images_per_s": rate,
        **_measured(spec, learners, rate),
        "commit": "1e8466f",
        "dirty": False,
        "machine": "2 x AMD EPYC, Linux",
    }
    row |= {key: value for key, value in given.items() if key in row}
    seconds = np.arange(1, epochs + 1) * 1500 / rate
    rows = [
        dict.fromkeys(EPOCH_COLUMNS, 0)
        | {"run": row["run"], "epoch": i + 1, "train_s": seconds[i], "test_acc": accuracy[i]}
        | {"images": 1500 * (i + 1)}
        for i in range(epochs)
    ]
    reached = np.flatnonzero(accuracy >= TARGET)
    row |= {"train_s": seconds[-1], "wall_s": seconds[-1] * 1.2, "final_loss": 0.2}
    row |= {"final_acc": accuracy[-1], "best_acc": accuracy.max()}
    for rule in ("first", "median5", "sustained"):
        row[f"{rule}_epochs"] = reached[0] + 1 if len(reached) else None
        row[f"{rule}_s"] = seconds[reached[0]] if len(reached) else None
    return row | {key: value for key, value in given.items() if key in row}, rows


def _measured(spec: dict, learners: int, rate: float) -> dict:
    """Memory and energy, which a GPU tells and a CPU does not."""
    if spec["device_type"] == "cpu":
        return dict.fromkeys(MEASURED)
    learner_bytes = 2**20 * (40 + 6 * spec["batch"])
    watts = spec["devices"] * (200 + min(450, 60 * learners))
    values = 2**29 + learners * learner_bytes, learner_bytes, watts * 18000 / rate, watts / rate
    return dict(zip(MEASURED, values, strict=True))


def failed(status: str, reason: str, **given) -> tuple[dict, list[dict]]:
    """A run that ended before its first epoch."""
    row, _ = run(**given)
    empty = dict.fromkeys(
        ["final_acc", "best_acc", "final_loss", "images_per_s", "learners_final", "train_s"]
        + MEASURED
        + [
            f"{rule}_{unit}"
            for rule in ("first", "median5", "sustained")
            for unit in ("epochs", "s")
        ]
    )
    return row | empty | {"status": status, "reason": reason, "epochs_run": 0}, []


def diverged(after: int, **given) -> tuple[dict, list[dict]]:
    """A run that trained some epochs and then diverged."""
    row, rows = run(**given)
    never = {
        f"{rule}_{unit}": None
        for rule in ("first", "median5", "sustained")
        for unit in ("epochs", "s")
    }
    end = {"status": "diverged", "reason": "loss is nan", "epochs_run": after}
    return row | never | end | {"train_s": rows[after - 1]["train_s"]}, rows[:after]


def tuning(row: dict) -> list[dict]:
    """The throughput samples of a tuned run: four for each number of learners up to one too many.

    Throughput and memory rise with the learners, but the last of them does not pay.
    """
    samples, best = [], row["learners_final"]
    tried = [m for m in (1, 2, 3, 4, 6, 9, 13, 19, 28) if m <= best]
    for learners in (*tried, 1.5 * best // 1 + (best == 1)):
        rate = row["images_per_s"] * (min(learners, best) / best) ** 0.6
        decision = "grow" if learners <= best else "shrink"
        for place in range(4):
            samples.append(
                {
                    "run": row["run"],
                    "iteration": 8 * (len(samples) + 1),
                    "learners": learners,
                    "images_per_s": rate * (0.6 if place == 0 else 1 + 0.01 * place),
                    "decision": decision if place == 3 else "wait",
                    "memory_bytes": _measured(row, learners, 1.0)["memory_bytes"],
                    "tuning_s": 0.25 * (learners - 1),
                }
            )
    return samples


def tables(*runs: tuple[dict, list[dict]]) -> Tables:
    """The joined tables of these runs; the tuned ones that trained have samples."""
    summary = typed(pd.DataFrame([row for row, _ in runs]))
    rows = [row for _, rows in runs for row in rows]
    tuned = [row for row, rows in runs if row["learners"] == "auto" and rows]
    samples = [sample for row in tuned for sample in tuning(row)]
    epochs = pd.DataFrame(rows, columns=EPOCH_COLUMNS)
    return Tables(summary, epochs, pd.DataFrame(samples, columns=AUTOTUNE_COLUMNS))


def typed(rows: pd.DataFrame) -> pd.DataFrame:
    """A summary of these rows as it is read from its file."""
    text = io.StringIO(rows.to_csv(index=False))
    return _tables.typed(pd.read_csv(text, dtype=str, keep_default_na=False))


@cache
def empty_tables() -> Tables:
    """All tables with their columns and no row."""
    whole = tables(run(learners="auto"))
    return Tables(whole.summary.iloc[:0], whole.epochs.iloc[:0], whole.autotune.iloc[:0])


@cache
def matrix() -> Tables:
    """A matrix of 24 configurations and three seeds, where some runs went wrong."""
    cells = [
        {"system": "crossbow", "devices": devices, "learners": learners, "batch": batch}
        for devices in (1, 2)
        for learners in ("1", "2", "4", "auto")
        for batch in (16, 64)
    ]
    cells += [
        {"system": system, "devices": devices, "learners": "1", "batch": batch}
        for system in ("pytorch", "tensorflow")
        for devices in (1, 2)
        for batch in (16, 64)
    ]
    runs = [run(**cell, seed=seed) for cell in cells for seed in (1, 2, 3)]
    runs[1] = diverged(4, **cells[0], seed=2)
    for place in (15, 16, 17):
        runs[place] = failed("out_of_memory", "CUDA out of memory", **cells[5], seed=place - 14)
    return tables(*runs)


HOW = {
    "eager": {"precision": "fp32", "compile": False, "channels_last": False, "graph": False},
    "fast": {"precision": "bf16", "compile": True, "channels_last": True, "graph": True},
}


@cache
def gpu_matrix(
    devices: tuple[int, ...] = (1, 8), batches: tuple[int, ...] = (16, 64, 256)
) -> Tables:
    """A network on GPUs, where learners raise the throughput and a step is computed in two ways."""
    place = {"model": "resnet32", "dataset": "cifar10", "device_type": "cuda"}
    runs = []
    for count in devices:
        for batch in batches:
            here = place | {"devices": count, "batch": batch, "unroll": 1}
            for learners in ("1", "4", "16", "auto"):
                final = {16: 9, 64: 6}.get(batch, 4) if learners == "auto" else int(learners)
                most = 16000 * (batch / 16) ** 0.65 * (1 - np.exp(-final / 4)) * 3 * count**0.95
                cell = here | {"learners": learners, "learners_final": final} | HOW["fast"]
                cell |= {"tau": 1}
                if (learners, batch) == ("16", 256):
                    runs += [failed("out_of_memory", "CUDA out of memory", **cell, seed=1)]
                    continue
                for seed in (1, 2, 3):
                    rate = most * (1 + 0.02 * seed)
                    runs.append(run(**cell, seed=seed, images_per_s=rate, epochs=20))
            for how, rate in (("eager", 1000), ("fast", 11000)):
                cell = here | {"system": "pytorch", "learners": "1"} | HOW[how]
                cell |= {"learner_memory_bytes": None}
                rate *= (batch / 16) ** 0.8 * count**0.9
                runs += [run(**cell, seed=s, images_per_s=rate * (1 + 0.02 * s)) for s in (1, 2, 3)]
    return tables(*runs)


PAPER = {
    ("lenet", "mnist"): (4, 0.99),
    ("resnet32", "cifar10"): (64, 0.88),
    ("vgg16", "cifar100"): (256, 0.69),
    ("resnet50", "imagenet"): (16, 0.53),
}


@cache
def four_models(counts: tuple[int, ...] = (1, 2, 4, 8)) -> Tables:
    """The paper's models on its numbers of GPUs: all but ResNet-50 on most, TensorFlow on four."""
    runs = []
    for (model, dataset), (batch, target) in PAPER.items():
        place = {"model": model, "dataset": dataset, "device_type": "cuda", "target": target}
        for count in counts:
            if (model, count) == ("resnet50", counts[-1]):
                continue
            for size in (batch, 2 * batch):
                cells = [{"learners": m} for m in ("1", "2", "4", "auto")]
                cells += [{"system": "pytorch", "learners": "1"}]
                cells += [{"system": "tensorflow", "learners": "1"}] if count != 4 else []
                runs += [
                    run(**place, devices=count, batch=size, seed=seed, epochs=20, **cell)
                    for cell in cells
                    for seed in (1, 2, 3)
                ]
    return tables(*runs)


@cache
def averaging_matrix() -> Tables:
    """Every variant and several tau of one network, on one and two devices."""
    runs = []
    for devices in (1, 2):
        for learners in ("2", "8"):
            place = {"devices": devices, "learners": learners, "batch": 32, "device_type": "cuda"}
            for variant, tau, share in (
                ("released", 1, 0.95),
                ("released", 2, 0.97),
                ("released", 4, 0.98),
                ("released", 0, 1.0),
                ("ea-sgd", 1, 0.95),
                ("ssgd", 1, 0.9),
            ):
                for seed in (1, 2, 3):
                    rate = share * 5000 * int(learners) ** 0.5 * devices * (1 + 0.01 * seed)
                    how = {"variant": variant, "tau": tau, "images_per_s": rate}
                    runs.append(run(**place, **how, seed=seed))
    runs[4] = diverged(3, **place, variant="released", tau=2, seed=9)
    return tables(*runs)
