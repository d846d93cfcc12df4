"""A config file's content."""

from pathlib import Path
from typing import Any

from bench.plain_yaml import PlainYamlError, read_yaml
from workflows.validate import ConfigError


def read_config(path: Path) -> Any:
    """The content of a config file, as `bench.plain_yaml` reads it.

    Raises:
        ConfigError: it is not there, is empty, no YAML of plain values, has too many of them, or a
            key twice; one sentence.
    """
    try:
        content = read_yaml(path)
    except PlainYamlError as error:
        raise ConfigError(str(error)) from None
    if content is None:
        raise ConfigError(f"{path}: empty; copy one of workflows/config and change it")
    return content
