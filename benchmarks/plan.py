"""What a plan asks for: a JSON list of cells, which are fields of a RunSpec.

`learners` of a cell may be a list of numbers, which one process sweeps.
"""

import argparse
import dataclasses
import json
from pathlib import Path
from typing import Any

import models
from bench import gpus
from bench.spec import RunSpec
from benchmarks.synthetic import synthetic
from benchmarks.systems import KINDS, defaulted, spec_of
from workflows.cells import lacks_model
from workflows.cells import spec_of as run_of
from workflows.data_of import Data, data_of
from workflows.refusals import refuse_data
from workflows.validate import SCHEMA, ConfigError, one_of, refuse_endless, validate

DEFAULTS = {f.name: f.default for f in dataclasses.fields(RunSpec)}
OF_A_RUN = SCHEMA["$defs"]["cell"]["properties"]
CELL = {
    "type": "object",
    "required": ["system", "model", "dataset", "batch"],
    "additionalProperties": False,
    "properties": {name: OF_A_RUN.get(name, {"type": "string"}) for name in DEFAULTS},
    "$defs": SCHEMA["$defs"],
}


def read_plan(path: Path) -> list[dict[str, Any]]:
    """The cells of a plan.

    Raises:
        ConfigError: it is not there, is no JSON, or no list of cells that can be measured; one
            sentence.
    """
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(
            f"{path}: no such plan ({error.strerror}); the suite's are in benchmarks/plans"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: no JSON, {error}; a plan is a list of cells") from None
    if not isinstance(cells, list):
        raise ConfigError(f"{path}: no list; a plan is a list of cells, also of one")
    if not cells:
        raise ConfigError(f"{path}: the plan has no cells; give it at least one")
    for place, cell in enumerate(cells):
        refuse_cell(cell, f"{path}[{place}]")
    return cells


def one_spec(text: str) -> RunSpec:
    """The cell of a command that measures one, which is JSON; it has one number of learners.

    Raises:
        argparse.ArgumentTypeError: it can't be measured here; one sentence.
    """
    try:
        cell = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise argparse.ArgumentTypeError(f"no JSON, {error}") from None
    try:
        refuse_cell(cell, "CELL")
    except ConfigError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if isinstance(cell.get("learners"), list):
        raise argparse.ArgumentTypeError(f"CELL.learners: {cell['learners']}; give one number")
    spec, there = spec_of(cell), len(gpus.visible())
    if not fitting([cell], there):
        raise argparse.ArgumentTypeError(
            f"the cell asks for {spec.devices} x cuda, and there are {there} GPUs; for a CPU a "
            'cell says "device_type": "cpu"'
        )
    return spec


def refuse_cell(cell: Any, where: str) -> None:
    """Refuse what is no cell, or one that no system can be asked to measure.

    Raises:
        ConfigError: that; one sentence, which begins with `where`.
    """
    validate(cell, {"type": "object"}, where)
    refuse_endless(cell, where)
    if not (learners := learners_of(cell)):
        raise ConfigError(f"{where}.learners: an empty list; give it a number")
    # What a run's JSON says of settings that it has not.
    given = {name: value for name, value in cell.items() if value not in (None, {})}
    for m in learners:
        validate(given | {"learners": m}, CELL, where)
    one_of(f"{where}.system", cell["system"], list(KINDS), "system")
    source = given.pop("model_source", None)
    try:
        models.load(cell["model"], source)
    except ValueError as error:
        raise ConfigError(f"{where}.model: {error}") from None
    data = _known_data(cell["dataset"], f"{where}.dataset")
    for m in learners:
        given["learners"] = m
        own = {name for name, value in given.items() if value != DEFAULTS[name]}
        try:
            run = defaulted(given) | {"allow_unstable": True}  # throughput is the same
            spec = run_of(run, dict.fromkeys(own), where, {cell["model"]: source} if source else {})
        except ConfigError:
            raise
        except ValueError as error:
            raise ConfigError(f"{where}.{error}") from None
        if data:
            refuse_data(spec, data, where)
            if reason := lacks_model(spec, data, where):
                raise ConfigError(f"{where}.model: {reason}; {spec.system} can't measure it")


def _known_data(dataset: str, where: str) -> Data | None:
    """What a dataset's name alone says of it; None where records of one's own will."""
    try:
        random = synthetic(dataset)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None
    if random:
        return Data(dataset, "", random.shape, False, random.classes, random.samples)
    try:
        return data_of(dataset, {}, "", Path(), where)
    except ConfigError:
        return None


def learners_of(cell: dict[str, Any]) -> list[Any]:
    """The numbers of learners that a cell sweeps."""
    learners = cell.get("learners", 1)
    return learners if isinstance(learners, list) else [learners]


def points(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A cell for each number of learners, with the defaults of the fields that it lacks."""
    return [DEFAULTS | cell | {"learners": m} for cell in cells for m in learners_of(cell)]


def fitting(cells: list[dict[str, Any]], there: int) -> list[dict[str, Any]]:
    """Those that so many GPUs are enough for. A CPU may have more devices, which take turns."""
    specs = [spec_of(cell | {"learners": 1}) for cell in cells]
    return [
        cell
        for cell, spec in zip(cells, specs, strict=True)
        if spec.device_type == "cpu" or spec.devices <= there
    ]
