"""Whether two results folders are of one experiment, and in what else than results they differ."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bench import record
from bench.claim_file import SETTINGS
from bench.summary_file import read_summary, why_none

SILENT = (record.FAILED, record.NOT_AVAILABLE, record.NOT_RUN)
# Of a machine that is otherwise the same, these differ from one start to the next.
_PASSING = ("host", "variables.SLURM_JOB_ID", "variables.SLURM_JOB_NODELIST")
_WHICH = ".uuid"  # which GPU of its kind it was; earlier runs do not tell
_NAMED = 6


@dataclass(frozen=True)
class Side:
    """One results folder: its summary as text, and of each run the environment and run.json.

    Of a folder without run directories there is no run.json.
    """

    path: Path
    rows: pd.DataFrame
    environments: Mapping[str, dict[str, Any]]
    jobs: Mapping[str, dict[str, Any]]

    @property
    def made(self) -> pd.DataFrame:
        """The rows of runs that say something."""
        return self.rows[~self.rows["status"].isin(SILENT)]

    def of(self, column: str) -> list[str]:
        """The values of a column over the runs that say something."""
        return sorted(set(self.made.get(column, "")) - {""})


def read_side(path: Path) -> Side:
    """The results in a folder.

    Raises:
        ValueError: there are none, or they would mislead; one sentence that begins with the file.
    """
    if why := why_none(path):
        raise ValueError(why)
    rows = read_summary(path / "summary.csv")
    if (again := rows["run"].duplicated()).any():
        run = rows.loc[again, "run"].iloc[0]
        raise ValueError(f"{path / 'summary.csv'} has run {run} of two machines; leave one out")
    file = path / "machines.json"
    try:
        machines = record.read_json(file) if file.exists() else []
        environments = {run: one["environment"] for one in machines for run in one["runs"]}
        files = {run: path / "runs" / run / record.RUN for run in rows["run"]}
        jobs = {run: record.read_json(each) for run, each in files.items() if each.exists()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path}: machines.json or a run.json is broken ({error!r})") from None
    return Side(path, rows, environments, jobs)


def common(a: Side, b: Side) -> list[str]:
    """The runs that both sides have.

    Raises:
        ValueError: there is none, or they are of other data: it would be no comparison.
    """
    if a.path.resolve() == b.path.resolve():
        raise ValueError(f"{a.path} and {b.path} are one folder; name another")
    theirs = set(b.made["run"])
    runs = [run for run in a.made["run"] if run in theirs]
    if not runs:
        other = [name for name in SETTINGS if name != "seed" and a.of(name) != b.of(name)]
        said = "; ".join(
            f"{name} {', '.join(a.of(name)) or 'none'} | {', '.join(b.of(name)) or 'none'}"
            for name in other[:_NAMED]
        )
        raise ValueError(
            f"{a.path} and {b.path} have no run in common, so nothing to compare; they differ in "
            f"{said or 'combinations of settings and seeds'}"
        )
    for run in runs:
        hashes = [side.jobs.get(run, {}).get("inputs", {}).get("records_sha256") for side in (a, b)]
        if None not in hashes and hashes[0] != hashes[1]:
            raise ValueError(
                f"run {run} had other records in {a.path} than in {b.path}, so its results are of "
                "other data; prepare the same"
            )
    return runs


def warnings(a: Side, b: Side, runs: list[str]) -> Iterator[str]:
    """What a difference between the sides may be about instead of the one thing that was meant."""
    for side in (a, b):
        for name, plural in (("machine", "machines"), ("commit", "commits")):
            if len(side.of(name)) > 1:
                yield f"{side.path} itself has runs of several {plural}: {', '.join(side.of(name))}"
        if dirty := int(side.made.get("dirty", pd.Series()).str.lower().eq("true").sum()):
            yield f"{dirty} runs of {side.path} are of changed code that no commit holds"
        if any(run not in side.jobs for run in runs):
            yield f"{side.path} has not every run.json: records and weights are not compared"
    other_code, other_machine = differ_in_code(a, b, runs), a.of("machine") != b.of("machine")
    if other_code and other_machine:
        yield "both machine and code differ: no ratio tells which of them made it"
    if a.of("commit") != b.of("commit") and not other_code:
        yield "the commits differ, but not in the code of these runs"
    differing: dict[str, tuple[Any, Any]] = {}
    for run in runs:
        ours, theirs = (_flat(side.environments.get(run, {})) for side in (a, b))
        if ours and theirs:
            for key in sorted({*ours, *theirs}):
                if key in _PASSING or key.endswith(_WHICH):
                    continue
                if (one := ours.get(key, "none")) != (other := theirs.get(key, "none")):
                    differing.setdefault(key, (one, other))
    if differing:
        told = [f"{key} {one} | {other}" for key, (one, other) in differing.items()]
        more = f"; and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
        yield f"the environments differ in {'; '.join(told[:_NAMED])}{more}"
    weights = [
        run
        for run in runs
        if run in a.jobs and run in b.jobs and _weights(a.jobs[run]) != _weights(b.jobs[run])
    ]
    if weights:
        yield (
            f"{len(weights)} runs began with other weights, {weights[0]} first: their pairs share "
            "a seed in name alone"
        )


def differ_in_code(a: Side, b: Side, runs: list[str]) -> bool:
    """Whether any of the runs is of other sources; by their commits where there is no run.json."""
    if all(run in side.jobs for run in runs for side in (a, b)):
        return any(_sources(a.jobs[run]) != _sources(b.jobs[run]) for run in runs)
    return a.of("commit") != b.of("commit")


def _sources(job: Mapping[str, Any]) -> Any:
    return job.get("code", {}).get("sources_sha256")


def _weights(job: Mapping[str, Any]) -> Any:
    return job.get("inputs", {}).get("weights_sha256")


def _flat(value: Any, where: str = "") -> dict[str, Any]:
    """Nested values by the path of their keys; a list by its places."""
    if isinstance(value, list):
        value = {str(place): each for place, each in enumerate(value)}
    if not isinstance(value, dict):
        return {where: value}
    parts = [_flat(each, f"{where}.{key}".lstrip(".")) for key, each in value.items()]
    return {key: each for part in parts for key, each in part.items()}
