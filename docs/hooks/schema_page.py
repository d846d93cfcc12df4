"""mkdocs hook: the page of the config's schema, made of the schema itself."""

import json
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "workflows/schemas/config.schema.json"
BEGINNING = """\
# Configuration schema

What `workflows/schemas/config.schema.json` takes. An experiment is checked by it before anything
runs, and an unknown key is an error; [configuration](../config.md) says what each means, and has
the defaults. In `defaults` and in a group of `matrix` a list may stand in place of any value: one
run for each.
"""
LIMITS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
    "minItems": "{} item or more",
    "minLength": "not empty",
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds reference/schema.md."""
    files.append(File.generated(config, "reference/schema.md", content=page()))
    return files


def page() -> str:
    """The page, in Markdown."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    schedule = schema["$defs"]["schedule"]
    step, smooth = ({"required": [], **schedule[branch]} for branch in ("then", "else"))
    others = [kind for kind in schedule["properties"]["kind"]["enum"] if kind != "step"]
    parts = [
        BEGINNING,
        _section("An experiment", schema),
        _section("A run", schema["$defs"]["cell"]),
        _section("A schedule", schedule),
        _section("A schedule of kind `step`", step),
        _section(f"A schedule of kind {', '.join(f'`{kind}`' for kind in others)}", smooth),
    ]
    return "\n".join(parts)


def _section(title: str, schema: dict[str, Any]) -> str:
    lines = [f"## {title}", "", "| Key | Type | | |", "|---|---|---|---|"]
    for key, rule in schema["properties"].items():
        if rule is not True:  # described with all kinds
            need = "required" if key in schema["required"] else ""
            cells = (f"`{key}`", _type(rule), need, rule.get("description", ""))
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, ""])


def _type(rule: dict[str, Any]) -> str:
    """The values that a rule takes, in words."""
    if "enum" in rule:
        return ", ".join(f"`{value}`" for value in rule["enum"])
    if "$ref" in rule:
        return "[schedule](#a-schedule)"
    if "else" in rule:
        return f"`{rule['then']['const']}`, or {_type(rule['else'])}"
    limits = [words.format(rule[key]) for key, words in LIMITS.items() if key in rule]
    items = rule.get("items", rule.get("additionalProperties"))
    kind = f"{rule['type']} of {_type(items)}" if items else rule["type"]
    return ", ".join([kind, *limits])
