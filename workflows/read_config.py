"""Config files as YAML in which no key is given twice: YAML would take the last one, silently."""

from pathlib import Path
from typing import Any

import yaml

from workflows.validate import ConfigError


class _Strict(yaml.SafeLoader):
    """A loader that refuses a key of a mapping that was there before."""


def _mapping(loader: _Strict, node: yaml.MappingNode) -> dict[Any, Any]:
    seen = set()
    for key, _ in node.value:
        if key.value in seen:
            raise ConfigError(f"line {key.start_mark.line + 1}: {key.value!r} is there twice")
        seen.add(key.value)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


_Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)


def read_config(path: Path) -> Any:
    """The content of a config file.

    Raises:
        ConfigError: it is not there, is no YAML, or has a key twice; one sentence.
    """
    try:
        return yaml.load(path.read_text(), _Strict)
    except ConfigError as error:
        raise ConfigError(f"{path}, {error}; remove one") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: no YAML, {' '.join(str(error).split())}") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}; name a config file") from None
