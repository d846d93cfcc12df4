"""What the scaling model reads beside measured iterations: the cells it predicts, their machine."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench import record
from bench.summary_file import read_text
from benchmarks.engine_table import key
from benchmarks.plan import points, read_plan
from benchmarks.results import Source, source_of
from benchmarks.scaling_laws import AllReduce, fit_all_reduce
from benchmarks.scaling_measured import SAME, number
from benchmarks.synthetic import synthetic
from data_prep import datasets
from models import load
from workflows.plan import plan
from workflows.read_config import read_config

NVLINK4_BYTES_PER_S = 450e9  # published, one direction; for want of measured all-reduces
FLOAT = 4


def cells(path: Path) -> list[dict[str, str]]:
    """The cells of more than two devices of a plan (JSON) or a config (YAML), as text, each once.

    Raises:
        workflows.validate.ConfigError: the plan or the config is refused.
    """
    if path.suffix == ".json":
        asked = points(read_plan(path))
    else:
        asked = [spec.to_dict() for spec in plan(read_config(path)).runs.values()]
    names = [*SAME, "devices"]
    found = {key(cell, names): {name: str(cell[name]) for name in names} for cell in asked}
    return [cell for cell in found.values() if int(cell["devices"]) > 2]


@cache
def exchanged_bytes(model: str, dataset: str) -> int:
    """What an all-reduce of a model's gradient or correction sums: its parameters, in float32."""
    described = synthetic(dataset) or datasets.describe(dataset)
    shape, classes = described.shape, described.classes
    network = load(model).torch_model(shape, classes)
    return FLOAT * sum(parameter.numel() for parameter in network.parameters())


def all_reduce(folder: Path, on_cpus: bool) -> tuple[AllReduce, str]:
    """What an all-reduce costs, by its measured times on two devices, and where that is from.

    Without all_reduce.csv, by the one all-reduce of timeline.csv which waited least for the other
    device, and NVLink's published bandwidth.

    Raises:
        FileNotFoundError: the folder has neither file.
        ValueError: timeline.csv has no all-reduce, or all_reduce.csv is not what it should be.
    """
    measured = folder / "all_reduce.csv"
    if measured.exists():
        table = read_text(measured, ["call", "devices", "bytes", "seconds"]).to_dict("records")
        points = []
        for n, row in enumerate(table, start=1):
            where = f"{measured}: row {n}"
            devices = number(where, "devices", row["devices"])
            if row["call"] == table[-1]["call"] and devices == 2:
                size = number(where, "bytes", row["bytes"])
                points.append((2, size, number(where, "seconds", row["seconds"], least=0)))
        return fit_all_reduce(points), "all_reduce.csv"
    timeline = folder / "timeline.csv"
    if not timeline.exists():
        command = f"python -m benchmarks.all_reduce --out {folder} --call NAME"
        command += " --device-type cpu" * on_cpus
        raise FileNotFoundError(f"{measured} is missing: `{command}` measures it")
    spans = [row for row in record.read_table(timeline) if row.get("kind") == "all-reduce"]
    if not spans:
        raise ValueError(f"{timeline} has no all-reduce: trace a cell of two devices")
    least_s = min(float(row["end_us"]) - float(row["start_us"]) for row in spans) / 1e6
    run = record.read_json(folder / "overlap.json")["run"]
    sent_s = exchanged_bytes(run["model"], run["dataset"]) / NVLINK4_BYTES_PER_S
    return AllReduce(max(0.0, least_s - sent_s) / 2, NVLINK4_BYTES_PER_S), "timeline.csv"


def cores(call: Path) -> int | None:
    """How many devices compute at once where a call, that of the JSON, was made; None on GPUs: all.

    Of an older call, which does not tell the type of its devices, by what the machine has.
    """
    made = record.read_json(call)
    on_gpus = made.get("device_type", "cuda" if made["gpus"] else "cpu") == "cuda"
    return None if on_gpus else int(made["cores"])


def source_of_sums(folder: Path) -> Source:
    """What the all-reduces were measured with that `all_reduce` reads."""
    measured = folder / "all_reduce.csv"
    if not measured.exists():
        return source_of(folder / "overlap.json")
    return source_of(folder / f"all_reduce-{record.read_table(measured)[-1]['call']}.json")


def write(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """A table of these columns alone, empty where a row lacks one."""
    record.write_table(
        path, columns, [{name: row.get(name, "") for name in columns} for row in rows]
    )
