"""What the code itself may not do, beside the rules that ruff holds it to (pyproject.toml)."""

import ast
import re
import textwrap

import pytest
from suite import REPOSITORY

SOURCES = sorted(
    path.relative_to(REPOSITORY)
    for room in (REPOSITORY / "Snakefile").parent.glob("*/")
    for path in room.rglob("*.py")
    if not room.name.startswith(".") and room.name not in ("tests", "data", "results")
)
RULES = sorted((REPOSITORY / "workflows/rules").glob("*.smk"))
QUOTED_BY_THE_RULE = {"{params.archives}", "{params.source}"}


def loads(tree):
    """The calls of a module's `load`, by the module's name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            module, name = node.func.value, node.func.attr
            if name == "load" and isinstance(module, ast.Name):
                given = {one.arg: getattr(one.value, "value", None) for one in node.keywords}
                yield module.id, given


def what_could_run_code(source):
    for module, given in loads(ast.parse(source)):
        if module == "torch" and given.get("weights_only") is not True:
            yield "torch.load without weights_only=True"
        if module in ("np", "numpy") and given.get("allow_pickle"):
            yield "numpy.load with allow_pickle"


def test_files_that_are_loaded_run_no_code():
    assert len(SOURCES) > 100
    found = {path: list(what_could_run_code((REPOSITORY / path).read_text())) for path in SOURCES}
    assert {path: said for path, said in found.items() if said} == {}


def test_so_does_the_code_in_the_docs():
    for page in sorted((REPOSITORY / "docs").glob("*.md")):
        blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
        for block in (block for block in blocks if ".load(" in block):  # others may be fragments
            assert list(what_could_run_code(textwrap.dedent(block))) == [], page


@pytest.mark.parametrize("line", ["torch.load(f)", "torch.load(f, weights_only=False)"])
def test_such_a_line_would_be_found(line):
    assert list(what_could_run_code(line)) == ["torch.load without weights_only=True"]
    assert list(what_could_run_code("np.load(f, allow_pickle=True)"))


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.name)
def test_every_value_in_a_rules_command_is_quoted(path):
    text = path.read_text()
    for command in re.findall(r"\n    shell:\n((?: {8}.*\n)+)", text):
        bare = set(re.findall(r"\{[\w.]+\}", command))
        assert bare <= QUOTED_BY_THE_RULE
    for name in QUOTED_BY_THE_RULE:
        if name in text:
            assert re.search(rf"{name[8:-1]}=lambda wc: \(\n.*shlex\.quote", text)
