"""Measured iterations, on one device and more, as the scaling model reads them.

A measurement is a dict of SETTINGS, all as text, with `devices`, `call`, `images_per_s` (of all
devices), `iteration_s`, `learners_each` (a number also where `learners` is auto), `spread`, and the
`source`: machine and commit.
"""

from dataclasses import MISSING
from pathlib import Path
from typing import Any

from bench import record
from bench.spec import ALGORITHM_1, RELEASED
from bench.summary_file import read_summary
from bench.systems import SYSTEMS
from benchmarks.engine_table import SETTINGS, key
from benchmarks.inputs import number, rows_of
from benchmarks.plan import DEFAULTS
from benchmarks.results import Source, source_of

SAME = [name for name in SETTINGS if name != "devices"]
BUT_CUDNN = [name for name in SAME if name != "cudnn_benchmark"]
TRAINED = (record.REACHED, record.FINISHED)
FLAGS = [name for name in SAME if isinstance(DEFAULTS[name], bool)]
Pair = tuple[dict[str, Any], dict[str, Any]]
RUNS = "runs"  # the call of training runs, which summary.csv has


def measurements(folder: Path) -> list[dict[str, Any]]:
    """Of engine.csv, and of the training runs in summary.csv where there is one.

    Raises:
        ValueError: the folder has no engine.csv, or one of the two is damaged; one sentence.
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
        ValueError: it is missing or neither, or has a row that can't be; begins with the file.
    """
    needed = ["system", "model", "devices", "batch", "learners", "images_per_s"]
    table = rows_of(path, needed, "`python -m benchmarks.engine` measures it", may_be_none=True)
    if not table or "call" in table[0]:
        names = {row["call"] for row in table}
        calls = {name: source_of(path.parent / f"engine-{name}.json") for name in names}
        return [
            _measurement(f"{path}: row {n}", row, calls[row["call"]])
            for n, row in enumerate(table, start=1)
        ]
    runs: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in read_summary(path).to_dict("records"):
        averaged = row["variant"] in (ALGORITHM_1, RELEASED) and row["tau"] == "1"
        if row["status"] in TRAINED and (row["system"] != "crossbow" or averaged):
            source = Source(row["machine"], row.get("commit", ""), row.get("dirty") == "True")
            runs.setdefault(key(row, [*SAME, "devices"]), []).append(
                _measurement(f"{path}: {row['run']}", row | {"call": RUNS}, source)
            )
    # Of an even number the lower of the two in the middle: a run that was made.
    return [
        sorted(seeds, key=lambda run: run["images_per_s"])[(len(seeds) - 1) // 2]
        for seeds in runs.values()
    ]


def _measurement(where: str, row: dict[str, str], source: Source) -> dict[str, Any]:
    # What a row does not say was not asked for.
    settings = {name: row.get(name) or _default(where, name) for name in [*SAME, "devices"]}
    if settings["system"] not in SYSTEMS:
        raise ValueError(f"{where}: system is {settings['system']!r}, which the suite has not")
    for name in FLAGS:
        if settings[name] not in ("True", "False"):
            raise ValueError(f"{where}: {name} is {settings[name]!r}; make it True or False")
    devices = int(number(where, "devices", settings["devices"]))
    each = int(number(where, "learners", row.get("learners_final") or settings["learners"]))
    batch = int(number(where, "batch", settings["batch"]))
    images_per_s = number(where, "images_per_s", row["images_per_s"], least=0.1)
    return settings | {
        "devices": devices,
        "call": row["call"],
        "images_per_s": images_per_s,
        "learners_each": each,
        "iteration_s": devices * each * batch / images_per_s,
        "spread": number(where, "spread", row.get("spread") or "0", least=0),
        "source": source,
    }


def _default(where: str, name: str) -> str:
    if DEFAULTS[name] is MISSING:
        raise ValueError(f"{where}: {name} is empty; leave the row out")
    return str(DEFAULTS[name])


def pairs(rows: list[dict[str, Any]]) -> list[Pair]:
    """The same cell on one device and on two, of one call.

    Of several such the last, also where one of them has another `cudnn_benchmark`.
    """
    ones = {key(row, [*SAME, "call"]): row for row in rows if row["devices"] == 1}
    found = {}
    for row in rows:
        one = ones.get(key(row, [*SAME, "call"]))
        if row["devices"] == 2 and one and row["call"] != RUNS:
            found[key(row, BUT_CUDNN)] = one, row
    return list(found.values())


def pair_of(one: dict[str, Any], there: list[Pair]) -> Pair | None:
    """The pair that has the settings of a cell on one device, whatever its `cudnn_benchmark`.

    Where one of them tuned its learners, their number counts.
    """
    names = [*(name for name in BUT_CUDNN if name != "learners"), "learners_each"]
    return next((pair for pair in there if key(pair[0], names) == key(one, names)), None)


def base(cell: dict[str, str], rows: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The last measurement of a cell on one device; else with another `cudnn_benchmark`."""
    ones = [row for row in rows if row["devices"] == 1]
    for names in (SAME, BUT_CUDNN):
        same = [row for row in ones if key(row, names) == key(cell, names)]
        measured = [row for row in same if row["call"] != RUNS] or same
        if measured:
            return measured[-1]
    return None
