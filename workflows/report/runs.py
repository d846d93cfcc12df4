"""The rows of the report's table: what a person reads, and the raw value that sorts."""

import csv
import shlex
from pathlib import Path

from workflows.report.links import link

GOOD = ("finished", "reached")
_FILES = ("epochs.csv", "log.txt", "run.json")


def _amount(value: str) -> str:
    try:
        return f"{float(value):.4g}"
    except ValueError:  # a rule rather than a number, as an α of "1/k"
        return value


def _count(value: str) -> str:
    return f"{float(value):,.0f}"


def _seconds(value: str) -> str:
    number = float(value)
    return f"{number:,.{0 if number >= 100 else 1 if number >= 10 else 2}f}"


def _percent(value: str) -> str:
    return f"{100 * float(value):.4g}%"


def _accuracy(value: str) -> str:
    return f"{float(value):.2%}"


# Heading and format of each column, in the order of the table.
_COLUMNS = {
    "system": ("system", str),
    "model": ("model", str),
    "dataset": ("dataset", str),
    "target": ("target", _percent),
    "device_type": ("device", str),
    "devices": ("devices", _count),
    "learners": ("learners", str),
    "batch": ("batch", _count),
    "variant": ("variant", str),
    "seed": ("seed", _count),
    "median5_s": ("s to target", _seconds),
    "median5_epochs": ("epochs to target", _count),
    "best_acc": ("best accuracy", _accuracy),
    "images_per_s": ("images/s", _count),
    "epochs_run": ("epochs", _count),
    "train_s": ("training s", _seconds),
    "precision": ("precision", str),
    "schedule": ("schedule", str),
    "augmentation": ("augmentation", str),
    "lr": ("lr", _amount),
    "alpha": ("α", _amount),
    "mu": ("µ", _amount),
    "momentum": ("momentum", _amount),
    "weight_decay": ("weight decay", _amount),
    "epochs": ("planned epochs", _count),
    "machine": ("machine", str),
    "commit": ("commit", str),
}
_NUMERIC = (_amount, _count, _seconds, _percent, _accuracy)
# What a run gave rather than what it was given: always a column, even where all are equal.
_RESULTS = ("system", "seed", "median5_s", "median5_epochs", "best_acc", "images_per_s")
_RESULTS += ("epochs_run", "train_s")
# Every other column is a setting, which a summary need not have.
_NEEDED = {"run", "status", "reason", "model", "dataset", "target", "learners", "learners_final"}
_NEEDED |= {"machine", "commit", "dirty", *_RESULTS}


def read_rows(summary: Path) -> list[dict[str, str]]:
    """The rows of the summary, as text."""
    with summary.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        missing = _NEEDED - set(reader.fieldnames or [])
        if missing:
            raise ValueError(f"{summary} lacks the columns {', '.join(sorted(missing))}")
        return list(reader)


def is_dirty(row: dict) -> bool:
    """Whether the run came from code that no commit holds."""
    return row["dirty"].lower() in ("true", "1")


def split_columns(rows: list[dict]) -> tuple[list[dict], list[tuple[str, str]]]:
    """The columns of the table, and apart from them the settings that all runs share."""
    columns, shared = [], []
    for name, (heading, form) in _COLUMNS.items():
        texts = {cell(name, row)["text"] for row in rows if name in row}
        if name in _RESULTS or len(texts) > 1:
            columns.append({"name": name, "heading": heading, "numeric": form in _NUMERIC})
        elif texts - {"–"}:
            shared.append((heading, texts.pop()))
    return columns, shared


def cell(name: str, row: dict) -> dict[str, str]:
    """The text of a cell and the value it sorts by."""
    raw = row[name] or ""
    text = _COLUMNS[name][1](raw) if raw else "–"
    if name == "learners" and raw == "auto" and row["learners_final"]:
        raw = row["learners_final"]
        text = f"auto → {_amount(raw)}"
    if name == "commit":
        text = text[:10] + (" (dirty)" if is_dirty(row) else "")
    return {"text": text, "raw": raw}


def describe(row: dict, columns: list[dict], runs: Path, beside: Path, rerun: str) -> dict:
    """One run as the page shows it."""
    folder = runs / row["run"]
    return {
        "run": row["run"],
        "status": row["status"],
        "status_text": row["status"].replace("_", " "),
        "is_good": row["status"] in GOOD,
        "reason": row["reason"],
        "files": [
            # A summary may be published without its run directories: no links to nowhere.
            (name, link(folder / name, beside) if (folder / name).exists() else "")
            for name in _FILES
        ],
        "rerun": rerun.replace("{run}", shlex.quote(row["run"])),
        "cells": [cell(column["name"], row) | {"numeric": column["numeric"]} for column in columns],
    }
