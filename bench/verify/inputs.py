"""What the runs were given: the same records, the weights of their seeds, and no seed twice."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bench import record
from bench.summary_columns import SPEC_COLUMNS
from bench.verify.columns import need
from bench.verify.mismatch import Mismatch, Trail
from data_prep.manifest import RecordsError, file_sha256
from data_prep.records import open_records

_OF_WEIGHTS = ("model", "model_source", "dataset")
_SEED = ["seed", "repeat"]
_LEARNED = ["train_loss", "test_loss", "test_acc"]


def check_seeds(results: Path, rows: pd.DataFrame) -> None:
    """Runs that count as different seeds are different runs: in their settings, in what they did.

    Raises:
        Mismatch: a seed is missing, or counts twice, or epochs.csv lacks a column.
    """
    path = results / "summary.csv"
    for run in rows.loc[rows["seed"] == "", "run"]:
        raise Mismatch(f"{path}: seed of run {run} is empty, expected a number")
    settings = [name for name in (*SPEC_COLUMNS, "machine") if name in rows]
    for _, same in rows.groupby(settings, sort=False):
        if len(same) > 1:
            first, again = same["run"].iloc[:2]
            raise Mismatch(
                f"{path}: run {again} has the settings and the seed {same['seed'].iloc[0]} of run "
                f"{first}, expected another seed, or `repeat`"
            )
    seeds = dict(zip(rows["run"], rows["seed"], strict=True))
    epochs = pd.read_csv(results / record.EPOCHS)
    need(results / record.EPOCHS, epochs, ["run", *_LEARNED])
    seen: dict[tuple[float, ...], str] = {}
    for run, own in epochs.groupby(epochs["run"].astype(str), sort=False):
        did = own[_LEARNED].to_numpy(float)
        if not np.isfinite(did).all():  # any two runs may diverge alike
            continue
        twin = seen.setdefault(tuple(did.ravel()), run)
        if seeds.get(run) != seeds.get(twin):
            raise Mismatch(
                f"{results / record.EPOCHS}: run {run} of seed {seeds.get(run)} has the losses of "
                f"run {twin} of seed {seeds.get(twin)} in every epoch, expected its own: one seed "
                "counts twice"
            )


def check_records(
    results: Path, jobs: Mapping[str, dict[str, Any]], data: Path | None, trail: Trail
) -> None:
    """All runs on a dataset had the same records, and these are still what they were.

    `data` is the folder of all records; without it they are where the runs say.

    Raises:
        Mismatch: a hash differs.
    """
    kept: dict[str, tuple[Mapping[str, str], str]] = {}
    for run, job in jobs.items():
        dataset, hashes = job["spec"]["dataset"], job["inputs"]["records_sha256"]
        if dataset not in kept:
            folder = data / dataset if data else _found(results, Path(job["inputs"]["records"]))
            kept[dataset] = _read(dataset, folder, trail) or (hashes, f"run {run}")
        expected, by = kept[dataset]
        for name in sorted({*hashes, *expected}):
            here, there = hashes.get(name, "missing"), expected.get(name, "missing")
            if here != there:
                raise Mismatch(
                    f"{results / 'runs' / run / record.RUN}: sha256 of {name} is {here}, expected "
                    f"{there} by {by}"
                )


def _read(dataset: str, folder: Path, trail: Trail) -> tuple[Mapping[str, str], str] | None:
    """The hashes of a folder's records, once every byte was read, and where it is."""
    if not folder.exists():
        trail.lost.append(f"records of {dataset}: {folder} is not here; name theirs by --data")
        return None
    try:
        hashes = open_records(folder, verify=True).hashes
    except RecordsError as error:
        raise Mismatch(str(error)) from None
    trail.followed.append(f"records: {len(hashes)} files in {folder}, read and hashed")
    return hashes, str(folder)


def _found(results: Path, path: Path) -> Path:
    """A path of run.json, relative to where the pipeline ran: beside the results, or here."""
    beside = results.resolve().parent / path
    return beside if beside.exists() else path


def check_weights(results: Path, jobs: Mapping[str, dict[str, Any]], trail: Trail) -> None:
    """Runs of a model and seed began with the same weights, those of its other seeds with others.

    Two models may draw the same, as where their activations alone differ.

    Raises:
        Mismatch: a hash differs, or does not.
    """
    of_seed: dict[tuple[Any, ...], tuple[str, str]] = {}
    of_hash: dict[tuple[Any, ...], tuple[int, str]] = {}
    there = 0
    for run, job in jobs.items():
        path, given = results / "runs" / run / record.RUN, job["inputs"]["weights_sha256"]
        spec = job["spec"]
        model, seed = tuple(spec.get(name) for name in _OF_WEIGHTS), spec["seed"]
        expected, known = of_seed.setdefault((*model, seed), (given, run))
        if given != expected:
            raise Mismatch(f"{path}: weights_sha256 is {given}, expected {expected} by run {known}")
        other, known = of_hash.setdefault((*model, given), (seed, run))
        if other != seed:
            raise Mismatch(
                f"{path}: weights_sha256 is that of run {known}, expected another for another "
                f"seed: {spec['model']} on {spec['dataset']}, seed {seed} is not seed {other}"
            )
        if known != run:
            continue
        weights = _weights(results, Path(job["inputs"]["weights"]))
        if weights.exists():
            there += 1
            if (found := file_sha256(weights)) != given:
                raise Mismatch(f"{weights}: sha256 is {found}, expected {given} by run {run}")
    if there:
        trail.followed.append(f"weights: {there} file{'s' * (there != 1)}, hashed")
    if missing := len(of_hash) - there:
        trail.lost.append(f"weights: {missing} of {len(of_hash)} files are not here")


def _weights(results: Path, path: Path) -> Path:
    """The file in the folder of weights of these results, wherever they are now."""
    parts = path.parts
    return results.joinpath(*parts[parts.index("weights") :]) if "weights" in parts else path
