"""What a value of a config may be; what it may not be is said in the words of a config."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from bench import record

SCHEMA = record.read_json(Path(__file__).parent / "schemas" / "config.schema.json")
LARGEST = 3.4e38  # of single precision, in which systems compute
SHOWN = 100  # characters of a value that is refused
KINDS = {
    "integer": "a whole number",
    "number": "a number, such as 0.001 or 1.0e-3",
    "string": "text",
    "object": "a mapping of keys to values",
    "array": "a list",
    "boolean": "true or false",
}


class ConfigError(ValueError):
    """One sentence: the key, what is wrong with it and what to do."""


def validate(value: Any, schema: Mapping[str, Any], where: str) -> None:
    """Refuse what `schema` does not allow, by a ConfigError that begins with `where`."""
    validator = jsonschema.Draft202012Validator(schema)
    error = jsonschema.exceptions.best_match(validator.iter_errors(value))
    if error is None:
        return
    key = where + "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in error.absolute_path)
    raise ConfigError(f"{key.lstrip('.') or 'config'}: {_sentence(error)}")


def _sentence(error: jsonschema.ValidationError) -> str:
    """What is wrong with a value and what to do, in words of a config rather than of a schema."""
    rule, value, limit = error.validator, error.instance, error.validator_value
    if rule == "additionalProperties":
        properties = error.schema["properties"]
        unknown = ", ".join(repr(key) for key in value if key not in properties)
        return f"unknown key {unknown}; known keys are {', '.join(sorted(properties))}"
    if rule == "required":
        missing = ", ".join(repr(key) for key in limit if key not in value)
        return f"no value for {missing}; add it"
    if rule == "type":
        meaning = error.schema.get("description")
        shown = repr(value) if len(repr(value)) <= SHOWN else f"{repr(value)[:SHOWN]} ..."
        return f"{shown} is not {KINDS[limit]}; make it one" + (f": {meaning}" if meaning else "")
    if rule == "enum":
        return f"unknown value {value!r}; use one of {', '.join(limit)}"
    if rule == "const":
        return f"unknown value {value!r}; use {limit} or a number"
    if rule == "minItems":
        return "an empty list; give it at least one item"
    bounds = {
        "minimum": "at least",
        "exclusiveMinimum": "more than",
        "maximum": "at most",
        "exclusiveMaximum": "less than",
    }
    if rule in bounds:
        return f"{value} is out of range; use {bounds[rule]} {limit}"
    if rule == "pattern":
        return f"{value!r} does not do; use {error.schema['description']}"
    if rule == "minLength":
        return "empty text; give it a value or remove the key"
    return str(error.message)


def refuse_endless(value: Any, where: str) -> None:
    """Refuse a number in `value`, at any depth, that is none or beyond single precision."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            refuse_endless(key, where)
            refuse_endless(inner, f"{where}.{key}")
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            refuse_endless(inner, f"{where}[{index}]")
    elif isinstance(value, int | float) and not _finite(value):
        said = value if isinstance(value, float) else "a whole number of more than 38 digits"
        key = where.lstrip(".") or "config"
        raise ConfigError(f"{key}: {said} is not finite in single precision; give a number that is")


def _finite(number: float) -> bool:
    try:
        return abs(float(number)) <= LARGEST
    except OverflowError:  # a whole number has no limit of its own
        return False


def spelled_alike(cell: Mapping[str, Any]) -> dict[str, Any]:
    """The cell with one spelling of each number, so that 1 and 1.0 name the same run."""
    properties, alike = SCHEMA["$defs"]["cell"]["properties"], dict(cell)
    for key, value in cell.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            kind = properties[key].get("type") or properties[key]["else"]["type"]
            alike[key] = int(value) if kind == "integer" else float(value)
    return alike


def one_of(key: str, name: str, known: list[str], kind: str) -> None:
    """Refuse a name that is not known."""
    if name not in known:
        raise ConfigError(f"{key}: unknown {kind} {name!r}; use one of {', '.join(known)}")
