"""Options of methods that can't be run together or do nothing; a ConfigError says why."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from bench.method_options import changed
from bench.spec import RunSpec
from workflows.validate import ConfigError

# On one device they are plain SGD, and so is whatever else their method says.
OF_SEVERAL_DEVICES = {"pytorch", "local-sgd", "post-local-sgd", "topk", "powersgd", "downpour"}
OF_SEVERAL_DEVICES |= {"ssp", "fsdp", "noise-scale"}
OF_ONE_TOO = {"accumulate"}
WARMEST = 0.25  # the density of the first epoch of warm-up


def refuse_method_options(cell: Mapping[str, Any], where: str) -> None:
    """Options of a method that do nothing, or that torch can't have together."""
    system, devices = cell["system"], cell.get("devices", 1)
    method = changed(system, cell["method"])
    if devices == 1 and system in OF_SEVERAL_DEVICES:
        for key in (key for key in method if key not in OF_ONE_TOO):
            raise ConfigError(
                f"{where}.method.{key}: it does nothing on one device; remove it or use more"
            )
    if method.get("warmup_epochs") and method.get("density", 0) >= WARMEST:
        raise ConfigError(
            f"{where}.method.warmup_epochs: it begins with a density of {WARMEST}, and "
            f"{method['density']:g} is not less; remove it, or use a smaller density"
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
    if spec.devices == 1 and spec.system in OF_SEVERAL_DEVICES:
        return
    for key, reason in _idle(spec, images):
        raise ConfigError(f"{where}.{key}: {reason}")


def _idle(spec: RunSpec, images: int | None) -> Iterator[tuple[str, str]]:
    """Each key by which the method comes to nothing; why it does, and what to do."""
    method, epochs = spec.method, spec.epochs
    if spec.system in ("noise-scale", "ones"):
        yield from _never_grows(spec, images)
    if spec.system == "topk":
        warm = sum(WARMEST**e > method["density"] for e in range(1, method["warmup_epochs"] + 1))
        if epochs <= warm:
            reason = f"{epochs} epochs are all warm-up, and none has the density"
            yield "method.warmup_epochs", f"{reason}; {_at_most(epochs - 1, 0)}"
        if not method["masking"] and not spec.momentum:
            yield "method.masking", "there is no momentum to go on; remove it, or set momentum"
    if images is None:
        return
    an_epoch = images // (spec.devices * spec.batch)
    run = epochs * an_epoch
    late = run - round(method.get("start", 0) * run)
    match spec.system:
        case "polyak" if late < 2:
            reason = f"of a run of {run} iterations no two are left to average"
            yield "method.start", f"{reason}; {_start_at_most(run, 2)}"
        case "post-local-sgd" if not late:
            reason = f"of a run of {run} iterations none is left in which devices train alone"
            yield "method.start", f"{reason}; {_start_at_most(run, method['period'])}"
        case "powersgd" if method["start"] >= run:
            reason = f"nothing is compressed in a run of {run} iterations"
            yield "method.start", f"{reason}; {_at_most(run - 1, 2)}"
        case "ssp" if method["slack"] >= an_epoch:
            reason = f"no device waits for another in epochs of {an_epoch} iterations"
            yield "method.slack", f"{reason}; use at most {an_epoch - 1}"
    for key in ("push", "fetch"):
        if method.get(key, 1) > run:
            reason = f"a run of {run} iterations has none but those at the ends of epochs"
            yield f"method.{key}", f"{reason}; {_at_most(run, 1)}"
    alone = late - (spec.system == "eamsgd")  # which meets before its iterations
    if "period" in method and method["period"] > alone:
        reason = f"devices train alone for {alone} iterations and never meet in them"
        yield "method.period", f"{reason}; {_at_most(alone, 1)}"


def _never_grows(spec: RunSpec, images: int | None) -> Iterator[tuple[str, str]]:
    """The same of a batch that may double from one epoch to the next."""
    at_once, population = spec.devices * spec.batch, spec.method.get("population", 1)
    if spec.epochs == 1:
        yield "epochs", "the batch may be another from the second epoch on; use at least 2"
    if images is not None and 2 * at_once > (share := images // population):
        most = images // (2 * at_once)
        reason = f"an iteration begins with {at_once} images and can't double, as {share} are all "
        reason += "that it has of an epoch"
        if "population" in spec.method and most > 1:
            yield "method.population", f"{reason}; use at most {most}, or a smaller batch"
        yield "batch", f"{reason}; use at most {share // 2 // spec.devices}, or fewer devices"
    if spec.method["max_batch"] < 2 * at_once:
        reason = f"an iteration begins with {at_once} images and never grows to more than "
        yield "method.max_batch", f"{reason}{spec.method['max_batch']}; use at least {2 * at_once}"


def _at_most(most: int, least: int) -> str:
    return f"use at most {most}, or more epochs" if most >= least else "use more epochs"


def _start_at_most(iterations: int, left: int) -> str:
    """The fraction of a run that leaves so many iterations, cut to three digits."""
    most = math.floor(1000 * (iterations - left) / iterations) / 1000
    return f"use at most {most:g}, or more epochs" if most >= 0 else "use more epochs"
