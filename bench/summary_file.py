"""Reads summary.csv, and refuses one that would mislead: for claims and for figures."""

from pathlib import Path

import pandas as pd

from bench.summary import SPEC_COLUMNS, SUMMARY_COLUMNS

# What every summary has; older ones may lack the others.
NEEDED = "run,system,model,dataset,device_type,devices,learners,batch,seed,target,status".split(",")
NEEDED += "epochs_run,learners_final,images_per_s,train_s,first_s,median5_epochs".split(",")
NEEDED += ["median5_s", "sustained_s", "machine"]
_WORDS = {"run", "status", "reason", "machine", "commit", "dirty"}
RESULTS = [name for name in SUMMARY_COLUMNS if name not in _WORDS.union(SPEC_COLUMNS)]
_NUMBERS = ["devices", "batch", "seed", "repeat", "target", *RESULTS]
_NONE = ("", "nan")


def why_none(results: Path) -> str:
    """Why there is no summary in what was named as a folder of results; empty if there is one."""
    if (results / "summary.csv").is_file():
        return ""
    if not results.exists():
        return f"{results}: there is no such folder"
    if not results.is_dir():
        return f"{results}: is no folder; name one of results"
    return (
        f"{results}: has no summary.csv; the pipeline makes it, or python -m workflows.join CONFIG "
        f"--results {results}"
    )


def read_summary(path: Path) -> pd.DataFrame:
    """The summary as text; what is missing, also where it says "nan", is empty.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is no table, lacks a column, has a cell that should be a number and is none,
            or a run of a machine twice; one sentence that begins with the file.
    """
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise ValueError(
            f"{path} is not readable as CSV ({' '.join(str(error).split())})"
        ) from None
    if missing := [name for name in NEEDED if name not in table]:
        raise ValueError(f"{path} lacks the columns {', '.join(missing)}")
    for name in (name for name in _NUMBERS if name in table):
        is_none = table[name].str.lower().isin(_NONE)
        table[name] = table[name].mask(is_none, "")
        wrong = table[pd.to_numeric(table[name], errors="coerce").isna() & ~is_none]
        for run, cell in zip(wrong["run"], wrong[name], strict=True):
            raise ValueError(f"{path}: {name} of {run} is {cell!r}, no number; mend it")
    # The same run may have been made on several machines.
    for run in table.loc[table.duplicated(["run", "machine"]), "run"]:
        raise ValueError(f"{path}: run {run} is there twice; leave one of them out")
    return table
