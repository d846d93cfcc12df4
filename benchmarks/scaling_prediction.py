"""Throughput on more devices than were there: the rows of scaling_prediction.csv, with their band.

Readings of the overhead differ for more devices than two, and so do a cell's own coefficient and
that of all, and what a sum's latency is made of: that is the band.
"""

from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks import scaling_data as data
from benchmarks.engine_table import key
from benchmarks.scaling_measured import (
    SAME,
    Pair,
    base,
    beforehand,
    measurements,
    pair_of,
    pairs,
)
from benchmarks.scaling_overhead import READINGS, Model, held_out, models

ENOUGH = 3  # cells on two devices, by which one reading is told from another
ITSELF = "itself"  # what a cell is calibrated on that was on two devices
PREDICTION = (
    ",".join(SAME) + ",devices,learners_each,bytes,base,base_images_per_s,images_per_s,"
    "images_per_s_low,images_per_s_high,speed_up,speed_up_low,speed_up_high,exchange_ms,exposed_ms,"
    "reading,calibrated_on,exchange_from,note"
).split(",")
FIT = "system,model,dataset,batch,learners,call,reading,measured_ms,held_out_ms,error".split(",")


def predict(folder: Path, plans: Sequence[Path]) -> tuple[list[dict[str, Any]], list[dict]]:
    """The rows of scaling_prediction.csv and of scaling_fit.csv.

    Raises:
        FileNotFoundError, ValueError: something that is needed was not measured, or a file of it
            is missing or damaged; says what.
    """
    rows = beforehand(measurements(folder))
    there = pairs(rows)
    if not there:
        raise ValueError(f"{folder}/engine.csv has no cell on one and on two devices in one call")
    cores = data.cores(folder / f"engine-{there[-1][1]['call']}.json")
    exchange, source = data.all_reduce(folder, on_cpus=cores is not None)
    fits, predicted = [], []
    calibrated: dict[str, tuple[list[Pair], str, float]] = {}
    for system in dict.fromkeys(two["system"] for _, two in there):
        own = [pair for pair in there if pair[1]["system"] == system]
        errors = held_out(own, exchange, cores)
        fits += errors
        spread = max(one["spread"] + two["spread"] for one, two in own)
        calibrated[system] = own, _best(own, errors), spread
    for path in plans:
        for cell in data.cells(path):
            # A system that was never on two devices has the overhead of the first that was.
            by = cell["system"] if cell["system"] in calibrated else next(iter(calibrated))
            all_pairs, reading, spread = calibrated[by]
            figures, own_pair = {"note": "not measured on one device"}, None
            if one := base(cell, rows):
                own_pair = pair_of(one, all_pairs)
                several = models(all_pairs, own_pair, exchange, cores)
                figures = _figures(cell, one, several, reading, spread)
            calibrated_on = ITSELF if own_pair else by
            beside = {"calibrated_on": calibrated_on, "exchange_from": source}
            predicted.append(cell | figures | beside)
    seen = {key(row, [*SAME, "devices"]): row for row in predicted[::-1]}
    return list(seen.values())[::-1], fits


def _best(own: Sequence[Pair], errors: list[dict[str, Any]]) -> str:
    """The reading that says held-out cells best, if there are enough; else none."""
    if len(own) < ENOUGH:
        return ""
    by = {r: [abs(float(e["error"])) for e in errors if e["reading"] == r] for r in READINGS}
    return min(by, key=lambda reading: sum(by[reading]))


def _figures(
    cell: dict[str, str],
    one: dict[str, Any],
    several: list[Model],
    reading: str,
    spread: float,
) -> dict[str, Any]:
    """What a cell will have on its devices, by its measurement on one."""
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
    return row | {
        "learners_each": one["learners_each"],
        "bytes": data.exchanged_bytes(one["model"], one["dataset"]),
        "base": one["call"],
        "base_images_per_s": one["images_per_s"],
        "exchange_ms": f"{1e3 * exchange_s:.3g}",
        "exposed_ms": f"{1e3 * exposed_s:.3g}",
        "reading": reading or "the middle one",
        "note": f"by one with cudnn_benchmark {one['cudnn_benchmark']}" if other else "",
    }  # fmt: skip
