"""What the scaling model reads: measured iterations, and the cells it predicts.

A measurement is a dict of SETTINGS, all as text, with `devices`, `call`, `images_per_s` (of all
devices), `iteration_s`, `learners_each` (a number also where `learners` is auto) and `spread`.
"""

import json
import math
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench import environment, record
from bench.spec import ALGORITHM_1, RELEASED
from bench.summary_file import read_summary, read_text
from benchmarks.engine import DEFAULTS, SETTINGS
from benchmarks.scaling_laws import AllReduce, fit_all_reduce
from data_prep import datasets
from models import load
from workflows.plan import plan
from workflows.read_config import read_config

SAME = [name for name in SETTINGS if name != "devices"]
TRAINED = (record.REACHED, record.FINISHED)
RUNS = "runs"  # the call of training runs, which summary.csv has
NVLINK4_BYTES_PER_S = 450e9  # published, one direction; for want of measured all-reduces
FLOAT = 4


def measurements(folder: Path) -> list[dict[str, Any]]:
    """Of engine.csv, and of the training runs in summary.csv where there is one.

    Raises:
        FileNotFoundError: the folder has no engine.csv.
    """
    summary = folder / "summary.csv"
    return measured_in(folder / "engine.csv") + (measured_in(summary) if summary.exists() else [])


