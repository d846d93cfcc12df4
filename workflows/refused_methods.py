"""Options of methods that can't be run together or do nothing; a ConfigError says why."""

from collections.abc import Mapping
from typing import Any

from bench.method_options import changed
from bench.spec import RunSpec
from workflows.validate import ConfigError

OF_SEVERAL_DEVICES = {
    "pytorch": {"bucket_mb", "static_graph"},
    "local-sgd": {"period"},
    "post-local-sgd": {"period", "start"},
    "topk": {"density", "warmup_epochs", "masking"},
    "powersgd": {"rank", "start"},
    "downpour": {"push", "fetch"},
    "ssp": {"slack"},
    "fsdp": {"reshard_after_forward", "offload", "chunk_mb"},
    "noise-scale": {"max_batch", "lr_rule", "decay"},
}


def refuse_method_options(cell: Mapping[str, Any], where: str) -> None:
    """Options of a method that do nothing, or that torch can't have together."""
    system, devices = cell["system"], cell.get("devices", 1)
    method = changed(system, cell["method"])
    for key in method.keys() & OF_SEVERAL_DEVICES.get(system, set()):
        if devices == 1:
            raise ConfigError(
                f"{where}.method.{key}: it does nothing on one device; remove it or use more"
            )
    if method.get("offload") and cell.get("device_type", "cpu") == "cpu":
        raise ConfigError(
            f"{where}.method.offload: a CPU's memory is the host's; set device_type: cuda or "
            "remove it"
        )
    parts = method.get("accumulate", 1)
    if cell["batch"] % parts:
        raise ConfigError(
            f"{where}.method.accumulate: a batch of {cell['batch']} has no {parts} equal parts; "
            "use a number that divides it"
        )
    if parts > 1 and method.get("static_graph"):
        raise ConfigError(
            f"{where}.method.static_graph: torch has none while gradients of parts accumulate; "
            "remove it or accumulate"
        )


def refuse_idle_method(spec: RunSpec, images: int | None, where: str) -> None:
    """A method that comes to nothing in a run so small, by its defaults too.

    `images` are those of an epoch, if that is known.
    """
    method, at_once = spec.method, spec.devices * spec.batch

    def used(key: str) -> bool:
        return key in method and (
            spec.devices > 1 or key not in OF_SEVERAL_DEVICES.get(spec.system, ())
        )

    if used("max_batch") and method.get("population") != 1 and method["max_batch"] < 2 * at_once:
        raise ConfigError(
            f"{where}.method.max_batch: an iteration begins with {at_once} images and never grows "
            f"to more than {method['max_batch']}; use at least {2 * at_once}"
        )
    if used("warmup_epochs") and spec.epochs <= method["warmup_epochs"]:
        raise ConfigError(
            f"{where}.method.warmup_epochs: {spec.epochs} epochs are all warm-up, of "
            f"{method['warmup_epochs']}, and none has the density; use fewer, or more epochs"
        )
    if images is None:
        return
    iterations = spec.epochs * (images // at_once)
    if used("period"):
        # Post-local SGD has some in which it is not; EAMSGD meets before its iterations.
        alone = iterations - round(method.get("start", 0) * iterations) - ("beta" in method)
        if method["period"] > alone:
            raise ConfigError(
                f"{where}.method.period: devices train alone for {alone} iterations and never meet "
                f"in them; use at most {alone}, or more epochs"
            )
    if spec.system == "powersgd" and used("start") and method["start"] >= iterations:
        raise ConfigError(
            f"{where}.method.start: nothing is compressed in a run of {iterations} iterations; use "
            "fewer, or more epochs"
        )
