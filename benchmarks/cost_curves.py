"""What learners, records and devices cost, by the laws: `python -m benchmarks.cost_curves FOLDER`.

Reads what FOLDER has of engine.csv, records_cost.csv and all_reduce.csv, and writes
cost_curves.csv: each measured point, in seconds, beside the law as fitted without it.

- learners: an iteration on one device, fixed + learners * each, for every sweep of Crossbow;
- records: an epoch, fixed + records * each, the least of the measured epochs, as other work on the
  machine only adds;
- all-reduce: the ring's law, fitted to two devices alone also where there are more. Devices beyond
  the cores of a machine take turns.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from bench import record
from benchmarks.inputs import AGAIN, number, rows_of
from benchmarks.scaling_data import cores, sums
from benchmarks.scaling_laws import fit_all_reduce, fit_learners, held_out
from benchmarks.scaling_measured import SAME, measured_in

COLUMNS = "curve,cell,call,x,devices,measured_s,law_s,error,fixed_s,each_s".split(",")
ENOUGH = 3  # points, of which one is held out


def curves(folder: Path) -> list[dict[str, Any]]:
    """The rows of cost_curves.csv.

    Raises:
        FileNotFoundError: the folder has none of the three tables.
        ValueError: one is not what it should be; a sentence that begins with the file.
    """
    engine, records = folder / "engine.csv", folder / "records_cost.csv"
    reduced = folder / "all_reduce.csv"
    rows: list[dict[str, Any]] = []
    if engine.exists():
        rows += _learners(measured_in(engine))
    rows += _records(records) if records.exists() else []
    rows += _all_reduce(reduced) if reduced.exists() else []
    if not rows:
        raise FileNotFoundError(
            f"{folder} has no engine.csv with {ENOUGH} numbers of learners, no records_cost.csv "
            "and no all_reduce.csv"
        )
    return rows


def _learners(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sweeps: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    names = [name for name in SAME if name != "learners"]
    for row in rows:
        if row["devices"] == 1 and row["system"] == "crossbow":
            key = (*(row[name] for name in names), row["call"])
            sweeps.setdefault(key, []).append(row)
    found = []
    for sweep in sweeps.values():
        one = sweep[0]
        form = [f"unroll {one['unroll']}"] * (one["unroll"] != "1")
        form += ["cuDNN times"] * (one["cudnn_benchmark"] == "True")
        cell = ", ".join([f"{one['model']} on {one['dataset']}, b={one['batch']}", *form])
        points = [(row["learners_each"], row["iteration_s"]) for row in sweep]
        found += _curve("learners", cell, one["call"], points)
    return found


def _records(path: Path) -> list[dict[str, Any]]:
    names = ["call", "system", "model", "dataset", "batch", "learners"]
    sweeps: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    table = rows_of(path, [*names, "records", "least_s"], AGAIN)
    for n, row in enumerate(table, start=1):
        where = f"{path}: row {n}"
        seconds = number(where, "least_s", row["least_s"], least=1e-9)
        point = number(where, "records", row["records"]), seconds
        sweeps.setdefault(tuple(row[name] for name in names), []).append(point)
    found = []
    for (call, system, model, dataset, batch, _), points in sweeps.items():
        cell = f"{system}, {model} on {dataset}, b={batch}"
        found += _curve("records", cell, call, points)
    return found


def _curve(
    curve: str, cell: str, call: str, points: list[tuple[float, float]]
) -> list[dict[str, Any]]:
    if len({x for x, _ in points}) < ENOUGH:
        return []
    points = sorted(points)
    law, errors = fit_learners(points), held_out(points, fit_learners)
    same = {"curve": curve, "cell": cell, "call": call, "devices": 1}
    same |= {"fixed_s": f"{law.fixed_s:.4g}", "each_s": f"{law.learner_s:.4g}"}
    return [
        same | {"x": f"{x:g}"} | _compared(seconds, seconds * (1 + error))
        for (x, seconds), error in zip(points, errors, strict=True)
    ]


def _compared(measured_s: float, law_s: float) -> dict[str, str]:
    error = law_s / measured_s - 1
    return {
        "measured_s": f"{measured_s:.4g}",
        "law_s": f"{law_s:.4g}",
        "error": f"{error:.3f}",
    }


def _all_reduce(path: Path) -> list[dict[str, Any]]:
    call, points = sums(path)
    there = cores(path.with_name(f"all_reduce-{call}.json"))
    two = [point for point in points if point[0] == 2]
    if len({size for _, size, _ in two}) < ENOUGH:
        raise ValueError(f"{path}: call {call} has no sums of {ENOUGH} sizes between two devices")
    rows = []
    for point in points:
        devices, size, seconds = point
        law = fit_all_reduce([other for other in two if other != point])
        turns = max(1.0, devices / there) if there else 1.0
        same = {"curve": "all-reduce", "cell": f"{devices} devices", "call": call}
        same |= {"x": f"{size:g}", "devices": devices, "fixed_s": f"{law.hop_s:.4g}"}
        same |= {"each_s": f"{1 / law.bytes_per_s:.4g}"}
        rows.append(same | _compared(seconds, turns * law.seconds(devices, size)))
    return rows


def main() -> None:
    """The command line; a refusal is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_curves")
    parser.description = __doc__.splitlines()[0]
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    try:
        rows = curves(folder)
    except (OSError, ValueError) as error:
        sys.exit(f"Error: {error}")
    record.write_table(folder / "cost_curves.csv", COLUMNS, rows)


if __name__ == "__main__":
    main()
