"""Each run is the one that it says it is, and its files agree with one another."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from bench import environment, record
from bench.endings import completion
from bench.spec import RunSpec
from bench.table_hashes import tables_sha256
from bench.verify.columns import need
from bench.verify.mismatch import Mismatch, Trail, read_object

_KEYS = {
    record.RUN: ("run", "spec", "inputs", "code", "machine", "environment"),
    record.STATUS: ("status", "reason", "wall_s"),
}
_WORDS = ("run", "phase")
# What is read of them, here or to join them; runs of older versions lack the others.
_OF_EPOCHS = "run,epoch,images,train_s,learners,test_loss,test_acc,images_per_s".split(",")
_PHASES_WITHIN_S = 1e-3  # they are written to the microsecond


def read_runs(results: Path, runs: list[str], trail: Trail) -> dict[str, dict[str, Any]]:
    """run.json of each run, by id, once its files are seen to agree.

    Raises:
        Mismatch: a file is missing, or says what another contradicts.
    """
    jobs, hashed = {}, []
    for run in runs:
        folder = results / "runs" / run
        if not folder.is_dir():
            raise Mismatch(f"{folder}: is not there, expected by the row of summary.csv")
        if gone := [folder / name for name in record.FILES if not (folder / name).is_file()]:
            raise Mismatch(f"{gone[0]}: is not there, and every run leaves one")
        jobs[run] = _read(folder / record.RUN)
        _check_identity(folder / record.RUN, jobs[run])
        status = _read(folder / record.STATUS)
        _check_end(folder, jobs[run]["spec"], status)
        hashed.append(_check_hashes(folder, status))
    trail.followed.append(f"runs: each has the id of its settings and seed ({_seeds(jobs)})")
    unread = "" if all(hashed) else ", and of telemetry.csv all but the energy made of it"
    trail.lost.append(f"log.txt of runs{unread}")
    return jobs


def _seeds(jobs: dict[str, dict[str, Any]]) -> str:
    seeds = sorted({job["spec"]["seed"] for job in jobs.values()})
    return f"seed{'s' * (len(seeds) != 1)} {', '.join(map(str, seeds))}"


def _read(path: Path) -> dict[str, Any]:
    value = read_object(path)
    if lacking := [key for key in _KEYS[path.name] if key not in value]:
        raise Mismatch(f"{path}: has no {lacking[0]}")
    return value


def _check_identity(path: Path, job: dict[str, Any]) -> None:
    """The id of the folder, of run.json and of the settings is one and the same."""
    if job["run"] != path.parent.name:
        raise Mismatch(f"{path}: run is {job['run']}, expected {path.parent.name} by its folder")
    try:
        spec = RunSpec.from_dict(job["spec"])
    except TypeError as error:
        raise Mismatch(f"{path}: spec is none of this version ({error})") from None
    if spec.id != job["run"]:
        raise Mismatch(
            f"{path}: spec, its seed {spec.seed} included, is of run {spec.id}, expected "
            f"{job['run']} by its folder"
        )
    named = environment.machine(job["environment"], spec.device_type)
    if job["machine"] != named:
        raise Mismatch(f"{path}: machine is {job['machine']}, expected {named} by environment")


def _check_end(folder: Path, spec: dict[str, Any], status: dict[str, Any]) -> None:
    """Epochs, phases and status are of one run that went as they say."""
    path = folder / record.EPOCHS
    epochs = _rows(path, _OF_EPOCHS)
    start = {"images": 0.0, "train_s": 0.0}
    for place, (last, now) in enumerate(pairwise([start, *epochs])):
        if now["run"] != folder.name or now["epoch"] != place + 1:
            raise Mismatch(
                f"{path}: row {place + 1} is epoch {now['epoch']:g} of {now['run']}, expected "
                f"epoch {place + 1} of {folder.name}"
            )
        expected = (now["images"] - last["images"]) / max(now["train_s"] - last["train_s"], 1e-12)
        if not np.isclose(now["images_per_s"], expected, rtol=1e-6):
            raise Mismatch(
                f"{path}: images_per_s of epoch {place + 1} is {now['images_per_s']}, expected "
                f"{expected!r} by images and train_s"
            )
    _check_status(folder, status["status"], epochs, spec)
    phases = _rows(folder / record.PHASES, ("run", "phase", "seconds"))
    seconds = sum(row["seconds"] for row in phases)
    if abs(seconds - status["wall_s"]) > _PHASES_WITHIN_S:
        raise Mismatch(
            f"{folder / record.PHASES}: seconds of all phases are {seconds:.6f}, expected "
            f"{status['wall_s']:.6f} by wall_s of {record.STATUS}"
        )


def _check_hashes(folder: Path, status: dict[str, Any]) -> bool:
    """Its tables are as the run left them; False where it does not say, as in older versions."""
    left: dict[str, str] = status.get("tables_sha256", {})
    found = tables_sha256(folder) if left else {}
    for name, digest in left.items():
        if found.get(name) != digest:
            raise Mismatch(
                f"{folder / name}: was changed after the run, by tables_sha256 of {record.STATUS}"
            )
    return bool(left)


def _rows(path: Path, needed: Sequence[str]) -> list[dict[str, Any]]:
    """A run's own table: words where they are words, and else numbers.

    Raises:
        Mismatch: it is no table, lacks a column that is needed, or a number.
    """
    try:
        rows = record.read_table(path)
    except ValueError as error:
        raise Mismatch(f"{path}: is not readable as CSV ({error})") from None
    if rows:
        need(path, rows[0], needed)
    try:
        return [{k: v if k in _WORDS else float(v) for k, v in row.items()} for row in rows]
    except (TypeError, ValueError) as error:
        raise Mismatch(f"{path}: a row has no numbers ({error})") from None


def _check_status(folder: Path, status: str, epochs: list[dict[str, Any]], spec: Any) -> None:
    """A run that trained to its end reached the target, or not, by its epochs."""
    if status not in (record.FINISHED, record.REACHED):
        return
    differ = f"{folder / record.STATUS} and {folder / record.EPOCHS} differ: status is {status}"
    if len(epochs) != spec["epochs"]:
        raise Mismatch(
            f"{differ} in the one, which is after {spec['epochs']} epochs, and {len(epochs)} are "
            "in the other"
        )
    if (expected := completion(epochs, spec["target"])["status"]) != status:
        raise Mismatch(f"{differ} in the one, {expected} by the other")
