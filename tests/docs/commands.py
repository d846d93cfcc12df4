"""The commands of the pages, and the files that the pages tell their reader to write."""

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# In the order in which they are read, and run: later ones build on results of those before.
FIRST = ["docs/tutorial/first-run.md", "README.md", "CONTRIBUTING.md"]
FIRST += [f"docs/tutorial/{name}.md" for name in ("add-a-model", "add-a-system")]
FENCED = re.compile(r"^( *)```(bash|console|shell|sh)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"(?<!`)`((?:python -m|snakemake|make) [^`]+)`(?!`)")
OUTPUT = re.compile(
    r"^```console\n([^\n]+)\n```\n\n(?:[^`\n][^\n]*\n+)?```text\n(.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
FILE = re.compile(r"^`(\S+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"Its line in `SYSTEMS` of `\S+`:\n\n```python\n(.*?)^```$", re.M | re.S)


@dataclass(frozen=True)
class Command:
    """A command line, and the page that it stands on."""

    page: str
    text: str


def pages():
    """The paths of all pages, in the order of their commands."""
    docs = (path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").rglob("*.md")))
    return list(dict.fromkeys([*FIRST, *docs]))


def read(page):
    return (ROOT / page).read_text(encoding="utf-8")


def fenced():
    """Each command of a fenced block, once: its lines, or those with a prompt if any has one."""
    found = {}
    for page in pages():
        for _, _, block in FENCED.findall(read(page)):
            lines = [line.strip() for line in block.replace("\\\n", " ").splitlines()]
            prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
            for line in prompted or lines:
                if line and not line.startswith("#"):
                    found.setdefault(line, Command(page, line))
    return list(found.values())


def inline():
    """Each command within a sentence, once. Its words may be placeholders."""
    found = {}
    for page in pages():
        for text in INLINE.findall(re.sub(r"^```.*?^```$", "", read(page), flags=re.M | re.S)):
            found.setdefault(text, Command(page, " ".join(text.split())))
    return list(found.values())


def files():
    """The examples' text by the path that a page gives them."""
    return {name: text for page in pages() for name, text in FILE.findall(read(page))}


def outputs():
    """The lines of what commands print where a page shows them with … for what changes."""
    shown = [found for page in pages() for found in OUTPUT.findall(read(page))]
    return {command: text.splitlines() for command, text in shown if "…" in text}


def lines_of_systems():
    """The lines that pages add to the registry of systems."""
    return [line for page in pages() for line in LINE.findall(read(page))]
