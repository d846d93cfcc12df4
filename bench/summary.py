"""Join the planned runs: `python -m bench.summary RESULTS [--not-available CELLS_JSON]`.

Writes summary.csv, one row a run; epochs.csv, one row an epoch; autotune.csv, one row a throughput
sample of the runs whose learners are tuned; and machines.json.
"""

import argparse
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

import pandas as pd

from bench import energy, method_options, record, schedules
from bench.metrics import RULES, epochs_to_target
from bench.progress import MATRIX
from bench.spec import NAME
from bench.summary_columns import SPEC_COLUMNS, SUMMARY_COLUMNS
from bench.whole_file import whole_file

_OF_AVERAGING = ("tau", "batch_norm")
_BEFORE_THERE_WERE = {"nodes": 1, "repeat": 1}  # which left the ids of runs as they were


class DamagedRun(ValueError):
    """A run whose files contradict each other; one sentence."""


def summarise(folder: Path, run: Mapping[str, Any]) -> dict[str, Any]:
    """One row of summary.csv from a run's directory and run.json; empty where there is no value.

    Seconds to a target are training seconds (the paper's clock). Throughput is the median over
    epochs, without the first where there are more.

    Raises:
        DamagedRun: all epochs were done, and not all are there.
    """
    outcome = record.read_json(folder / record.STATUS)
    epochs = [
        {name: float(value) for name, value in row.items() if name != "run"}
        for row in record.read_table(folder / record.EPOCHS)
    ]
    spec = run["spec"]
    done = outcome["status"] in (record.FINISHED, record.REACHED)
    if done and len(epochs) != spec["epochs"]:
        raise DamagedRun(
            f"{folder / record.EPOCHS}: {len(epochs)} whole rows, and {record.STATUS} says that "
            f"all {spec['epochs']} epochs are done; remove {folder} to train this run again"
        )
    row: dict[str, Any] = {"run": run["run"]} | _settings(spec)
    row |= {
        "status": outcome["status"],
        "reason": outcome["reason"],
        "epochs_run": len(epochs),
        "wall_s": outcome["wall_s"],
        "machine": run["machine"],
        "commit": run["code"]["commit"],
        "dirty": run["code"]["dirty"],
        **{name: outcome.get(name) for name in record.MEMORY + record.EXCHANGE},
        **energy.of_run(folder, spec, outcome, epochs),
    }
    return row | results_of(epochs, spec["target"], outcome["status"])


def results_of(epochs: Sequence[Mapping[str, Any]], target: float, status: str) -> dict[str, Any]:
    """What a run's epochs say of it, by columns of summary.csv; nothing where it had none."""
    if not epochs:
        return {}
    accuracies = [epoch["test_acc"] for epoch in epochs]
    row: dict[str, Any] = {
        "learners_final": int(epochs[-1]["learners"]),
        "final_acc": accuracies[-1],
        "best_acc": max(accuracies),
        "final_loss": epochs[-1]["test_loss"],
        "images_per_s": median(e["images_per_s"] for e in epochs[1:] or epochs),
        "train_s": epochs[-1]["train_s"],
    }
    for rule in RULES:
        diverged = status == record.DIVERGED
        reached = None if diverged else epochs_to_target(accuracies, target, rule)
        row[f"{rule}_epochs"] = reached
        row[f"{rule}_s"] = epochs[reached - 1]["train_s"] if reached else None
    return row


def _settings(spec: Mapping[str, Any]) -> dict[str, Any]:
    row = {name: spec.get(name, _BEFORE_THERE_WERE.get(name)) for name in SPEC_COLUMNS}
    row["schedule"] = schedules.describe(spec["schedule"])
    row["method"] = method_options.describe(spec["system"], spec.get("method") or {})
    if spec["variant"] is None:
        row |= {"learners": 1} | dict.fromkeys(_OF_AVERAGING)
    elif spec["alpha"] is None:
        row["alpha"] = "1/k"
    return row


def without_run(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The row of a planned cell without a run; `cell` has `run`, `spec`, `status` and `reason`."""
    outcome = {"status": cell["status"], "reason": cell["reason"], "epochs_run": 0}
    return {"run": cell["run"]} | _settings(cell["spec"]) | outcome


_WHOLE = ["repeat", "nodes", "tau", "unroll", "learners_final"]
_WHOLE += [*record.MEMORY, "sent_bytes", *(f"{r}_epochs" for r in RULES)]


def join(results: Path, runs: Sequence[str], others: Sequence[Mapping[str, Any]]) -> None:
    """Write the tables of `runs` in `results`, with rows of the `others`: cells without a run."""
    for run in runs:
        if not NAME.fullmatch(run):
            raise DamagedRun(f"{results}: {run!r} is no id of a run; plan the runs again")
    folders = [results / "runs" / run for run in runs]
    requests = [record.read_json(folder / record.RUN) for folder in folders]
    rows = [summarise(*one) for one in zip(folders, requests, strict=True)]
    rows += [without_run(cell) for cell in others]
    summary = pd.DataFrame(rows).reindex(columns=SUMMARY_COLUMNS)
    for name in _WHOLE:
        summary[name] = summary[name].astype("Int64")
    publish(summary, results / "summary.csv")
    for name, columns in (
        (record.EPOCHS, record.EPOCH_COLUMNS),
        (record.AUTOTUNE, record.AUTOTUNE_COLUMNS),
    ):
        publish(_joined([folder / name for folder in folders], columns), results / name)
    record.write_json(results / "machines.json", _machines(requests))


def main() -> None:
    """Join the runs that RESULTS/state/matrix.txt lists; name the cells that could not be runs."""
    parser = argparse.ArgumentParser(prog="python -m bench.summary", description=__doc__)
    parser.add_argument("results", type=Path)
    parser.add_argument("--not-available", type=json.loads, default=[])
    options = parser.parse_args()
    runs = (options.results / "state" / MATRIX).read_text().split()
    others = [{"status": record.NOT_AVAILABLE, **cell} for cell in options.not_available]
    try:
        join(options.results, runs, others)
    except DamagedRun as error:
        sys.exit(f"Error: {error}")


def _joined(paths: list[Path], columns: list[str]) -> pd.DataFrame:
    """The tables that are there as one; its header alone where none has a row."""
    contents = (record.whole_lines(path.read_bytes()) for path in paths if path.exists())
    parts = (content.partition(b"\n") for content in contents if content)
    # Those with the same columns at once: thousands of tables cost more than millions of rows.
    tables = [
        pd.read_csv(io.BytesIO(header + b"\n" + b"".join(rows for *_, rows in alike)))
        for header, alike in groupby(parts, key=lambda part: part[0])
    ]
    filled = [table.reindex(columns=columns) for table in tables if len(table)]
    return pd.concat(filled) if filled else pd.DataFrame(columns=columns)


def _machines(requests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The distinct environments, each with the runs that it ran."""
    machines: dict[str, dict[str, Any]] = {}
    for run in requests:
        fields = {"machine": run["machine"], "environment": run["environment"], "runs": []}
        same = machines.setdefault(json.dumps(run["environment"], sort_keys=True), fields)
        same["runs"].append(run["run"])
    return list(machines.values())


def publish(table: pd.DataFrame, path: Path) -> None:
    """Write a table in place of what is there, whole or not at all."""
    with whole_file(path) as file:
        table.to_csv(file, mode="wb", index=False)


if __name__ == "__main__":
    main()
