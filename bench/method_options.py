"""What a config's `method` may say to each system: JSON schemas of its options, with defaults.

A system that is not here has none. Which update an option steers is in docs/methods.md.
"""

from collections.abc import Mapping
from typing import Any

METHOD_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {}


def describe(method: Mapping[str, Any]) -> str:
    """The options as a table has them: "period=8, outer_lr=0.7"; empty where there are none."""
    return ", ".join(f"{name}={value}" for name, value in method.items())
