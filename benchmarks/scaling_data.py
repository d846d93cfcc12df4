"""What the scaling model reads beside measured iterations: the cells it predicts, their machine."""

from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from bench import record
from benchmarks.engine_table import key
from benchmarks.inputs import AGAIN, BRING, number, object_of, rows_of
from benchmarks.plan import points, read_plan
from benchmarks.results import Source, source_of
from benchmarks.scaling_laws import AllReduce, fit_all_reduce
from benchmarks.scaling_measured import SAME
from benchmarks.synthetic import synthetic
from data_prep import datasets
from models import load
from workflows.plan import plan
from workflows.read_config import read_config

NVLINK4_BYTES_PER_S = 450e9  # published, one direction; for want of measured all-reduces
FLOAT = 4
SUM = ["call", "devices", "bytes", "seconds"]
SPAN = ["kind", "start_us", "end_us"]


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
        ValueError: a file is not what it should be, or missing beside timeline.csv.
    """
    measured = folder / "all_reduce.csv"
    if measured.exists():
        two = [point for point in sums(measured)[1] if point[0] == 2]
        try:
            return fit_all_reduce(two), "all_reduce.csv"
        except ValueError as error:
            raise ValueError(f"{measured}: {error}, between two devices") from None
    timeline = folder / "timeline.csv"
    if not timeline.exists():
        command = f"python -m benchmarks.all_reduce --out {folder} --call NAME"
        command += " --device-type cpu" * on_cpus
        raise FileNotFoundError(f"{measured} is missing: `{command}` measures it")
    trace = "trace a cell of two devices"
    spans = [
        [
            number(f"{timeline}: row {n}", name, row[name], least=0)
            for name in ("start_us", "end_us")
        ]
        for n, row in enumerate(rows_of(timeline, SPAN, trace, may_be_none=True), start=1)
        if row["kind"] == "all-reduce"
    ]
    if not spans:
        raise ValueError(f"{timeline} has no all-reduce: {trace}")
    least_s = min(end_us - start_us for start_us, end_us in spans) / 1e6
    run = object_of(folder / "overlap.json", ["run"], f"it says what was traced; {BRING}")["run"]
    sent_s = exchanged_bytes(run["model"], run["dataset"]) / NVLINK4_BYTES_PER_S
    return AllReduce(max(0.0, least_s - sent_s) / 2, NVLINK4_BYTES_PER_S), "timeline.csv"


def sums(measured: Path) -> tuple[str, list[tuple[int, float, float]]]:
    """The last call of an all_reduce.csv, and the devices, bytes and seconds of its all-reduces.

    Raises:
        ValueError: it is none, has no row or one that can't be; begins with the file.
    """
    table = rows_of(measured, SUM, AGAIN)
    found = [
        (
            int(number(f"{measured}: row {n}", "devices", row["devices"])),
            number(f"{measured}: row {n}", "bytes", row["bytes"]),
            number(f"{measured}: row {n}", "seconds", row["seconds"], least=1e-9),
        )
        for n, row in enumerate(table, start=1)
    ]
    last = table[-1]["call"]
    return last, [one for one, row in zip(found, table, strict=True) if row["call"] == last]


def cores(call: Path) -> int | None:
    """How many devices compute at once where a call, that of the JSON, was made; None on GPUs: all.

    Of an older call, which does not tell the type of its devices, by what the machine has.

    Raises:
        workflows.validate.ConfigError: the JSON is missing or damaged; one sentence.
    """
    machine = "it says whether the devices of the call were GPUs, or cores that take turns"
    made = object_of(call, ["gpus", "cores"], f"{machine}; {BRING}")
    on_gpus = made.get("device_type", "cuda" if made["gpus"] else "cpu") == "cuda"
    return None if on_gpus else int(made["cores"])


def source_of_sums(folder: Path) -> Source:
    """What the all-reduces were measured with that `all_reduce` reads."""
    measured = folder / "all_reduce.csv"
    if not measured.exists():
        return source_of(folder / "overlap.json")
    return source_of(folder / f"all_reduce-{sums(measured)[0]}.json")


def write(path: Path, columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> None:
    """A table of these columns alone, empty where a row lacks one."""
    record.write_table(
        path, columns, [{name: row.get(name, "") for name in columns} for row in rows]
    )
