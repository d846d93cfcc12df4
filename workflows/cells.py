"""From one cell of the matrix to the run that it asks for, or to why it can't be one."""

from collections.abc import Iterable, Mapping
from typing import Any

import models
from bench.method_options import METHOD_OPTIONS
from bench.spec import ALGORITHM_1, CONSTANT_LR, RunSpec
from bench.systems import AVERAGING, KERAS, SYSTEMS
from data_prep.augment import AUGMENTATIONS
from models._flaws import told
from models._torch_check import refuse_unfit
from workflows.data_of import Data
from workflows.refusals import (
    refuse_broken_system,
    refuse_nodes,
    refuse_schedule,
    refuse_step_options,
)
from workflows.refused_methods import refuse_method_options
from workflows.refused_variants import WITHOUT_MOMENTUM, refuse_unstable, refuse_variant
from workflows.validate import SCHEMA, ConfigError, one_of, spelled_alike, validate

AVERAGING_KEYS = ("learners", "variant", "alpha", "mu", "tau", "batch_norm", "allow_unstable")
DEFAULT_MU = 0.9  # the released Crossbow's


def own_models(sources: Mapping[str, str]) -> dict[str, str]:
    """The user's models, by name: where each comes from.

    Raises:
        ConfigError: a name is taken, or there is no model there.
    """
    for name, source in sources.items():
        if name in models.known():
            raise ConfigError(f"models.{name}: the suite has a model of this name; choose another")
        try:
            models.load(name, source)
        except ValueError as error:
            raise ConfigError(f"models.{name}: {error}") from None
    return dict(sources)


def spec_of(
    cell: dict[str, Any], group: Mapping[str, Any], where: str, models_from: Mapping[str, str]
) -> RunSpec:
    """The run of a cell, whose own keys are those of `group`; a ConfigError begins with `where`."""
    cell_schema = {**SCHEMA["$defs"]["cell"], "$defs": SCHEMA["$defs"]}
    validate(cell, cell_schema, where)
    cell = spelled_alike(cell)
    system = cell["system"]
    one_of(f"{where}.system", system, list(SYSTEMS), "system")
    refuse_broken_system(system, where)
    if reason := models.why_unknown(cell["model"], models_from):
        raise ConfigError(f"{where}.model: {reason}")
    if cell["model"] in models_from:
        cell["model_source"] = models_from[cell["model"]]
    augmentation = cell.get("augmentation", "none")
    one_of(f"{where}.augmentation", augmentation, list(AUGMENTATIONS), "augmentation")
    cell["method"] = method_of(system, cell.get("method"), f"{where}.method")
    refuse_method_options(cell, where)
    refuse_nodes(cell, where)
    refuse_step_options(cell, where)
    refuse_schedule(cell.get("schedule", CONSTANT_LR), cell["epochs"], where)
    unstable = cell.pop("allow_unstable", False)
    if system not in AVERAGING:
        for key in AVERAGING_KEYS:
            if key in group:
                raise ConfigError(f"{where}.{key}: {system} averages no learners; remove the key")
            cell.pop(key, None)
        return RunSpec(**cell)
    alpha = cell.pop("alpha", "1/k")
    mu = 0.0 if cell.get("variant") in WITHOUT_MOMENTUM else DEFAULT_MU
    spec = RunSpec(
        **{"variant": ALGORITHM_1, "mu": mu, **cell}, alpha=None if alpha == "1/k" else alpha
    )
    refuse_variant(spec, group, where)
    if not unstable:
        refuse_unstable(spec, where)
    return spec


def refuse_unfit_models(specs: Iterable[RunSpec], data: Mapping[str, Data]) -> None:
    """Try each model once, for the images of each dataset that it has runs on."""
    together: dict[tuple[str, str | None, str], set[str]] = {}
    for spec in specs:
        systems = together.setdefault((spec.model, spec.model_source, spec.dataset), set())
        if spec.devices > 1:
            systems.add(spec.system)
    for (model, source, dataset), systems in together.items():
        built, origin = models.load(model, source), models.origin(model, source)
        try:
            refuse_unfit(built, origin, data[dataset].shape, data[dataset].classes, systems)
        except ValueError as error:
            raise ConfigError(f"{models_key(model, source)}: on {dataset}, {error}") from None


def models_key(model: str, source: str | None) -> str:
    """The key of a config that a model is named by."""
    return f"models.{model}" if source else "model"


def method_of(system: str, chosen: Mapping[str, Any] | None, where: str) -> dict[str, Any]:
    """The options `chosen` of a system's method, with numbers spelled alike.

    Raises:
        ConfigError: an option is unknown, or has a value that it can't have.
    """
    options = METHOD_OPTIONS.get(system, {})
    if chosen is None:
        return {}
    if not options:
        raise ConfigError(f"{where}: {system} has no options; remove the key")
    for name, value in chosen.items():
        if name not in options:
            known = ", ".join(options)
            raise ConfigError(f"{where}: {system} has no option {name!r}; it has {known}")
        if isinstance(value, list):
            mappings = ", ".join(f"{{{name}: {of}}}" for of in value)
            raise ConfigError(
                f"{where}.{name}: a list; list mappings instead: method: [{mappings}]"
            )
    validate(chosen, {"type": "object", "properties": options}, where)
    spelling = {"integer": int, "number": float}
    alike = {name: spelling.get(options[name].get("type")) for name in chosen}
    return {name: alike[name](of) if alike[name] else of for name, of in chosen.items()}


def lacks_model(spec: RunSpec, data: Data, where: str) -> str | None:
    """Why the system can't run the model; a model that can't take the images is refused."""
    model = models.load(spec.model, spec.model_source)
    try:
        getattr(model, "check_shape", lambda shape: None)(data.shape)
    except ValueError as error:
        raise ConfigError(f"{where}.model: on {spec.dataset}, {error}") from None
    except Exception as error:  # whatever someone else's file raises
        origin = models.origin(spec.model, spec.model_source)
        raise ConfigError(
            f"{where}.model: {origin}: check_shape fails, {told(error, origin)}"
        ) from None
    framework = "keras" if spec.system in KERAS else "torch"
    return (
        None if hasattr(model, f"{framework}_model") else f"{spec.model} has no {framework}_model"
    )
