"""A mistake in a config's `defaults` is told as one of theirs, and not of the group it came to."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from workflows.validate import SCHEMA, ConfigError, validate

# Values are looked at in the cells, as many groups take others.
KEYS = dict.fromkeys(SCHEMA["$defs"]["cell"]["properties"], True)


def refuse_unknown_defaults(defaults: Mapping[str, Any]) -> None:
    """Refuse, by a ConfigError, a key that no group can have."""
    validate(defaults, {"properties": KEYS, "additionalProperties": False}, "defaults")


@contextmanager
def told_as_default(
    defaults: Mapping[str, Any], group: Mapping[str, Any], where: str
) -> Iterator[None]:
    """Let a ConfigError that begins with `where` and a key which `group` has not itself say so."""
    try:
        yield
    except ConfigError as error:
        place, _, sentence = str(error).partition(": ")
        key = re.match(rf"{re.escape(where)}\.(\w+)", place)
        if not key or key[1] in group or key[1] not in defaults:
            raise
        path = place.removeprefix(where)
        raise ConfigError(f"defaults{path}, for {where}: {sentence}") from None
