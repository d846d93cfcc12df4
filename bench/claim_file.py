"""The file of claims: what is claimed, of which runs, against which others. docs/statistics.md."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from bench.metrics import RULES
from bench.summary import SPEC_COLUMNS, SUMMARY_COLUMNS

BEST = "best"
SETTINGS = [name for name in SPEC_COLUMNS if name != "repeat"]  # which is for the noise floor
NAMES = {"time_to_target": "median5_s", "epochs_to_target": "median5_epochs"}
TIMES = {*NAMES, *(f"{rule}_{unit}" for rule in RULES for unit in ("epochs", "s"))}
_NO_NUMBERS = {"run", *SPEC_COLUMNS, "status", "reason", "machine", "commit", "dirty"}
VALUES = sorted({*NAMES, *SUMMARY_COLUMNS} - _NO_NUMBERS)

_TEXT = {"type": "string", "minLength": 1}
_SELECTOR = {
    "type": "object",
    "properties": {BEST: {"const": True}, **{name: {} for name in SETTINGS}},
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
        ClaimsError: the file is not there, is no YAML, or has a claim that cannot be judged.
    """
    try:
        claims = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ClaimsError(f"{path}: there is no such file; name one that is there") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        sentence = " ".join(str(error).split())
        raise ClaimsError(f"{path}: not readable as YAML ({sentence}); mend it") from None
    wrong = jsonschema.exceptions.best_match(_CLAIMS.iter_errors(claims))
    if wrong is not None:
        key = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in wrong.absolute_path)
        raise ClaimsError(f"{path}: {key or 'the whole'}: {wrong.message}")
    ids = [claim["id"] for claim in claims]
    for place, claim in enumerate(claims):
        if claim["id"] in ids[:place]:
            raise ClaimsError(f"{path}: [{place}].id: {claim['id']!r} is there twice; rename one")
        _refuse_what_does_not_fit(claim, f"{path}: [{place}]")
    return claims


def _refuse_what_does_not_fit(claim: Mapping[str, Any], where: str) -> None:
    """A ratio is of two sides, a value of one; and who never reaches a target is not slow best."""
    if claim["value"] in TIMES and claim["direction"] == "higher":
        raise ClaimsError(
            f"{where}.direction: less time is better; write `lower`, and swap `of` and `against`"
        )
    if "against" in claim and "value" in claim["paper"]:
        raise ClaimsError(f"{where}.paper: with `against` give a `ratio` or `wins`, no `value`")
    if "against" not in claim and "value" not in claim["paper"]:
        raise ClaimsError(f"{where}.paper: without `against` give the paper's `value`")
