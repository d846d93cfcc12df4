"""What a config's `method` may say to each system: JSON schemas of its options, with defaults.

A system that is not here has none. Which update an option steers is in docs/methods.md. A default
stays what it is: a run's id and its label leave out the options that have theirs.
"""

from collections.abc import Mapping
from typing import Any

METHOD_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "pytorch": {
        "accumulate": {"type": "integer", "minimum": 1, "default": 1},
        "bucket_mb": {"type": "integer", "minimum": 0, "default": 0},
        "static_graph": {"type": "boolean", "default": False},
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
