"""The rows of the report's table: what a person reads, and the raw value that sorts."""

import shlex
from pathlib import Path

from bench import record
from bench.spec import NAME
from bench.summary_file import read_summary
from workflows.report import formats
from workflows.report.links import link

# A run that is still to be made has not failed.
_NOT_BAD = (record.FINISHED, record.REACHED, record.NOT_RUN)
_FILES = ("epochs.csv", "log.txt", "run.json")


# Heading and format of each column, in the order of the table.
_COLUMNS = {
    "system": ("system", str),
    "model": ("model", str),
    "dataset": ("dataset", str),
    "target": ("target", formats.percent),
    "device_type": ("device", str),
    "devices": ("devices", formats.count),
    "learners": ("learners", str),
    "batch": ("batch", formats.count),
    "step": ("step", str),
    "variant": ("variant", str),
    "method": ("method", str),
    "tau": ("τ", formats.amount),
    "batch_norm": ("batch norm", str),
    "seed": ("seed", formats.count),
    "median5_s": ("s to target", formats.seconds),
    "median5_epochs": ("epochs to target", formats.count),
    "best_acc": ("best accuracy", formats.accuracy),
    "images_per_s": ("images/s", formats.count),
    "epochs_run": ("epochs", formats.count),
    "train_s": ("training s", formats.seconds),
    "memory_bytes": ("memory GiB", formats.gib),
    "learner_memory_bytes": ("GiB/learner", formats.gib),
    "joules_per_image": ("J/image", formats.joules),
    "sent_bytes": ("MB sent", formats.megabytes),
    "staleness": ("staleness", formats.measured),
    "schedule": ("schedule", str),
    "augmentation": ("augmentation", str),
    "lr": ("lr", formats.amount),
    "alpha": ("α", formats.amount),
    "mu": ("µ", formats.amount),
    "momentum": ("momentum", formats.amount),
    "weight_decay": ("weight decay", formats.amount),
    "epochs": ("planned epochs", formats.count),
    "machine": ("machine", str),
    "commit": ("commit", str),
}
# What a run gave rather than what it was given: always a column, even where all are equal.
_RESULTS = ("system", "seed", "median5_s", "median5_epochs", "best_acc", "images_per_s")
_RESULTS += ("epochs_run", "train_s")
# What only some machines or systems tell: a column where one of the runs has it, and not 0.
_MEASURED = ("memory_bytes", "learner_memory_bytes", "joules_per_image", "sent_bytes", "staleness")
NOTHING = "–"  # in a cell that has no value
# Empty where all options have their defaults, which tells runs apart as any other value does.
_DEFAULTED = ("method",)
# How a step is computed is one column, in words; what is plain goes without saying.
_FLAGS = {"compile": "compiled", "channels_last": "channels last", "graph": "graph"}
# What the page needs beside what every summary has; every other column is a setting.
_NEEDED = ("reason", "best_acc", "commit", "dirty")


def read_rows(summary: Path) -> list[dict[str, str]]:
    """The rows of the summary, as text."""
    table = read_summary(summary)
    if missing := [name for name in _NEEDED if name not in table]:
        raise ValueError(f"{summary} lacks the columns {', '.join(missing)}")
    return [row | {"step": _step(row)} for row in table.to_dict("records")]


def _step(row: dict[str, str]) -> str:
    words = [row.get("precision") or ""]
    words += [word for name, word in _FLAGS.items() if (row.get(name) or "").lower() == "true"]
    if (unroll := row.get("unroll") or "1") != "1":
        words.append(f"unroll {unroll}")
    if (row.get("cudnn_benchmark") or "").lower() == "true":
        words.append("cuDNN benchmark")
    return ", ".join(word for word in words if word)


def is_dirty(row: dict) -> bool:
    """Whether the run came from code that no commit holds."""
    return row["dirty"].lower() in ("true", "1")


def split_columns(rows: list[dict]) -> tuple[list[dict], dict[str, list[tuple[str, str]]]]:
    """The columns of the table, and apart from them the settings that are the same in all runs.

    These by whose they are, in words: some systems lack some, as learners are averaged in one.
    """
    columns: list[dict] = []
    shared: dict[str, list[tuple[str, str]]] = {}
    for name, (heading, form) in _COLUMNS.items():
        shown = {cell(name, row)["text"] for row in rows if name in row}
        texts = shown - {NOTHING}
        is_measured = name in _MEASURED and texts - {"0"}
        # A setting that some systems don't have is the same in all that do.
        differs = len(shown if name in _DEFAULTED else texts) > 1
        if name in _RESULTS or is_measured or differs:
            columns.append({"name": name, "heading": heading, "numeric": form is not str})
        elif texts:
            shared.setdefault(_whose(name, rows), []).append((heading, texts.pop()))
    return columns, shared


def _whose(name: str, rows: list[dict]) -> str:
    """Which runs have a setting: all, those of some systems, or some of a system's."""
    found = {(cell(name, row)["text"] != NOTHING, row["system"]) for row in rows}
    having, lacking = ({system for has, system in found if has is one} for one in (True, False))
    if not lacking:
        return "all runs"
    return "all runs " + ("that have it" if having & lacking else f"of {formats.listed(having)}")


def cell(name: str, row: dict) -> dict[str, str]:
    """The text of a cell and the value it sorts by."""
    raw = row[name] or ""
    text = _COLUMNS[name][1](raw) if raw else NOTHING
    if name == "learners" and raw == "auto" and row["learners_final"]:
        raw = row["learners_final"]
        text = f"auto → {formats.amount(raw)}"
    if name == "commit" and is_dirty(row):
        text = f"{raw[:10] or 'unknown'} (dirty)"
    elif name == "commit":
        text = text[:10]
    return {"text": text, "raw": raw}


def describe(row: dict, columns: list[dict], runs: Path, beside: Path, rerun: str) -> dict:
    """One run as the page shows it."""
    folder, is_id = runs / row["run"], NAME.fullmatch(row["run"])
    return {
        "run": row["run"],
        **{name: row.get(name) or "" for name in ("model", "system", "devices")},
        "status": row["status"],
        "status_text": row["status"].replace("_", " "),
        "is_bad": row["status"] not in _NOT_BAD,
        "reason": row["reason"],
        "files": [
            # A summary may be published without its run directories: no links to nowhere. And one
            # of someone else's may have paths for ids: none to elsewhere.
            (name, link(folder / name, beside) if is_id and (folder / name).exists() else "")
            for name in _FILES
        ],
        "rerun": rerun.replace("{run}", shlex.quote(row["run"])),
        "cells": [cell(column["name"], row) | {"numeric": column["numeric"]} for column in columns],
    }
