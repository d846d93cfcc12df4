"""Folders of results and of records that can't be used, or lie among the suite's own files."""

import stat
from pathlib import Path

from bench.environment import ROOT
from workflows.validate import ConfigError

# What git has of the suite, but for results/.
OWN = {"baselines", "bench", "benchmarks", "crossbow_impl", "data_prep", "docs", "models", "plots"}
OWN |= {"tests", "workflows", ".ci", ".git"}


def refuse_folders(results: Path, data: Path) -> None:
    """Refuse, by a ConfigError, a file, a folder of the suite's own files, or one here for both.

    Elsewhere one may be both, as there runs may have both in one already.
    """
    for key, folder in (("results", results), ("data", data)):
        _refuse_no_folder(folder, key)
        if _is_own(folder.resolve()):
            raise ConfigError(
                f"{key}: {folder} is a folder of the suite's own files, or around them; name one "
                f"for {key} alone, such as {key}"
            )
    if results.resolve() == data.resolve() and data.resolve().is_relative_to(ROOT):
        raise ConfigError(f"results: {results} is the folder of data too; name one for each")


def _refuse_no_folder(folder: Path, key: str) -> None:
    try:
        is_folder = stat.S_ISDIR(folder.stat().st_mode)
    except FileNotFoundError:  # it is made
        return
    except OSError as error:
        raise ConfigError(f"{key}: {folder}: {error.strerror}; name another folder") from None
    if not is_folder:
        raise ConfigError(f"{key}: {folder} is a file; name a folder")


def _is_own(folder: Path) -> bool:
    if not folder.is_relative_to(ROOT):
        return ROOT.is_relative_to(folder)
    below = folder.relative_to(ROOT).parts
    return not below or below[0] in OWN
