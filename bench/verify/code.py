"""The runs are of code that is in the repository, and of the same."""

import io
import json
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from bench import record
from bench.environment import ROOT
from bench.verify.mismatch import Mismatch, Trail

_KIND = ("system", "model", "model_source")
Kind = tuple[str, str, str]
# Asked of the code of a commit itself, which alone knows what its runs depended on.
_ASK = """
import json, sys
from types import SimpleNamespace
from bench.job import system_sources
from bench.sources import digest
for kind in json.load(sys.stdin):
    try:
        print(digest(system_sources(SimpleNamespace(**kind))))
    except (KeyError, OSError):  # a system or a model that this commit does not have
        print()
"""


def check_code(
    results: Path,
    rows: pd.DataFrame,
    jobs: Mapping[str, dict[str, Any]],
    may_be_mixed: bool,
    trail: Trail,
) -> None:
    """Each run's sources are those of its commit; of several commits, the runs' code is the same.

    `jobs` has the run.json of each run, or nothing where there are only tables.

    Raises:
        Mismatch: a run is of other sources, or of other code than another run.
    """
    if "commit" not in rows:
        trail.lost.append("code of the runs: summary.csv has no commit")
        return
    kinds = {row["run"]: _kind(row) for row in rows.to_dict("records")}
    commits = {run: _full(commit) for run, commit in zip(rows["run"], rows["commit"], strict=True)}
    told = rows["dirty"] if "dirty" in rows else pd.Series("False", rows.index)
    dirty = set(rows.loc[told.str.lower() != "false", "run"])
    at = {commit: _digests(commit, set(kinds.values())) for commit in set(commits.values())}
    for run, job in jobs.items():
        found, expected = job["code"]["sources_sha256"], at[commits[run]].get(kinds[run])
        if run not in dirty and expected and found != expected:
            raise Mismatch(
                f"{results / 'runs' / run / record.RUN}: code.sources_sha256 is {found}, expected "
                f"{expected} by commit {commits[run]}"
            )
    if not may_be_mixed:
        _check_alike(results, kinds, commits, at)
        _check_sources_alike(results, kinds, jobs)
    _tell(commits, at, dirty, bool(jobs), trail)


def _kind(row: Mapping[Any, str]) -> Kind:
    return row["system"], row["model"], row.get("model_source", "")


def _full(commit: str) -> str:
    """The whole hash of a commit, or what was given where this repository does not know it."""
    if not re.fullmatch("[0-9a-f]{7,40}", commit):
        return commit
    command = ["git", "-C", str(ROOT), "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"]
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.strip() or commit
    except FileNotFoundError:  # no git
        return commit


def _digests(commit: str, kinds: set[Kind]) -> dict[Kind, str]:
    """SHA-256 of the sources of each kind of run at a commit, as far as it can be told."""
    if not re.fullmatch("[0-9a-f]{40}", commit):
        return {}
    archive = ["git", "-C", str(ROOT), "archive", commit, "--", "*.py"]
    done = subprocess.run(archive, capture_output=True)
    if done.returncode:
        return {}
    order = sorted(kinds)
    asked = [dict(zip(_KIND, (*kind[:2], kind[2] or None), strict=True)) for kind in order]
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
            files.extractall(folder, filter="data")
        command = [sys.executable, "-c", _ASK]
        told = subprocess.run(
            command, cwd=folder, input=json.dumps(asked), capture_output=True, text=True
        )
    lines = [] if told.returncode else told.stdout.splitlines()
    return {kind: digest for kind, digest in zip(order, lines, strict=False) if digest}


def _check_alike(
    results: Path, kinds: dict[str, Kind], commits: dict[str, str], at: dict[str, dict[Kind, str]]
) -> None:
    first, expected = next(iter(commits.items()), ("", ""))
    for run, commit in commits.items():
        for kind in dict.fromkeys([kinds[run], *kinds.values()]):
            here, there = at[commit].get(kind), at[expected].get(kind)
            if commit != expected and (here is None or here != there):
                raise _mixed(
                    f"{results / 'summary.csv'}: commit of run {run} is {commit[:10] or 'empty'}, "
                    f"expected {expected[:10]} as of run {first}, or one with the same code of "
                    f"{kind[0]} with {kind[1]}"
                )


def _check_sources_alike(
    results: Path, kinds: dict[str, Kind], jobs: Mapping[str, dict[str, Any]]
) -> None:
    first: dict[Kind, tuple[str, str]] = {}
    for run, job in jobs.items():
        found = job["code"]["sources_sha256"]
        expected, known = first.setdefault(kinds[run], (found, run))
        if found != expected:
            raise _mixed(
                f"{results / 'runs' / run / record.RUN}: code.sources_sha256 is {found}, expected "
                f"{expected} as of run {known}"
            )


def _mixed(sentence: str) -> Mismatch:
    return Mismatch(f"{sentence}; where that is meant, say --mixed-commits")


def _tell(
    commits: dict[str, str],
    at: dict[str, dict[Kind, str]],
    dirty: set[str],
    has_jobs: bool,
    trail: Trail,
) -> None:
    for commit in dict.fromkeys(commits.values()):
        runs = [run for run, its in commits.items() if its == commit]
        said = f"commit {commit[:10] or 'unknown'}: {len(runs)} run{'s' * (len(runs) != 1)}"
        clean = [run for run in runs if run not in dirty]
        if not at[commit]:
            trail.lost.append(f"{said}, whose code is not in this repository")
        elif not has_jobs:
            trail.lost.append(f"{said}; that they were of its sources, no run.json says")
        elif clean:
            trail.followed.append(f"{said}, {len(clean)} of them of exactly its sources")
    if dirty:
        number = f"{len(dirty)} run{'s' * (len(dirty) != 1)}"
        trail.lost.append(f"{number} of changed code that no commit holds: {min(dirty)}, ...")
