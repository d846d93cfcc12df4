"""From a config to the runs it asks for; a config that can't be run is refused here."""

import itertools
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import environment, nodes
from bench.spec import RunSpec
from bench.systems import SYSTEMS
from workflows.cells import lacks_model, own_models, refuse_unfit_models, spec_of
from workflows.data_of import Data, data_of, own_datasets
from workflows.defaults import refuse_unknown_defaults, told_as_default
from workflows.order import in_turns
from workflows.refusals import refuse_data
from workflows.refused_folders import refuse_folders, refuse_in_each_other
from workflows.refused_ranks import refuse_high_rank
from workflows.validate import SCHEMA, ConfigError, one_of, refuse_endless, validate

MOST_CELLS = 100_000  # of a group; more are a slip, and would fill the memory before they ran


@dataclass(frozen=True)
class Plan:
    """The runs of one config, by id, in the order in which they should happen.

    `not_available` has the cells whose system does not offer the model: run, spec and reason.
    """

    name: str
    runs: dict[str, RunSpec]
    not_available: list[dict[str, Any]]
    results: Path
    data: Path
    datasets: Mapping[str, Data]
    interpreters: Mapping[str, str]
    models: Mapping[str, str]
    exports: list[str]


def plan(config: Mapping[str, Any]) -> Plan:
    """Check `config` and expand its matrix.

    Raises:
        ConfigError: the config is invalid; the message names the key.
    """
    refuse_endless(config, "")
    validate(config, SCHEMA, "")
    results, prepared = (Path(config.get(key, key)) for key in ("results", "data"))
    refuse_folders(results, prepared)
    runs: dict[str, RunSpec] = {}
    missing: dict[str, dict[str, Any]] = {}
    datasets: dict[str, Data] = {}
    # Both are found out by reading files: once for each, not for each of thousands of cells.
    data_of_name: dict[tuple[str, str], Data] = {}
    reasons: dict[tuple[str, ...], str | None] = {}
    models_from = own_models(config.get("models", {}))
    folders, archives = own_datasets(config.get("datasets", {})), config.get("archives", "")
    defaults = config.get("defaults", {})
    refuse_unknown_defaults(defaults)
    for index, group in enumerate(config["matrix"]):
        where = f"matrix[{index}]"
        with told_as_default(defaults, group, where):
            for cell in _cells({**defaults, **group}, where):
                spec = spec_of(cell, group, where, models_from)
                named, pair = (spec.dataset, where), (spec.system, spec.model, spec.dataset, where)
                if named not in data_of_name:
                    data_of_name[named] = data_of(
                        spec.dataset, folders, archives, prepared, f"{where}.dataset"
                    )
                data = data_of_name[named]
                refuse_data(spec, data, where)
                if spec.id in runs or spec.id in missing:
                    raise ConfigError(f"{where}: plans {spec.id} twice; remove the repeated value")
                if pair not in reasons:
                    reasons[pair] = lacks_model(spec, data, where)
                if reason := reasons[pair]:
                    missing[spec.id] = {"run": spec.id, "spec": spec.to_dict(), "reason": reason}
                else:
                    refuse_high_rank(spec, data, where)
                    runs[spec.id], datasets[spec.dataset] = spec, data
    refuse_in_each_other(results, prepared, datasets)
    refuse_unfit_models(runs.values(), datasets)
    for system in config.get("interpreters", {}):
        one_of("interpreters", system, list(SYSTEMS), "system")
    return Plan(
        name=config["name"],
        runs={spec.id: spec for spec in in_turns(runs.values())},
        not_available=list(missing.values()),
        results=results,
        data=prepared,
        datasets=datasets,
        interpreters=config.get("interpreters", {}),
        models=models_from,
        exports=config.get("exports", []),
    )


def refuse_what_is_not_here(plan: Plan) -> None:
    """Check that this machine has the devices and the interpreters that the plan asks for.

    Raises:
        ConfigError: it has fewer devices, one interpreter is not there, or nothing can start a run
            on several nodes.
    """
    for system, python in plan.interpreters.items():
        if shutil.which(python) is None:
            raise ConfigError(
                f"interpreters.{system}: there is no {python!r} here; make that environment or "
                "remove the key"
            )
    there = {"cpu": os.cpu_count() or 1, "cuda": len(environment.gpus())}
    for spec in plan.runs.values():
        if spec.nodes > 1:
            try:
                nodes.starter(spec)
            except nodes.NoNodes as error:
                raise ConfigError(str(error)) from None
        if spec.devices_per_node > there[spec.device_type]:
            unit = "CPU cores" if spec.device_type == "cpu" else "CUDA devices"
            raise ConfigError(
                f"devices: {spec.id} needs {spec.devices_per_node} {unit} and this machine has "
                f"{there[spec.device_type]}; ask for fewer devices"
            )


def _cells(group: Mapping[str, Any], where: str) -> Iterator[dict[str, Any]]:
    """Every combination of the group's values; a list is one value per run."""
    axes = [value if isinstance(value, list) else [value] for value in group.values()]
    for key, axis in zip(group, axes, strict=True):
        if not axis:
            raise ConfigError(f"{where}.{key}: an empty list plans no runs; give it a value")
    if (cells := math.prod(map(len, axes))) > MOST_CELLS:
        raise ConfigError(
            f"{where}: {cells:,} combinations, where {MOST_CELLS:,} are the most; list fewer values"
        )
    for values in itertools.product(*axes):
        yield dict(zip(group, values, strict=True))
