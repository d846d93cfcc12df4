"""How busy a run keeps its devices, by the telemetry that it records."""

import csv
import io
from functools import cache
from pathlib import Path
from statistics import mean

from bench import record
from bench.watch.observe import RUNNING, Run, read_whole

RECENT_S = 5.0
TAIL_BYTES = 32_768  # more than RECENT_S of ten samples a second of the host and eight GPUs


def use(run: Run) -> float | None:
    """Mean utilisation of the run's devices: of GPUs in [0, 1], of a CPU run in cores.

    Of a running run over the last seconds; of another over its epochs, evaluations included.
    None where telemetry doesn't say.
    """
    path = run.folder / record.TELEMETRY
    if not run.spec or not path.exists():
        return None
    gpus = run.spec["device_type"] == "cuda"
    devices = [f"cuda:{i}" for i in range(run.spec["devices"])] if gpus else ["cpu"]
    if run.state == RUNNING:
        samples = _samples(_tail(path), devices)
        return _mean(samples, max((t_s for t_s, _ in samples), default=0.0) - RECENT_S)
    if not run.epochs:
        return None
    first, last = run.epochs[0], run.epochs[-1]
    began_s = first["wall_s"] - first["train_s"] - first["eval_s"] - run.carried_s
    return _whole(path, run.ended_at, tuple(devices), began_s, last["wall_s"] - run.carried_s)


@cache
def _whole(
    path: Path, ended_at: float, devices: tuple[str, ...], from_s: float, to_s: float
) -> float | None:
    """The mean of a file that won't change any more."""
    return _mean(_samples(read_whole(path), list(devices)), from_s, to_s)


def _mean(
    samples: list[tuple[float, float]], from_s: float, to_s: float = float("inf")
) -> float | None:
    chosen = [value for t_s, value in samples if from_s <= t_s <= to_s]
    return mean(chosen) if chosen else None


def _samples(text: str, devices: list[str]) -> list[tuple[float, float]]:
    """Seconds and utilisation of `devices`; samples that aren't whole are left out."""
    found = []
    for row in csv.DictReader(io.StringIO(text), record.TELEMETRY_COLUMNS):
        if row["device"] in devices and row["utilization"] and row["t_s"]:
            found.append((float(row["t_s"]), float(row["utilization"])))
    return found


def _tail(path: Path) -> str:
    """The last whole lines of a file."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - TAIL_BYTES))
        text = record.whole_lines(file.read()).decode(errors="replace")
    return text[text.find("\n") + 1 :]
