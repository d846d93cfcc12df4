"""The tables of docs/scaling.md, from results/reference/: `python -m benchmarks.scaling_tables`."""

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import mean, median

from bench import record

ROOT = Path(__file__).resolve().parent.parent
H200 = ROOT / "results/reference/nvidia-h200"
TWO_CORES = ROOT / "results/reference/2-core-epyc/scaling"
Row = dict[str, str]


def main(page: Path = ROOT / "docs/scaling.md") -> None:
    """Write each table between its two marks."""
    text = page.read_text(encoding="utf-8")
    for name, table in TABLES.items():
        block = re.compile(
            rf"(?<=<!-- {name}: written by `make scaling` -->\n).*?(?=<!-- end)", re.S
        )
        if not block.search(text):
            raise SystemExit(f"{page} has no mark for the table {name}")
        text = block.sub(lambda _, table=table: f"\n{table()}\n\n", text, count=1)
    page.write_text(text, encoding="utf-8")


def _lines(head: list[str], rows: list[list[str]]) -> str:
    cells = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _groups(rows: list[Row], key: Callable[[Row], object]) -> list[list[Row]]:
    found: dict[object, list[Row]] = {}
    for row in rows:
        found.setdefault(key(row), []).append(row)
    return list(found.values())


def _cell(row: Row) -> str:
    learners = f", m={row['learners']}" if row["system"] == "crossbow" else ""
    timing = ", cuDNN times" * (row["cudnn_benchmark"] == "True")
    where = f"{row['system']}, {row['model']} on {row['dataset']}"
    return f"{where}, b={row['batch']}{learners}{timing}"


def _percent(share: float) -> str:
    return f"{100 * share:+.1f}%"


def predictions() -> str:
    """The throughput predicted for four and eight GPUs."""
    rows = record.read_table(H200 / "scaling_prediction.csv")
    lines = []
    for same in _groups(rows, _cell):
        told = {row["devices"]: row for row in same}
        line = [_cell(same[0]), _rate(same[0], "base_images_per_s")]
        for devices in ("4", "8"):
            row = told.get(devices, {})
            low, high = (_rate(row, f"images_per_s_{end}") for end in ("low", "high"))
            times = f" ({low} to {high}; {float(row['speed_up']):.2f} times)" if low else ""
            told_of = [_rate(row, "images_per_s") + times, row.get("note", "")]
            line.append("; ".join(filter(None, told_of)))
        lines.append(line)
    return _lines(["images/s", "one GPU, measured", "four, predicted", "eight, predicted"], lines)


def _rate(row: Row, column: str) -> str:
    if not row.get(column):
        return ""
    # By what it reads once rounded to three digits, so that 999,900 is 1M.
    rate = float(f"{float(row[column]):.3g}")
    return f"{rate / 1e6:.3g}M" if rate >= 1e6 else f"{rate / 1e3:.3g}k"


def held_out() -> str:
    """The error on two devices of cells that were held out."""
    rows = [r for folder in (H200, TWO_CORES) for r in _of(folder, "scaling_fit.csv")]
    lines = []
    for same in _groups(rows, lambda row: (row["machine"], row["system"], row["reading"])):
        errors = [abs(float(row["error"])) for row in same]
        first = same[0]
        # By the mean, as a reading is chosen.
        figures = [str(len(same)), f"{100 * mean(errors):.1f}%", f"{100 * max(errors):.1f}%"]
        lines.append([first["machine"], first["system"], first["reading"], *figures])
    head = ["machine", "system", "overhead read as", "cells", "mean error", "largest"]
    return _lines(head, lines)


def _of(folder: Path, name: str) -> list[Row]:
    machine = folder.relative_to(ROOT / "results/reference").parts[0]
    return [row | {"machine": machine} for row in record.read_table(folder / name)]


