"""The file of claims: what is claimed, of which runs, against which others. docs/statistics.md."""

import importlib
import math
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema

from bench.metrics import RULES
from bench.plain_yaml import PlainYamlError, read_yaml
from bench.spec import VARIANTS, RunSpec
from bench.summary_columns import SPEC_COLUMNS
from bench.summary_file import RESULTS
from bench.systems import SYSTEMS

BEST, AT_LEAST = "best", "at_least"
SETTINGS = [name for name in SPEC_COLUMNS if name != "repeat"]  # which is for the noise floor
NAMES = {"time_to_target": "median5_s", "epochs_to_target": "median5_epochs"}
TIMES = {*NAMES, *(f"{rule}_{unit}" for rule in RULES for unit in ("epochs", "s"))}
VALUES = sorted({*NAMES, *RESULTS})

_TYPES = {int: "integer", float: "number", bool: "boolean", type(None): "null"}
_TEXT = {"type": "string", "minLength": 1}
# Settings whose values a RunSpec's types do not tell, or that a summary has in other words.
_SETTINGS: dict[str, dict[str, Any]] = {
    "system": {"enum": list(SYSTEMS)},
    "variant": {"enum": [*VARIANTS, None]},
    "alpha": {"anyOf": [{"type": "number"}, {"const": "1/k"}]},
    "schedule": _TEXT,
    "method": _TEXT,
}


def _of_type(hint: Any) -> dict[str, Any]:
    """The JSON schema of a setting of this type."""
    values = list(typing.get_args(hint))
    if typing.get_origin(hint) is typing.Literal:
        return {"enum": values}
    return (
        {"anyOf": list(map(_of_type, values))} if values else {"type": _TYPES.get(hint, "string")}
    )


def _one_or_more(one: Mapping[str, Any]) -> dict[str, Any]:
    return {"if": {"type": "array"}, "then": {"items": one, "minItems": 1}, "else": one}


_HINTS = typing.get_type_hints(RunSpec)
_SELECTOR = {
    "type": "object",
    "properties": {
        BEST: {"const": True},
        AT_LEAST: {
            "type": "object",
            "properties": {name: {"type": "integer", "minimum": 2} for name in SETTINGS},
            "additionalProperties": False,
            "minProperties": 1,
        },
        **{n: _one_or_more(_SETTINGS.get(n) or _of_type(_HINTS[n])) for n in SETTINGS},
    },
    "additionalProperties": False,
}
_NUMBER = {"type": "number", "exclusiveMinimum": 0}
_RANGE = {"type": "array", "items": _NUMBER, "minItems": 2, "maxItems": 2}
_ONE_OR_RANGE = {"if": {"type": "array"}, "then": _RANGE, "else": _NUMBER}
_CLAIM = {
    "type": "object",
    "properties": {
        **dict.fromkeys(("id", "text", "source"), _TEXT),
        "value": {"enum": VALUES},
        "of": _SELECTOR,
        "against": _SELECTOR,
        "direction": {"enum": ["lower", "higher"]},
        "paper": {
            "type": "object",
            "properties": {
                "ratio": _ONE_OR_RANGE,
                "value": _ONE_OR_RANGE,
                "wins": {"const": True},
            },
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        },
    },
    "required": ["id", "text", "source", "value", "of", "direction", "paper"],
    "additionalProperties": False,
}
_CLAIMS = jsonschema.Draft202012Validator({"type": "array", "items": _CLAIM, "minItems": 1})


class ClaimsError(ValueError):
    """One sentence: the file, the key, and what is wrong with it."""


def read_claims(path: Path) -> list[dict[str, Any]]:
    """The claims of a YAML file, in its order.

    Raises:
        ClaimsError: the file cannot be read, is no YAML, or has a claim that cannot be judged.
    """
    try:
        claims = read_yaml(path)
    except PlainYamlError as error:
        raise ClaimsError(str(error)) from None
    if claims is None:
        raise ClaimsError(f"{path}: is empty; docs/statistics.md has a claim's keys")
    wrong = jsonschema.exceptions.best_match(_CLAIMS.iter_errors(claims))
    if wrong is not None:
        key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in wrong.absolute_path)
        say = f"{path}: {key or 'the whole'}: {wrong.message}"
        raise ClaimsError(f"{say}; docs/statistics.md has the keys and what they may be")
    ids = [claim["id"] for claim in claims]
    for place, claim in enumerate(claims):
        if claim["id"] in ids[:place]:
            raise ClaimsError(f"{path}: [{place}].id: {claim['id']!r} is there twice; rename one")
        _refuse_what_does_not_fit(claim, f"{path}: [{place}]")
    return claims


def _refuse_what_does_not_fit(claim: Mapping[str, Any], where: str) -> None:
    """What the schema cannot say of one claim.

    A ratio is of two sides, a value of one; and who never reaches a target is not slow best.
    """
    if claim["value"] in TIMES and claim["direction"] == "higher":
        raise ClaimsError(
            f"{where}.direction: less time is better; write `lower`, and swap `of` and `against`"
        )
    if "against" in claim and "value" in claim["paper"]:
        raise ClaimsError(f"{where}.paper: with `against` give a `ratio` or `wins`, no `value`")
    if "against" not in claim and "value" not in claim["paper"]:
        raise ClaimsError(f"{where}.paper: without `against` give the paper's `value`")
    for given in claim["paper"].values():
        if not all(map(math.isfinite, given if isinstance(given, list) else [given])):
            raise ClaimsError(f"{where}.paper: {given} is no number; write the paper's")
        if isinstance(given, list) and given[0] > given[1]:
            raise ClaimsError(f"{where}.paper: {given} is no range; write its lower end first")
    # By name, for a model's frameworks are nothing that judging a claim depends on.
    known = importlib.import_module("models").known()
    for side in ("of", "against"):
        named = claim.get(side, {}).get("model", [])
        unknown = {named} if isinstance(named, str) else set(named)
        unknown -= set(known)
        if unknown and "model_source" not in claim[side]:
            raise ClaimsError(
                f"{where}.{side}.model: there is no {min(unknown)!r}; known are"
                f" {', '.join(known)}; of a model of your own name its `model_source` too"
            )
