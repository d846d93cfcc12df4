"""Carries on from tables that were joined before, of runs whose directories are gone."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bench import record, summary

_TABLES = ("summary.csv", record.EPOCHS, record.AUTOTUNE)


def add(results: Path, earlier: Path, planned: Sequence[str]) -> list[str]:
    """Fill what `results` says was not run from the rows that `earlier` has of the same runs.

    Both are folders of joined tables. Runs stay in the order in which they were `planned`, those
    not run after the others. Returns the ids of the runs taken over.

    Raises:
        FileNotFoundError: one of the tables is missing.
        ValueError: `earlier` was joined by another version, with other columns; one sentence.
    """
    found = {name: (_read(results / name), _read(earlier / name)) for name in _TABLES}
    machines = [record.read_json(folder / "machines.json") for folder in (results, earlier)]
    for name, (here, there) in found.items():
        if list(here) != list(there):
            odd = ", ".join(map(str, set(here) ^ set(there))) or "their order"
            raise ValueError(f"{earlier / name}: has other columns than tables of today ({odd})")
    here, there = found["summary.csv"]
    rows = there[there["status"] != record.NOT_RUN].set_index("run", drop=False)
    missing = here["status"].eq(record.NOT_RUN) & here["run"].isin(rows.index)
    taken = list(here.loc[missing, "run"])
    here.loc[missing] = rows.loc[taken].to_numpy()
    place = {run: at for at, run in enumerate(planned)}
    here["place"] = here["run"].map(place).fillna(len(planned))
    here["not_run"] = here["status"].isin([record.NOT_RUN, record.NOT_AVAILABLE])
    here = here.sort_values(["not_run", "place"], kind="stable").drop(columns=["not_run", "place"])
    summary.publish(here, results / "summary.csv")
    for name in _TABLES[1:]:
        here, there = found[name]
        kept = there[there["run"].isin(taken)]
        summary.publish(pd.concat([here, kept]), results / name)
    before = [m | {"runs": [run for run in m["runs"] if run in taken]} for m in machines[1]]
    record.write_json(results / "machines.json", machines[0] + [m for m in before if m["runs"]])
    return taken


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, dtype=str, keep_default_na=False)
