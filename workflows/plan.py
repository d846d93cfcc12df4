"""From a config to the runs it asks for; a config that can't be run is refused here."""

import functools
import itertools
import math
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

import models
from bench import environment, record
from bench.spec import (
    ALGORITHM_1,
    CONSTANT_LR,
    EA_SGD,
    KUNGFU,
    SSGD,
    RunSpec,
    stability_bound,
)
from bench.systems import AVERAGING, KERAS, STEP_OPTIONS, SYSTEMS
from data_prep import datasets
from data_prep.augment import AUGMENTATIONS

SCHEMA = record.read_json(Path(__file__).parent / "schemas" / "config.schema.json")
KINDS = {
    "integer": "a whole number",
    "number": "a number, such as 0.001 or 1.0e-3",
    "string": "text",
    "object": "a mapping of keys to values",
    "array": "a list",
    "boolean": "true or false",
}
AVERAGING_KEYS = ("learners", "variant", "alpha", "mu", "tau", "batch_norm", "allow_unstable")
STEP_KEYS = {
    "precision": "fp32",
    "compile": False,
    "channels_last": False,
    "graph": False,
    "unroll": 1,
    "cudnn_benchmark": False,
}
DEFAULT_MU = 0.9  # the released Crossbow's


class ConfigError(ValueError):
    """One sentence: the key, what is wrong with it and what to do."""


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
    archives: str
    interpreters: Mapping[str, str]
    models: Mapping[str, str]


def plan(config: Mapping[str, Any]) -> Plan:
    """Check `config` and expand its matrix.

    Seeds vary slowest, so that the systems take turns and a drift of the machine hits all alike.

    Raises:
        ConfigError: the config is invalid; the message names the key.
    """
    _validate(config, SCHEMA, "")
    for key in ("results", "data"):
        folder = Path(config.get(key, key))
        if folder.exists() and not folder.is_dir():
            raise ConfigError(f"{key}: {folder} is a file; name a folder")
    runs: dict[str, RunSpec] = {}
    missing: dict[str, dict[str, Any]] = {}
    models_from = _own_models(config.get("models", {}))
    for index, group in enumerate(config["matrix"]):
        where = f"matrix[{index}]"
        for cell in _cells({**config.get("defaults", {}), **group}, where):
            spec = _spec(cell, group, where, models_from)
            _refuse_oversized(spec, where)
            if spec.id in runs or spec.id in missing:
                raise ConfigError(f"{where}: plans {spec.id} twice; remove the repeated value")
            if reason := _lacks_model(spec, where):
                missing[spec.id] = {"run": spec.id, "spec": spec.to_dict(), "reason": reason}
            else:
                runs[spec.id] = spec
    for system in config.get("interpreters", {}):
        _one_of("interpreters", system, list(SYSTEMS), "system")
    return Plan(
        name=config["name"],
        runs=dict(sorted(runs.items(), key=lambda item: item[1].seed)),
        not_available=list(missing.values()),
        results=Path(config.get("results", "results")),
        data=Path(config.get("data", "data")),
        archives=config.get("archives", ""),
        interpreters=config.get("interpreters", {}),
        models=models_from,
    )


def refuse_what_is_not_here(plan: Plan) -> None:
    """Check that this machine has the devices and the interpreters that the plan asks for.

    Raises:
        ConfigError: it has fewer devices, or one interpreter is not there.
    """
    for system, python in plan.interpreters.items():
        if shutil.which(python) is None:
            raise ConfigError(
                f"interpreters.{system}: there is no {python!r} here; make that environment or "
                "remove the key"
            )
    there = {"cpu": os.cpu_count() or 1, "cuda": len(environment.gpus())}
    for spec in plan.runs.values():
        if spec.devices > there[spec.device_type]:
            unit = "CPU cores" if spec.device_type == "cpu" else "CUDA devices"
            raise ConfigError(
                f"devices: {spec.id} needs {spec.devices} {unit} and this machine has "
                f"{there[spec.device_type]}; ask for fewer devices"
            )


def _cells(group: Mapping[str, Any], where: str) -> Iterator[dict[str, Any]]:
    """Every combination of the group's values; a list is one value per run."""
    axes = [value if isinstance(value, list) else [value] for value in group.values()]
    for key, axis in zip(group, axes, strict=True):
        if not axis:
            raise ConfigError(f"{where}.{key}: an empty list plans no runs; give it a value")
    for values in itertools.product(*axes):
        yield dict(zip(group, values, strict=True))