def checked(folder: Path) -> str:
    """Cells on more than two devices, predicted from one and two and measured since."""
    rows = record.read_table(folder / "scaling_check.csv")
    by_speed_up = all(row["of"] == "speed_up" for row in rows)

    def told(row: Row, column: str) -> str:
        return f"{float(row[column]):.2f}" if by_speed_up else _rate(row, column)

    lines = [
        [_cell(row), row["devices"], told(row, "predicted"), f"{told(row, 'low')} to "
         f"{told(row, 'high')}", told(row, "measured"), _percent(float(row["error"])),
         "yes" if row["inside"] == "True" else "no"]
        for row in rows
    ]  # fmt: skip
    figure = "speed-up" if by_speed_up else "images/s"
    head = [figure, "devices", "predicted", "band", "measured", "error", "in the band"]
    return _lines(head, lines)


def _laws(curve: str, unit: float, head: list[str], folders: list[Path]) -> str:
    rows = [row for folder in folders for row in _of(folder, "cost_curves.csv")]
    lines = []
    for same in _groups(
        [row for row in rows if row["curve"] == curve],
        lambda row: (row["machine"], row["cell"], row["call"]),
    ):
        errors = [abs(float(row["error"])) for row in same]
        law = [f"{unit * float(same[0][name]):.3g}" for name in ("fixed_s", "each_s")]
        points = ", ".join(f"{float(row['x']):g}" for row in same)
        figures = [*law, f"{100 * median(errors):.1f}%", f"{100 * max(errors):.1f}%"]
        lines.append([same[0]["machine"], same[0]["cell"], points, *figures])
    return _lines(["machine", "cell", *head, "median error", "largest"], lines)


def learners() -> str:
    """What an iteration costs anyway, and each learner."""
    head = ["m", "fixed, ms", "a learner, ms"]
    return _laws("learners", 1e3, head, [H200, TWO_CORES])


def records() -> str:
    """What an epoch costs anyway, and each record."""
    return _laws("records", 1e3, ["records", "fixed, ms", "a record, ms"], [TWO_CORES])


def sums() -> str:
    """The error of an all-reduce's law by devices."""
    rows = [r for r in _of(TWO_CORES, "cost_curves.csv") if r["curve"] == "all-reduce"]
    lines = []
    for same in _groups(rows, lambda row: row["devices"]):
        for some, size in (("below 1 MiB", (0, 2**20)), ("from 1 MiB", (2**20, 2**40))):
            errors = [float(r["error"]) for r in same if size[0] <= float(r["x"]) < size[1]]
            figures = f"{_percent(min(errors))} to {_percent(max(errors))}"
            lines.append([same[0]["devices"], some, str(len(errors)), figures])
    return _lines(["devices", "sums", "sizes", "error"], lines)


def queues() -> str:
    """What queues of runs took, and what was simulated."""
    lines = [
        [row["call"], row["slots"], row["runs"], f"{float(row['measured_s']):.0f}", row["gap_s"],
         f"{float(row['simulated_s']):.0f} ({_percent(float(row['error']))})",
         f"{float(row['by_first_round_s']):.0f} ({_percent(float(row['first_round_error']))})"]
        for row in record.read_table(TWO_CORES / "queue_check.csv")
    ]  # fmt: skip
    head = ["pipeline", "at once", "runs", "took, s", "between two runs, s"]
    return _lines([*head, "by each run's time, s", "by the first round, s"], lines)


def forecasts() -> str:
    """What a thousand runs would take."""
    rows = record.read_table(H200 / "queue_forecast.csv")
    lines = []
    for same in _groups(rows, lambda row: (row["times_as_long"], row["devices"])):
        hours = [f"{float(row['hours']):.3g}" for row in same]
        lines.append([same[0]["times_as_long"], same[0]["devices"], *hours])
    faults = [
        "no failures"
        if row["mtbf_h"] == "none"
        else f"one in {row['mtbf_h']} h, {row['checkpoints']} checkpoints"
        for row in rows[: len(rows) // len(lines)]
    ]
    return _lines(["times as long", "GPUs", *faults], lines)


TABLES = {
    "prediction": predictions,
    "held out": held_out,
    "check on GPUs": partial(checked, H200),
    "check": partial(checked, TWO_CORES),
    "learners": learners,
    "records": records,
    "all-reduce": sums,
    "queue": queues,
    "forecast": forecasts,
}

if __name__ == "__main__":
    main()
