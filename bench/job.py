"""run.json: the request that a system reads, and the provenance that stays with its results."""

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import models
from bench import environment, record
from bench.sources import ROOT, digest, files_of, sources
from bench.spec import RunSpec
from bench.systems import SYSTEMS
from data_prep.manifest import file_sha256
from models._foreign import file_of

REGISTRIES = {"bench/systems.py", "bench/method_options.py"}


def system_sources(spec: RunSpec) -> list[str]:
    """The files whose change makes a run of `spec` a different run.

    Registries are not among them: a line for another system leaves this one's runs as they are.
    """
    found = sources(SYSTEMS[spec.system]) + model_sources(spec.model, spec.model_source)
    return sorted(set(found) - REGISTRIES)


def model_sources(name: str, source: str | None = None) -> list[str]:
    """The files of a model; of one from outside the repository, its own file by its full path."""
    if source:
        return [*sources("models"), str(file_of(source))]
    return sources("models", models.module_of(name))


def model_file(spec: RunSpec) -> Path:
    """The file that the model of `spec` is in, of the repository or the user's."""
    if spec.model_source:
        return file_of(spec.model_source)
    return ROOT / models.origin(spec.model)


def model_digest(spec: RunSpec) -> str:
    """SHA-256 of that file alone: what else the model is made of is the suite's."""
    return file_sha256(model_file(spec))


def own_files(spec: RunSpec) -> list[Path]:
    """The files of the system and of the model of `spec` alone."""
    return [*files_of(SYSTEMS[spec.system]), model_file(spec)]


def describe(
    spec: RunSpec, records: Path, weights: Path, state: Path, surroundings: dict[str, Any]
) -> dict[str, Any]:
    """The content of run.json for `spec` on this machine, from these inputs.

    `surroundings` is the `bench.environment.environment` of the process that will run.
    """
    files = system_sources(spec)
    return {
        "run": spec.id,
        "spec": spec.to_dict(),
        "inputs": {
            "records": str(records),
            "records_sha256": {
                name: file["sha256"]
                for name, file in record.read_json(records / "manifest.json")["files"].items()
            },
            "weights": str(weights),
            "weights_sha256": file_sha256(weights),
            "state": str(state),
        },
        "code": environment.code(files)
        | {"sources_sha256": digest(files), "model_sha256": model_digest(spec)},
        "machine": environment.machine(surroundings, spec.device_type),
        "environment": surroundings,
    }


@dataclass(frozen=True)
class Job:
    """A run as its system sees it: the spec, where its inputs are, where its files go."""

    spec: RunSpec
    records: Path
    weights: Path
    state: Path
    out: Path
    fingerprint: str

    @classmethod
    def read(cls, run_json: Path, out: Path) -> "Job":
        """The job in `run_json`; `fingerprint` covers all that a checkpoint must agree with.

        Raises:
            ValueError: the file is missing or is not a run.json; one sentence.
        """
        try:
            job = record.read_json(run_json)
            inputs = job["inputs"]
        except OSError as error:
            raise ValueError(f"{run_json}: {error.strerror}; name the run.json of a run") from None
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{run_json}: not the run.json of a run ({error!r})") from None
        parts = [
            job["run"],
            job["code"]["sources_sha256"],
            inputs["weights_sha256"],
            *sorted(inputs["records_sha256"].values()),
        ]
        return cls(
            spec=RunSpec.from_dict(job["spec"]),
            records=Path(inputs["records"]),
            weights=Path(inputs["weights"]),
            state=Path(inputs["state"]),
            out=out,
            fingerprint=hashlib.sha256("\n".join(parts).encode()).hexdigest(),
        )