def _own_models(sources: Mapping[str, str]) -> dict[str, str]:
    """The user's models, by name: where each comes from, checked."""
    for name, source in sources.items():
        if name in models.known():
            raise ConfigError(f"models.{name}: the suite has a model of this name; choose another")
        try:
            models.load(name, source)
        except ValueError as error:
            raise ConfigError(f"models.{name}: {error}") from None
    return dict(sources)


def _spec(
    cell: dict[str, Any], group: Mapping[str, Any], where: str, models_from: Mapping[str, str]
) -> RunSpec:
    cell_schema = {**SCHEMA["$defs"]["cell"], "$defs": SCHEMA["$defs"]}
    _validate(cell, cell_schema, where)
    cell = _numbers(cell, where)
    system = cell["system"]
    _one_of(f"{where}.system", system, list(SYSTEMS), "system")
    _one_of(f"{where}.model", cell["model"], [*models.known(), *models_from], "model")
    if cell["model"] in models_from:
        cell["model_source"] = models_from[cell["model"]]
    _one_of(f"{where}.dataset", cell["dataset"], datasets.known(), "dataset")
    augmentation = cell.get("augmentation", "none")
    _one_of(f"{where}.augmentation", augmentation, list(AUGMENTATIONS), "augmentation")
    _refuse_step_options(cell, where)
    _refuse_schedule(cell.get("schedule", CONSTANT_LR), cell["epochs"], where)
    unstable = cell.pop("allow_unstable", False)
    if system not in AVERAGING:
        for key in AVERAGING_KEYS:
            if key in group:
                raise ConfigError(f"{where}.{key}: {system} averages no learners; remove the key")
            cell.pop(key, None)
        return RunSpec(**cell)
    alpha = cell.pop("alpha", "1/k")
    elastic = cell.get("variant") == EA_SGD
    cell = {"variant": ALGORITHM_1, "mu": 0.0 if elastic else DEFAULT_MU, **cell}
    spec = RunSpec(**cell, alpha=None if alpha == "1/k" else alpha)
    if spec.variant in (ALGORITHM_1, KUNGFU) and spec.momentum:
        raise ConfigError(
            f"{where}.momentum: variant {spec.variant} has no local momentum; set it to 0 or use "
            "variant: released"
        )
    if spec.variant == SSGD and spec.tau != 1:
        raise ConfigError(
            f"{where}.tau: variant ssgd synchronises in every iteration; set it to 1 or remove it"
        )
    for key in ("alpha", "mu"):
        if spec.variant == SSGD and key in group:
            raise ConfigError(f"{where}.{key}: variant ssgd has none; remove the key")
    if spec.tau == 0 and (spec.schedule["kind"] == "step" or spec.learners == "auto"):
        raise ConfigError(
            f"{where}.tau: learners that never meet can neither restart from z at a step of the "
            "rate nor be tuned; use another schedule and a number of learners"
        )
    if elastic and spec.mu:
        raise ConfigError(f"{where}.mu: EA-SGD has no momentum of z; set it to 0 or remove it")
    if not unstable:
        _refuse_unstable(spec, where)
    return spec


def _refuse_schedule(schedule: Mapping[str, Any], epochs: int, where: str) -> None:
    at = schedule.get("at", [])
    if list(at) != sorted(set(at)):
        raise ConfigError(
            f"{where}.schedule.at: {at} does not rise; list each epoch once, in order"
        )
    if at and at[-1] >= epochs:
        raise ConfigError(
            f"{where}.schedule.at: {at[-1]} is never reached in {epochs} epochs; remove it"
        )
    if schedule["kind"] == "constant" and "warmup" in schedule:
        raise ConfigError(f"{where}.schedule.warmup: a constant rate has none; remove it")


def _refuse_step_options(cell: Mapping[str, Any], where: str) -> None:
    system, on_cpu = cell["system"], cell.get("device_type", "cpu") == "cpu"
    for key, plain in STEP_KEYS.items():
        if cell.get(key, plain) == plain:
            continue
        if key not in STEP_OPTIONS.get(system, ()):
            raise ConfigError(f"{where}.{key}: {system} does not offer it; remove the key")
        if on_cpu and key != "compile":
            raise ConfigError(
                f"{where}.{key}: {cell[key]} needs a GPU; set device_type: cuda or remove the key"
            )
    if cell.get("unroll", 1) > 1 and not cell.get("graph"):
        raise ConfigError(f"{where}.unroll: several iterations are one graph; add graph: true")
    if cell.get("unroll", 1) > 1 and (cell.get("devices", 1) > 1 or cell.get("tau", 1) != 1):
        raise ConfigError(
            f"{where}.unroll: devices and learners that wait for each other between iterations "
            "can't have several in one graph; use devices: 1 and tau: 1, or unroll: 1"
        )
    if system == "pytorch" and cell.get("graph") and cell.get("devices", 1) > 1:
        raise ConfigError(f"{where}.graph: pytorch captures one device; use devices: 1 or no graph")


