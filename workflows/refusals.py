"""Combinations of settings that can't be run; each is refused by a ConfigError that says why."""

from collections.abc import Mapping
from typing import Any

from bench.sources import sources
from bench.spec import RunSpec
from bench.systems import CPU_ONLY, ONE_NODE, STEP_OPTIONS, SYSTEMS
from data_prep.augment import augmentation_of
from workflows.data_of import Data
from workflows.refused_methods import refuse_idle_method
from workflows.validate import ConfigError

STEP_KEYS = {
    "precision": "fp32",
    "compile": False,
    "channels_last": False,
    "graph": False,
    "unroll": 1,
    "cudnn_benchmark": False,
}
GRAPHS_OF_SEVERAL = {"crossbow", "pytorch"}  # whose captured step was tested on several GPUs


def refuse_broken_system(system: str, where: str) -> None:
    """A system whose module is not there, or is no Python, or imports such a file."""
    try:
        sources(SYSTEMS[system])
    except ModuleNotFoundError as error:
        raise ConfigError(f"{where}.system: {error} in bench/systems.py") from None
    except ValueError as error:
        raise ConfigError(f"{where}.system: {error}") from None


def refuse_data(spec: RunSpec, data: Data, where: str) -> None:
    """More images an iteration or iterations than there are; an augmentation of another kind."""
    learners = 1 if spec.learners == "auto" else spec.learners
    images, there = spec.devices * learners * spec.batch, data.train_images
    if there is not None and images > there:
        raise ConfigError(
            f"{where}.batch: one iteration takes {images} images and {spec.dataset} has {there} to "
            "train on; use a smaller batch, fewer learners or fewer devices"
        )
    refuse_idle_method(spec, there, where)
    if there is not None:
        _refuse_idle_iterations(spec, there // images, where)
    try:
        augmentation_of(spec.augmentation, spec.dataset, data.encoded)
    except ValueError as error:
        raise ConfigError(f"{where}.augmentation: {error}") from None
    if spec.unroll > 1 and data.encoded:
        raise ConfigError(
            f"{where}.unroll: {spec.dataset} is read while it is trained on, an iteration at a "
            "time; set it to 1"
        )


def _refuse_idle_iterations(spec: RunSpec, an_epoch: int, where: str) -> None:
    """A period, or a graph, of more iterations than there are, which would change nothing."""
    in_all = an_epoch * spec.epochs
    if spec.tau > in_all:
        raise ConfigError(
            f"{where}.tau: learners would never meet in {in_all} iterations, those of all "
            f"{spec.epochs} epochs; use at most that, or 0 to say never"
        )
    if spec.unroll > an_epoch:
        raise ConfigError(
            f"{where}.unroll: a graph of {spec.unroll} iterations would never run in epochs of "
            f"{an_epoch}; use at most that"
        )


def refuse_nodes(cell: Mapping[str, Any], where: str) -> None:
    """Several nodes of a system that has no use for them, or that can't share its devices out."""
    system, devices, nodes = cell["system"], cell.get("devices", 1), cell.get("nodes", 1)
    if nodes > 1 and system in ONE_NODE:
        raise ConfigError(
            f"{where}.nodes: all devices of {system} have to be in one machine; remove the key"
        )
    if devices % nodes:
        raise ConfigError(
            f"{where}.nodes: {devices} devices, those of all nodes, can't be shared out evenly "
            f"over {nodes}; use a multiple of {nodes} devices"
        )


def refuse_schedule(schedule: Mapping[str, Any], epochs: int, where: str) -> None:
    """A schedule that never drops, or has a key it does not use."""
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


def refuse_step_options(cell: Mapping[str, Any], where: str) -> None:
    """A way to compute a step that the system, the device or another key rules out."""
    system, on_cpu = cell["system"], cell.get("device_type", "cpu") == "cpu"
    if system in CPU_ONLY and not on_cpu:
        raise ConfigError(
            f"{where}.device_type: {system} has its weights in memory that CPUs share; use cpu"
        )
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
    if system not in GRAPHS_OF_SEVERAL and cell.get("graph") and cell.get("devices", 1) > 1:
        raise ConfigError(
            f"{where}.graph: {system} captures one device; use devices: 1 or no graph"
        )
