"""YAML files of plain values, in which no key is given twice.

YAML would take the last one, silently. Tags, by which a file can ask for objects and so run code,
are refused, and so are aliases of aliases, by which a few lines can stand for billions of values.
"""

from itertools import chain
from pathlib import Path
from typing import Any

import yaml

MOST_VALUES = 100_000


class PlainYamlError(ValueError):
    """One sentence: the file, the line where it is known, and what is wrong."""


class _Strict(yaml.SafeLoader):
    """A loader that refuses a key of a mapping that was there before."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """A date that is none, or a number of thousands of digits, is an error of Python's."""
        try:
            return super().construct_object(node, deep)
        except PlainYamlError:
            raise
        except ValueError:
            raise PlainYamlError(
                f"line {node.start_mark.line + 1}: {node.value[:20]} ... is no number or date that "
                "can be read; write another, or text in quotes"
            ) from None


def _mapping(loader: _Strict, node: yaml.MappingNode) -> dict[Any, Any]:
    seen = set()
    for key, _ in node.value:
        if key.value in seen:
            raise PlainYamlError(
                f"line {key.start_mark.line + 1}: {key.value!r} is there twice; remove one"
            )
        seen.add(key.value)
    return yaml.SafeLoader.construct_mapping(loader, node, deep=True)


def _tag(loader: _Strict, node: yaml.Node) -> None:
    line = node.start_mark.line + 1
    raise PlainYamlError(f"line {line}: the tag {node.tag!r} asks for more than values; remove it")


_Strict.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
_Strict.add_constructor(None, _tag)  # of every tag that YAML itself does not have


def read_yaml(path: Path) -> Any:
    """The content of a file; None of an empty one.

    Raises:
        PlainYamlError: it is not there, is no YAML of plain values, has too many of them, or a key
            twice; one sentence.
    """
    try:
        loader = _Strict(path.read_text(encoding="utf-8"))
        root = loader.get_single_node()
        if root is not None and _values(root, {}) > MOST_VALUES:
            raise PlainYamlError("more than 100,000 values, aliases written out; ask for fewer")
        return loader.construct_document(root) if root is not None else None
    except PlainYamlError as error:
        raise PlainYamlError(f"{path}, {error}") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as error:
        raise PlainYamlError(f"{path}: no YAML, {' '.join(str(error).split())}") from None
    except OSError as error:
        raise PlainYamlError(f"{path}: {error.strerror}; name a file that is there") from None


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """How many values a node stands for, each alias written out; one in itself has no end."""
    if id(node) not in known:
        known[id(node)] = MOST_VALUES + 1
        inner = [] if isinstance(node, yaml.ScalarNode) else node.value
        nodes = chain(*inner) if isinstance(node, yaml.MappingNode) else inner
        known[id(node)] = 1 + sum(_values(one, known) for one in nodes)
    return known[id(node)]