def _refuse_oversized(spec: RunSpec, where: str) -> None:
    learners = 1 if spec.learners == "auto" else spec.learners
    images, there = spec.devices * learners * spec.batch, training_images(spec.dataset)
    if images > there:
        raise ConfigError(
            f"{where}.batch: one iteration takes {images} images and {spec.dataset} has {there} to "
            "train on; use a smaller batch, fewer learners or fewer devices"
        )


def _lacks_model(spec: RunSpec, where: str) -> str | None:
    """Why the system can't run the model; a model that can't take the images is refused."""
    model, shape = models.load(spec.model, spec.model_source), datasets.load(spec.dataset).SHAPE
    try:
        getattr(model, "check_shape", lambda shape: None)(shape)
    except ValueError as error:
        raise ConfigError(f"{where}.model: on {spec.dataset}, {error}") from None
    framework = "keras" if spec.system in KERAS else "torch"
    return (
        None if hasattr(model, f"{framework}_model") else f"{spec.model} has no {framework}_model"
    )


@functools.cache
def training_images(dataset: str) -> int:
    """How many training images a dataset has."""
    return int(datasets.load(dataset).COUNTS["train"])


def _refuse_unstable(spec: RunSpec, where: str) -> None:
    assert spec.variant is not None and spec.mu is not None
    k = spec.devices * (1 if spec.learners == "auto" else spec.learners)
    alpha = 1 / k if spec.alpha is None else spec.alpha
    bound = stability_bound(k, spec.mu, spec.variant)
    if alpha >= bound:
        raise ConfigError(
            f"{where}.alpha: {alpha:g} is outside the stability bound, {bound:.4g} for {k} "
            f"learners and mu {spec.mu:g}; lower it or set allow_unstable: true"
        )


def _numbers(cell: dict[str, Any], where: str) -> dict[str, Any]:
    """The cell with one spelling of each number, so that 1 and 1.0 name the same run."""
    properties, alike = SCHEMA["$defs"]["cell"]["properties"], dict(cell)
    for key, value in cell.items():
        values = value.items() if isinstance(value, dict) else [("", value)]
        for inner, numbers in values:
            for number in numbers if isinstance(numbers, list) else [numbers]:
                if isinstance(number, float) and not math.isfinite(number):
                    name = f"{where}.{key}" + (f".{inner}" if inner else "")
                    raise ConfigError(f"{name}: {number} is not finite; give it a finite number")
        if isinstance(value, int | float) and not isinstance(value, bool):
            kind = properties[key].get("type") or properties[key]["else"]["type"]
            alike[key] = int(value) if kind == "integer" else float(value)
    return alike


def _validate(value: Any, schema: Mapping[str, Any], where: str) -> None:
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    if error is None:
        return
    key = where + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    raise ConfigError(f"{key.lstrip('.') or 'config'}: {_sentence(error)}")


def _sentence(error: jsonschema.ValidationError) -> str:
    """What is wrong with a value and what to do, in words of a config rather than of a schema."""
    rule, value, limit = error.validator, error.instance, error.validator_value
    if rule == "additionalProperties":
        properties = error.schema["properties"]
        unknown = ", ".join(repr(key) for key in value if key not in properties)
        return f"unknown key {unknown}; known keys are {', '.join(sorted(properties))}"
    if rule == "required":
        missing = ", ".join(repr(key) for key in limit if key not in value)
        return f"no value for {missing}; add it"
    if rule == "type":
        return f"{value!r} is not {KINDS[limit]}; make it one"
    if rule == "enum":
        return f"unknown value {value!r}; use one of {', '.join(limit)}"
    if rule == "const":
        return f"unknown value {value!r}; use {limit} or a number"
    if rule == "minItems":
        return "an empty list; give it at least one item"
    bounds = {
        "minimum": "at least",
        "exclusiveMinimum": "more than",
        "maximum": "at most",
        "exclusiveMaximum": "less than",
    }
    if rule in bounds:
        return f"{value} is out of range; use {bounds[rule]} {limit}"
    if rule == "pattern":
        return f"{value!r} does not do; use {error.schema['description']}"
    if rule == "minLength":
        return "empty text; give it a value or remove the key"
    return str(error.message)


def _one_of(key: str, name: str, known: list[str], kind: str) -> None:
    if name not in known:
        raise ConfigError(f"{key}: unknown {kind} {name!r}; use one of {', '.join(known)}")
