"""What a config's `method` may say to each system: JSON schemas of its options, with defaults.

A system that is not here has none. Which update an option steers is in docs/methods.md. A default
stays what it is: a run's id and its label leave out the options that have theirs.
"""

from collections.abc import Mapping
from typing import Any

PERIOD = {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 8}
START = {"type": "number", "minimum": 0, "exclusiveMaximum": 1, "default": 0.5}
MOMENTUM = {"type": "number", "minimum": 0, "exclusiveMaximum": 1}
RATE = {"type": "number", "exclusiveMinimum": 0}

METHOD_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "pytorch": {
        "accumulate": {"type": "integer", "minimum": 1, "maximum": 10**6, "default": 1},
        "bucket_mb": {"type": "integer", "minimum": 0, "maximum": 10**6, "default": 0},
        "static_graph": {"type": "boolean", "default": False},
    },
    "local-sgd": {"period": PERIOD},
    "post-local-sgd": {"period": PERIOD, "start": START},
    "eamsgd": {
        "period": PERIOD,
        "beta": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 0.9},
    },
    "polyak": {"start": START, "decay": MOMENTUM | {"default": 0.0}},
    "bmuf": {
        "period": PERIOD,
        "block_lr": RATE | {"default": 1.0},
        "block_momentum": MOMENTUM | {"default": 0.5},
    },
    "diloco": {
        "period": PERIOD,
        "inner": {"enum": ["adamw", "sgd"], "default": "adamw"},
        "outer_lr": RATE | {"default": 0.7},
        "outer_momentum": MOMENTUM | {"default": 0.9},
    },
    "lars": {"trust": RATE | {"default": 0.001}},
    "topk": {
        "density": {"type": "number", "exclusiveMinimum": 0, "maximum": 1, "default": 0.001},
        "warmup_epochs": {"type": "integer", "minimum": 0, "maximum": 10**6, "default": 4},
        "masking": {"type": "boolean", "default": True},
    },
    "powersgd": {
        "rank": {"type": "integer", "minimum": 1, "maximum": 10**6, "default": 2},
        "start": {"type": "integer", "minimum": 2, "maximum": 10**9, "default": 2},
    },
    "downpour": {
        "push": {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1},
        "fetch": {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1},
    },
    "ssp": {"slack": {"type": "integer", "minimum": 0, "maximum": 10**9, "default": 3}},
    "fsdp": {
        "reshard_after_forward": {"type": "boolean", "default": True},
        "offload": {"type": "boolean", "default": False},
        "chunk_mb": {"type": "integer", "minimum": 0, "maximum": 10**6, "default": 0},
    },
    "noise-scale": {
        "max_batch": {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1024},
        "lr_rule": {"enum": ["constant", "sqrt", "linear"], "default": "linear"},
        "decay": {"type": "number", "minimum": 0, "exclusiveMaximum": 1, "default": 0.99},
    },
    "ones": {
        "population": {"type": "integer", "minimum": 2, "maximum": 10**6, "default": 4},
        "mutation": {"type": "number", "minimum": 0, "maximum": 1, "default": 0.5},
        "max_batch": {"type": "integer", "minimum": 1, "maximum": 10**9, "default": 1024},
    },
}


def with_defaults(system: str, method: Mapping[str, Any]) -> dict[str, Any]:
    """All options of the system's method: those given, and the defaults of the others."""
    options = METHOD_OPTIONS.get(system, {})
    return {name: option["default"] for name, option in options.items()} | dict(method)


def changed(system: str, method: Mapping[str, Any]) -> dict[str, Any]:
    """The options that have another value than their default."""
    plain = with_defaults(system, {})
    return {name: value for name, value in method.items() if plain.get(name) != value}


def describe(system: str, method: Mapping[str, Any]) -> str:
    """As a table has them: "period=4, outer_lr=0.7"; empty where all are the defaults."""
    return ", ".join(f"{name}={value}" for name, value in changed(system, method).items())
