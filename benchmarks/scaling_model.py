"""Throughput on more devices than were there, from measurements on one and two; and its check.

`python -m benchmarks.scaling_model predict FOLDER PLAN...` reads FOLDER/engine.csv, summary.csv if
there is one, and all_reduce.csv or timeline.csv, and writes FOLDER/scaling_prediction.csv: every
cell of more than two devices of the plans (JSON) and configs (YAML). Measurements on more than two
are left out. FOLDER/scaling_fit.csv has the error on two devices of each cell that was held out.

`python -m benchmarks.scaling_model check MEASURED` compares what was measured since, an engine.csv
or a summary.csv, with scaling_prediction.csv beside it, or the file named by --prediction, and
writes scaling_check.csv beside it.

An iteration of g devices takes what it takes on one, and the part of the all-reduce that computing
does not hide, and an overhead. Two devices do not tell what that overhead is, so it is read in the
ways of `READINGS`, each with one coefficient; they differ for more devices, and so do coefficients
of single cells, and what a sum's latency is made of: that is the band.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import scaling_data as data
from benchmarks.engine_table import key
from benchmarks.scaling_check import check
from benchmarks.scaling_laws import AllReduce, exposed, fit_one, slowest_of
from benchmarks.scaling_measured import SAME, base, beforehand, measurements, pairs
from workflows.validate import ConfigError

# How an overhead could grow: with nothing; with the time in which one of g devices is the last; as
# an all-reduce that nothing hides.
READINGS = {
    "each iteration": lambda devices, one_s, exchange_s: 1.0,
    "waiting": lambda devices, one_s, exchange_s: one_s * slowest_of(devices),
    "exchange": lambda devices, one_s, exchange_s: exchange_s,
}
ENOUGH = 3  # cells on two devices, by which one reading is told from another
PREDICTION = (
    ",".join(SAME) + ",devices,learners_each,bytes,base,base_images_per_s,images_per_s,"
    "images_per_s_low,images_per_s_high,speed_up,speed_up_low,speed_up_high,exchange_ms,exposed_ms,"
    "reading,calibrated_on,exchange_from,note"
).split(",")
FIT = "system,model,dataset,batch,learners,call,reading,measured_ms,held_out_ms,error".split(",")
Pair = tuple[dict[str, Any], dict[str, Any]]


@dataclass(frozen=True)
class Model:
    """A calibrated machine: what an all-reduce costs, and the overhead by reading.

    `cores` is how many devices compute at once where devices are cores; None where they are GPUs.
    """

    exchange: AllReduce
    overhead: dict[str, float]
    cores: int | None = None

    def parts(self, row: dict[str, Any], devices: int) -> tuple[float, float]:
        """Seconds of the all-reduce of a cell, and of its part that computing does not hide."""
        size = data.exchanged_bytes(row["model"], row["dataset"])
        hidden = exposed(
            row["system"],
            row["iteration_s"],
            size,
            lambda part: self.exchange.seconds(devices, part),
        )
        return self.exchange.seconds(devices, size), hidden

    def seconds(self, one: dict[str, Any], devices: int, reading: str) -> float:
        """Of an iteration on so many devices, by its measurement on one."""
        exchange_s, exposed_s = self.parts(one, devices)
        term = READINGS[reading](devices, one["iteration_s"], exchange_s)
        own_s = one["iteration_s"] + exposed_s + self.overhead[reading] * term
        return self.turns(devices) * own_s

    def turns(self, devices: int) -> float:
        """How often a core is asked at once: 1 where each device has one."""
        return max(1.0, devices / self.cores) if self.cores else 1.0


def calibrate(pairs: Sequence[Pair], exchange: AllReduce, cores: int | None = None) -> Model:
    """The coefficient of each reading, from cells on one and on two devices."""
    bare, overhead = Model(exchange, dict.fromkeys(READINGS, 0.0), cores), {}
    for reading, term in READINGS.items():
        terms = [term(2, one["iteration_s"], bare.parts(one, 2)[0]) for one, _ in pairs]
        both_s = [(bare.seconds(one, 2, reading), two["iteration_s"]) for one, two in pairs]
        left = [(two_s - bare_s) / bare.turns(2) for bare_s, two_s in both_s]
        overhead[reading] = fit_one(terms, left, [two["iteration_s"] for _, two in pairs])
    return Model(exchange, overhead, cores)


def models(pairs: Sequence[Pair], exchange: AllReduce, cores: int | None) -> list[Model]:
    """What two devices leave open: first by all cells, a sum's latency being that of messages.

    Then by each cell alone, and with that latency the same for any number of devices.
    """
    several = [pairs] + [[pair] for pair in pairs] * (len(pairs) > 1)
    sums = exchange, exchange.at_once()
    return [calibrate(some, one, cores) for one in sums for some in several]


def held_out(pairs: Sequence[Pair], exchange: AllReduce, cores: int | None) -> list[dict[str, Any]]:
    """Each cell on two devices by what the others say, in each reading: rows of scaling_fit.csv."""
    rows = []
    for place, (one, two) in enumerate(pairs if len(pairs) > 1 else []):
        model = calibrate([*pairs[:place], *pairs[place + 1 :]], exchange, cores)
        for reading in READINGS:
            seconds = model.seconds(one, 2, reading)
            times = {"measured_ms": 1e3 * two["iteration_s"], "held_out_ms": 1e3 * seconds}
            times["error"] = seconds / two["iteration_s"] - 1
            rows.append(two | {"reading": reading} | {n: f"{t:.4g}" for n, t in times.items()})
    return rows


def predict(folder: Path, plans: Sequence[Path]) -> tuple[list[dict[str, Any]], list[dict]]:
    """The rows of scaling_prediction.csv and of scaling_fit.csv.

    Raises:
        FileNotFoundError, ValueError: something that is needed was not measured; says what.
    """
    rows = beforehand(measurements(folder))
    there = pairs(rows)
    if not there:
        raise ValueError(f"{folder}/engine.csv has no cell on one and on two devices in one call")
    cores = data.cores(folder, there[-1][1]["call"])
    exchange, source = data.all_reduce(folder, on_cpus=cores is not None)
    fits, predicted = [], []
    calibrated: dict[str, tuple[list[Model], str, float]] = {}
    for system in dict.fromkeys(two["system"] for _, two in there):
        own = [pair for pair in there if pair[1]["system"] == system]
        errors = held_out(own, exchange, cores)
        fits += errors
        spread = max(one["spread"] + two["spread"] for one, two in own)
        calibrated[system] = models(own, exchange, cores), _best(own, errors), spread
    for path in plans:
        for cell in data.cells(path):
            # A system that was never on two devices has the overhead of the first that was.
            by = cell["system"] if cell["system"] in calibrated else next(iter(calibrated))
            row = _row(cell, base(cell, rows), *calibrated[by])
            predicted.append(row | {"calibrated_on": by, "exchange_from": source})
    seen = {key(row, [*SAME, "devices"]): row for row in predicted[::-1]}
    return list(seen.values())[::-1], fits


def _best(own: Sequence[Pair], errors: list[dict[str, Any]]) -> str:
    """The reading that says held-out cells best, if there are enough; else none."""
    if len(own) < ENOUGH:
        return ""
    by = {r: [abs(float(e["error"])) for e in errors if e["reading"] == r] for r in READINGS}
    return min(by, key=lambda reading: sum(by[reading]))


def _row(
    cell: dict[str, str],
    one: dict[str, Any] | None,
    several: list[Model],
    reading: str,
    spread: float,
) -> dict[str, Any]:
    """A predicted cell; without a measurement on one device only what is lacking."""
    if one is None:
        return cell | {"note": "not measured on one device"}
    devices = int(cell["devices"])
    model = several[0]
    own_s = {name: model.seconds(one, devices, name) for name in READINGS}
    all_s = [each.seconds(one, devices, name) for each in several for name in READINGS]
    seconds = {"": own_s[reading] if reading else median(own_s.values())}
    seconds |= {"_low": max(all_s) * (1 + spread), "_high": min(all_s) / (1 + spread)}
    row: dict[str, Any] = {}
    for end, s in seconds.items():
        speed_up = devices * one["iteration_s"] / s
        row[f"speed_up{end}"] = f"{min(speed_up, devices):.3f}"
        row[f"images_per_s{end}"] = f"{min(speed_up, devices) * one['images_per_s']:.0f}"
    other = one["cudnn_benchmark"] != cell["cudnn_benchmark"]
    exchange_s, exposed_s = model.parts(one, devices)
    return cell | row | {
        "learners_each": one["learners_each"],
        "bytes": data.exchanged_bytes(one["model"], one["dataset"]),
        "base": one["call"],
        "base_images_per_s": one["images_per_s"],
        "exchange_ms": f"{1e3 * exchange_s:.3g}",
        "exposed_ms": f"{1e3 * exposed_s:.3g}",
        "reading": reading or "the middle one",
        "note": f"by one with cudnn_benchmark {one['cudnn_benchmark']}" if other else "",
    }  # fmt: skip


def main() -> None:
    """The command line; a refusal is one sentence."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling_model")
    parser.description = __doc__.splitlines()[0]
    commands = parser.add_subparsers(dest="command", required=True)
    predicting = commands.add_parser("predict", help="write scaling_prediction.csv")
    predicting.add_argument("folder", type=Path)
    predicting.add_argument("plans", type=Path, nargs="+", metavar="PLAN")
    checking = commands.add_parser("check", help="compare measurements with the prediction")
    checking.add_argument("measured", type=Path, help="an engine.csv or a summary.csv")
    checking.add_argument("--prediction", type=Path, help="scaling_prediction.csv beside it")
    options = parser.parse_args()
    try:
        if options.command == "check":
            folder = options.measured.parent
            prediction = options.prediction or folder / "scaling_prediction.csv"
            check(options.measured, prediction, folder / "scaling_check.csv")
            return
        predicted, fits = predict(options.folder, options.plans)
    except (OSError, ValueError, ConfigError) as error:
        sys.exit(f"Error: {error}")
    data.write(options.folder / "scaling_prediction.csv", PREDICTION, predicted)
    data.write(options.folder / "scaling_fit.csv", FIT, fits)
    known = sum(bool(row.get("images_per_s")) for row in predicted)
    print(f"{known} of {len(predicted)} cells predicted: {options.folder}/scaling_prediction.csv")


if __name__ == "__main__":
    main()
