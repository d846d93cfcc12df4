"""Folders of results and of records that can't be used, or lie among files that are kept."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from bench.environment import ROOT
from workflows.validate import ConfigError

# What git has of the suite, but for the reference results.
OWN = {"baselines", "bench", "benchmarks", "crossbow_impl", "data_prep", "docs", "models", "plots"}
OWN |= {"tests", "workflows", ".ci", ".git"}
REFERENCE = ("results", "reference")
PER_RUN = ("runs", "state", "weights")  # of results


def refuse_folders(results: Path, data: Path) -> None:
    """Refuse, by a ConfigError, a file, a folder of the suite's own files, or one here for both.

    Elsewhere one may be both, as there runs may have both in one already.
    """
    for key, folder in (("results", results), ("data", data)):
        _refuse_no_folder(folder, key)
        if _is_own(_real(folder)):
            raise ConfigError(
                f"{key}: {folder} holds or lies among the suite's own files; name one for {key} "
                f"alone, such as {key}"
            )
    _refuse_tables_alone(results)
    if _real(results) == _real(data) and _real(data).is_relative_to(ROOT):
        raise ConfigError(f"results: {results} is the folder of data too; name one for each")


def refuse_in_each_other(results: Path, data: Path, datasets: Iterable[str]) -> None:
    """Refuse, by a ConfigError, results among a dataset's records, or these among files of runs."""
    for records in (data / name for name in datasets):
        if _real(results).is_relative_to(_real(records)):
            raise ConfigError(
                f"results: {results} lies among the records in {records}; name one outside"
            )
        for runs in (results / name for name in PER_RUN):
            if _real(records).is_relative_to(_real(runs)):
                raise ConfigError(
                    f"data: {records} lies among the files of runs in {runs}; name one outside"
                )


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))  # Path.resolve raises where links go in circles


def _refuse_no_folder(folder: Path, key: str) -> None:
    try:
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except FileNotFoundError:  # it is made
        for above in (folder, *folder.parents):
            if above.is_symlink() and not above.exists():
                raise ConfigError(
                    f"{key}: {above} is a link to nothing; name another folder"
                ) from None
        return
    except OSError as error:
        raise ConfigError(f"{key}: {folder}: {error.strerror}; name another folder") from None
    except ValueError as error:  # a zero byte, half a character
        raise ConfigError(f"{key}: {str(folder)!r}: {error}; name another folder") from None
    if not is_folder:
        raise ConfigError(f"{key}: {folder} is a file; name a folder")


def _refuse_tables_alone(results: Path) -> None:
    table = results / "summary.csv"
    if table.exists() and not any((results / name).exists() for name in PER_RUN):
        raise ConfigError(
            f"results: {table} is of runs that are not there, and would be overwritten; name "
            "another folder, or move it away"
        )


def _is_own(folder: Path) -> bool:
    if not folder.is_relative_to(ROOT):
        return ROOT.is_relative_to(folder)
    below = folder.relative_to(ROOT).parts
    return not below or below[0] in OWN or below[:2] == REFERENCE
