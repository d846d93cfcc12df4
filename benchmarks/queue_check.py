"""What queues of runs took, beside what the simulation says.

`python -m benchmarks.queue_check timeline RESULTS --slots N --out DIR --call NAME` appends when the
runs of a finished pipeline began and ended to DIR/queue.csv, where at most N ran at once.
`python -m benchmarks.queue_check check DIR` compares each call of it with the simulation, in
DIR/queue_check.csv. `python -m benchmarks.queue_check forecast SUMMARY --out DIR` says what 1,000
runs as long as those in a summary.csv take, and ones 100 times as long, in DIR/queue_forecast.csv.
"""

import argparse
import csv
import itertools
import random
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from bench import record
from benchmarks.inputs import number, object_of, rows_of
from benchmarks.queue_model import Run, makespan, simulate
from benchmarks.results import folder

QUEUE = "call,slots,run,configuration,seed,start_s,end_s,wall_s".split(",")
CHECK = (
    "call,slots,runs,measured_s,gap_s,simulated_s,error,by_first_round_s,first_round_error"
).split(",")
FORECAST = "runs,times_as_long,devices,mtbf_h,checkpoints,hours,most_hours,use,failures".split(",")
RUNS, REPEATS, START_S = 1000, 20, 2.0
LONGER, DEVICES = (1, 100), (1, 8, 64)
# A device's hours to a failure, and how many checkpoints a run writes.
FAULTS = ((None, 0), (100.0, 0), (100.0, 50), (10.0, 0), (10.0, 50))


def timeline(results: Path, slots: int, call: str) -> list[dict[str, Any]]:
    """Rows of queue.csv, in the order in which the runs of a results folder began.

    Raises:
        FileNotFoundError: there is no finished run.
    """
    rows = []
    for status in results.glob("runs/*/" + record.STATUS):
        again = "train that run again, or move it away"
        end_s, wall_s = status.stat().st_mtime, object_of(status, ["wall_s"], again)["wall_s"]
        spec = object_of(status.parent / record.RUN, ["spec"], again)["spec"]
        kind = "-".join(f"{spec[n]}" for n in ("system", "model", "devices", "learners", "batch"))
        where = {"call": call, "slots": slots, "run": status.parent.name, "configuration": kind}
        times = {"start_s": end_s - wall_s, "end_s": end_s, "wall_s": wall_s}
        rows.append(where | {"seed": spec["seed"]} | times)
    if not rows:
        raise FileNotFoundError(f"{results}/runs has no finished run")
    began = min(row["start_s"] for row in rows)
    for row in rows:
        times = {"start_s": row["start_s"] - began, "end_s": row["end_s"] - began}
        row |= {name: f"{s:.2f}" for name, s in {**times, "wall_s": row["wall_s"]}.items()}
    return sorted(rows, key=lambda row: float(row["start_s"]))


