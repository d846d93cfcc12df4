"""What was measured on more than two devices, beside what was predicted."""

from pathlib import Path
from typing import Any

from benchmarks import scaling_data as data
from benchmarks.engine_table import key
from benchmarks.inputs import number, rows_of
from benchmarks.scaling_measured import RUNS, SAME, measured_in

CHECK = (
    ",".join(SAME) + ",devices,call,of,predicted,low,high,measured,error,inside,measured_on_one"
).split(",")

FIGURES = [f"{what}{end}" for what in ("speed_up", "images_per_s") for end in ("", "_low", "_high")]


def check(measured: Path, prediction: Path, out: Path) -> list[dict[str, Any]]:
    """Print and write one row for each prediction that was measured.

    Of a call which has the cell on one device too, speed-ups are compared, else images per second,
    of training runs always: rates differ from process to process, and from machine to machine.

    Raises:
        ValueError: measurement or prediction is missing or not what it should be, or nothing
            measured was predicted.
    """
    rows, keys = measured_in(measured), [*SAME, "devices"]
    again = "`python -m benchmarks.scaling_model predict` writes it"
    told = {
        key(row, keys): (f"{prediction}: row {n}", row)
        for n, row in enumerate(rows_of(prediction, [*keys, *FIGURES], again), start=1)
        if row["images_per_s"]
    }
    alone = [row for row in rows if row["devices"] == 1 and row["call"] != RUNS]
    ones = {key(row, [*SAME, "call"]): row for row in alone}
    found = []
    for row in rows:
        if key(row, keys) not in told:
            continue
        where, expected = told[key(row, keys)]
        one = ones.get(key(row, [*SAME, "call"]))
        what = "speed_up" if one else "images_per_s"
        figure = row["images_per_s"] / (one["images_per_s"] if one else 1)
        names = [what + end for end in ("", "_low", "_high")]
        middle, low, high = (number(where, name, expected[name], least=0) for name in names)
        found.append(row | {
            "of": what, "predicted": middle, "low": low, "high": high,
            "measured": f"{figure:.3f}" if one else f"{figure:.0f}",
            "error": f"{middle / figure - 1:.3f}", "inside": low <= figure <= high,
            "measured_on_one": one["images_per_s"] if one else "",
        })  # fmt: skip
    if not found:
        raise ValueError(
            f"{measured} has none of the cells of more than two devices that {prediction} predicts"
        )
    data.write(out, CHECK, found)
    for row in found:
        cell = " ".join(str(row[n]) for n in ("system", "model", "dataset", "batch", "learners"))
        said = f"predicted {row['predicted']:g} ({row['low']:g} to {row['high']:g})"
        inside = "inside" if row["inside"] else "OUTSIDE"
        print(f"{cell}, {row['devices']} devices, {row['of']}: {said}, measured "
              f"{row['measured']}, error {float(row['error']):+.1%}, {inside}")  # fmt: skip
    errors = sorted(abs(float(row["error"])) for row in found)
    print(f"{sum(r['inside'] for r in found)} of {len(found)} inside the band; error at most "
          f"{errors[-1]:.1%}, {errors[len(errors) // 2]:.1%} in the middle")  # fmt: skip
    return found