def beforehand(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without the calls that measured more than two devices: a prediction is checked by those.

    All of them where no other call has a cell on one and on two devices.
    """
    later = {row["call"] for row in rows if row["devices"] > 2} - {RUNS}
    others = [row for row in rows if row["call"] not in later]
    return others if pairs(others) else rows


def measured_in(path: Path) -> list[dict[str, Any]]:
    """The rows of an engine.csv; of a summary.csv each configuration's median run over seeds.

    Of Crossbow's runs those which average in every iteration, as all cells of an engine.csv do; a
    learning rate is no part of a configuration, as it leaves throughput alone.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is neither, or has a row that can't be; begins with the file.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: `python -m benchmarks.engine` measures it")
    table = read_text(path, ["system", "model", "devices", "batch", "learners", "images_per_s"])
    if "call" in table:
        rows = enumerate(table.to_dict("records"), start=1)
        return [_measurement(f"{path}: row {number}", row) for number, row in rows]
    runs: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in read_summary(path).to_dict("records"):
        averaged = row["variant"] in (ALGORITHM_1, RELEASED) and row["tau"] == "1"
        if row["status"] in TRAINED and (row["system"] != "crossbow" or averaged):
            runs.setdefault(_key(row, [*SAME, "devices"]), []).append(
                _measurement(f"{path}: {row['run']}", row | {"call": RUNS})
            )
    # Of an even number the lower of the two in the middle: a run that was made.
    return [
        sorted(seeds, key=lambda run: run["images_per_s"])[(len(seeds) - 1) // 2]
        for seeds in runs.values()
    ]


def _measurement(where: str, row: dict[str, str]) -> dict[str, Any]:
    # What a row does not say was not asked for.
    settings = {name: row.get(name) or str(DEFAULTS[name]) for name in [*SAME, "devices"]}
    each = row.get("learners_final") or settings["learners"]
    devices, each, batch = (
        int(_number(where, name, cell))
        for name, cell in (
            ("devices", settings["devices"]),
            ("learners", each),
            ("batch", settings["batch"]),
        )
    )
    images_per_s = _number(where, "images_per_s", row["images_per_s"], least=0.1)
    return settings | {
        "devices": devices,
        "call": row["call"],
        "images_per_s": images_per_s,
        "learners_each": each,
        "iteration_s": devices * each * batch / images_per_s,
        "spread": _number(where, "spread", row.get("spread") or "0", least=0),
    }


def _number(where: str, name: str, cell: Any, least: float = 1) -> float:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        number = math.nan
    if not least <= number < math.inf:
        raise ValueError(f"{where}: {name} is {cell!r}, no number from {least:g}; leave it out")
    return number


def _key(row: dict[str, Any], names: Iterable[str]) -> tuple[str, ...]:
    return tuple(str(row[name]) for name in names)


def pairs(rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The same cell on one device and on two, of one call; of several such the last."""
    ones = {_key(row, [*SAME, "call"]): row for row in rows if row["devices"] == 1}
    found = {}
    for row in rows:
        one = ones.get(_key(row, [*SAME, "call"]))
        if row["devices"] == 2 and one and row["call"] != RUNS:
            found[_key(row, SAME)] = one, row
    return list(found.values())


def base(cell: dict[str, str], rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The last measurement of a cell on one device; else with another `cudnn_benchmark`."""
    ones = [row for row in rows if row["devices"] == 1]
    for names in (SAME, [name for name in SAME if name != "cudnn_benchmark"]):
        same = [row for row in ones if _key(row, names) == _key(cell, names)]
        measured = [row for row in same if row["call"] != RUNS] or same
        if measured:
            return measured[-1]
    return None


def cells(path: Path) -> list[dict[str, str]]:
    """The cells of more than two devices of a plan (JSON) or a config (YAML), as text, each once.

    Raises:
        workflows.validate.ConfigError: the config is refused.
    """
    if path.suffix == ".json":
        asked = []
        for cell in json.loads(path.read_text()):
            learners = cell.get("learners", 1)
            several = learners if isinstance(learners, list) else [learners]
            asked += [DEFAULTS | cell | {"learners": m} for m in several]
    else:
        asked = [spec.to_dict() for spec in plan(read_config(path)).runs.values()]
    names = [*SAME, "devices"]
    found = {_key(cell, names): {name: str(cell[name]) for name in names} for cell in asked}
    return [cell for cell in found.values() if int(cell["devices"]) > 2]


@cache
def exchanged_bytes(model: str, dataset: str) -> int:
    """What an all-reduce of a model's gradient or correction sums: its parameters, in float32."""
    if dataset.startswith("synthetic-"):
        side, classes = map(int, dataset.split("-")[1:])
        shape: tuple[int, int, int] = (side, side, 3)
    else:
        described = datasets.describe(dataset)
        shape, classes = described.shape, described.classes
    network = load(model).torch_model(shape, classes)
    return FLOAT * sum(parameter.numel() for parameter in network.parameters())


def all_reduce(folder: Path) -> tuple[AllReduce, str]:
    """What an all-reduce costs, by its measured times on two devices, and where that is from.

    Without all_reduce.csv, by the one all-reduce of timeline.csv which waited least for the other
    device, and NVLink's published bandwidth.

    Raises:
        FileNotFoundError: the folder has neither file.
        ValueError: timeline.csv has no all-reduce.
    """
    measured = folder / "all_reduce.csv"
    if measured.exists():
        table = record.read_table(measured)
        rows = [row for row in table if row["devices"] == "2" and row["call"] == table[-1]["call"]]
        points = [(2, float(row["bytes"]), float(row["seconds"])) for row in rows]
        return fit_all_reduce(points), "all_reduce.csv"
    timeline = folder / "timeline.csv"
    if not timeline.exists():
        raise FileNotFoundError(
            f"{measured} is missing: `python -m benchmarks.all_reduce` measures it"
        )
    spans = [row for row in record.read_table(timeline) if row.get("kind") == "all-reduce"]
    if not spans:
        raise ValueError(f"{timeline} has no all-reduce: trace a cell of two devices")
    least_s = min(float(row["end_us"]) - float(row["start_us"]) for row in spans) / 1e6
    run = record.read_json(folder / "overlap.json")["run"]
    sent_s = exchanged_bytes(run["model"], run["dataset"]) / NVLINK4_BYTES_PER_S
    return AllReduce(max(0.0, least_s - sent_s) / 2, NVLINK4_BYTES_PER_S), "timeline.csv"


def cores(folder: Path, call: str) -> int | None:
    """How many devices of a call's machine compute at once; None on GPUs: all of them."""
    made = record.read_json(folder / f"engine-{call}.json")
    return None if made["gpus"] else int(made["cores"])


def machine(folder: Path, call: str) -> str:
    """The machine of a call in a few words."""
    made = record.read_json(folder / f"engine-{call}.json")
    return environment.machine(made, "cuda" if made["gpus"] else "cpu")


def write(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """A table of these columns alone, empty where a row lacks one."""
    record.write_table(
        path, columns, [{name: row.get(name, "") for name in columns} for row in rows]
    )