def check(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """One call's measured makespan beside the simulated: by each run's own time, and by the first.

    The time between two runs of a slot is calibrated on the first round of seeds. `by_first_round`
    takes each run to last as long as its configuration's run in that round.

    Raises:
        ValueError: there were no more runs than could run at once.
    """
    slots = int(rows[0]["slots"])
    starts = sorted(float(row["start_s"]) for row in rows)
    ends = sorted(float(row["end_s"]) for row in rows)
    first: dict[str, float] = {}
    for row in rows:
        first.setdefault(row["configuration"], float(row["wall_s"]))
    # The n-th end makes room for the start that is `slots` later.
    gaps = [b - a for a, b in zip(ends, starts[slots:], strict=False)][: len(first)]
    if not gaps:
        raise ValueError(
            f"call {rows[0]['call']}: no run had to wait, so there is nothing to check"
        )
    gap_s = median(gaps)
    measured_s = ends[-1]
    simulated = {}
    for name, seconds in (
        ("simulated_s", [float(row["wall_s"]) for row in rows]),
        ("by_first_round_s", [first[row["configuration"]] for row in rows]),
    ):
        queue = [Run(row["run"], s) for row, s in zip(rows, seconds, strict=True)]
        simulated[name] = makespan(simulate(queue, slots, gap_s)) - gap_s  # measured from a start
    return {
        "call": rows[0]["call"], "slots": slots, "runs": len(rows),
        "measured_s": f"{measured_s:.1f}", "gap_s": f"{gap_s:.2f}",
        **{name: f"{s:.1f}" for name, s in simulated.items()},
        "error": f"{simulated['simulated_s'] / measured_s - 1:.3f}",
        "first_round_error": f"{simulated['by_first_round_s'] / measured_s - 1:.3f}",
    }  # fmt: skip


def forecast(seconds: Sequence[float], runs: int = RUNS) -> list[dict[str, Any]]:
    """What so many runs of these lengths take, by devices and by how often a device fails.

    Hours are the mean of `REPEATS` simulations and the most of them; `use` is the work of the runs
    by the devices' time.
    """
    rows = []
    for longer, devices, (mtbf_h, checkpoints) in itertools.product(LONGER, DEVICES, FAULTS):
        queue = [Run(str(n), longer * seconds[n % len(seconds)]) for n in range(runs)]
        work_s = sum(run.seconds for run in queue)
        rate = 1 / (3600 * mtbf_h) if mtbf_h else 0.0
        every_s = work_s / runs / checkpoints if checkpoints else None
        spans, failures = [], 0
        for seed in range(REPEATS if mtbf_h else 1):
            attempts = simulate(queue, devices, START_S, rate, every_s, random.Random(seed))
            spans.append(makespan(attempts))
            failures += sum(not attempt.done for attempt in attempts)
        mean_s = sum(spans) / len(spans)
        rows.append({
            "runs": runs, "times_as_long": longer, "devices": devices,
            "mtbf_h": f"{mtbf_h:g}" if mtbf_h else "none", "checkpoints": checkpoints,
            "hours": f"{mean_s / 3600:.4g}", "most_hours": f"{max(spans) / 3600:.4g}",
            "use": f"{work_s / (devices * mean_s):.3f}",
            "failures": f"{failures / len(spans):.1f}",
        })  # fmt: skip
    return rows


def main() -> None:
    """The command line; a refusal is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.queue_check")
    parser.description = __doc__.splitlines()[0]
    commands = parser.add_subparsers(dest="command", required=True)
    keeping = commands.add_parser("timeline", help="append a pipeline's runs to queue.csv")
    keeping.add_argument("results", type=Path)
    keeping.add_argument("--slots", type=int, required=True, help="how many runs went at once")
    keeping.add_argument("--call", required=True, help="a name for this pipeline")
    checking = commands.add_parser("check", help="write queue_check.csv")
    checking.add_argument("folder", type=Path, help="where queue.csv is")
    forecasting = commands.add_parser("forecast", help="write queue_forecast.csv")
    forecasting.add_argument("summary", type=Path)
    for command in (keeping, forecasting):
        command.add_argument("--out", type=folder, required=True, metavar="DIR")
    options = parser.parse_args()
    try:
        if options.command == "timeline":
            _append(options.out, timeline(options.results, options.slots, options.call))
        elif options.command == "check":
            calls: dict[str, list[dict[str, str]]] = {}
            for row in _queue(options.folder / "queue.csv"):
                calls.setdefault(row["call"], []).append(row)
            checked = [check(rows) for rows in calls.values()]
            record.write_table(options.folder / "queue_check.csv", CHECK, checked)
        else:
            rows = forecast(_lengths(options.summary))
            options.out.mkdir(parents=True, exist_ok=True)
            record.write_table(options.out / "queue_forecast.csv", FORECAST, rows)
    except (OSError, ValueError) as error:
        sys.exit(f"Error: {error}")


def _queue(path: Path) -> list[dict[str, str]]:
    rows = rows_of(path, QUEUE, "`python -m benchmarks.queue_check timeline` writes it")
    for n, row in enumerate(rows, start=1):
        for name, least in (("slots", 1), ("start_s", 0), ("end_s", 0), ("wall_s", 0)):
            number(f"{path}: row {n}", name, row[name], least)
    return rows


def _lengths(path: Path) -> list[float]:
    """Seconds of the runs in a summary.csv that have them."""
    rows = rows_of(path, ["wall_s"], "name a summary.csv of joined runs")
    found = [
        number(f"{path}: row {n}", "wall_s", row["wall_s"], least=0)
        for n, row in enumerate(rows, start=1)
        if row["wall_s"]
    ]
    if not sum(found):
        raise ValueError(f"{path} has no run that took time: name one of runs that were trained")
    return found


def _append(folder: Path, rows: list[dict[str, Any]]) -> None:
    path = folder / "queue.csv"
    before = rows_of(path, QUEUE, "move it away", may_be_none=True) if path.exists() else []
    if rows[0]["call"] in {row["call"] for row in before}:
        raise ValueError(f"{path} has a call {rows[0]['call']} already: choose another --call")
    folder.mkdir(parents=True, exist_ok=True)
    new = not path.exists()
    with path.open("a", newline="") as file:
        table = csv.DictWriter(file, QUEUE, lineterminator="\n")
        if new:
            table.writeheader()
        table.writerows(rows)


if __name__ == "__main__":
    main()
