"""Systems of the user's own: what is wrong with their files is told, and where."""

import re

import pytest
from suite import CELL, REPOSITORY, Suite, rows

from bench.systems import SYSTEMS
from workflows.plan import plan
from workflows.validate import ConfigError


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A function that adds a system by the name of its file in a repository of it alone."""
    (tmp_path / "baselines").mkdir()
    monkeypatch.setattr("bench.sources.ROOT", tmp_path)

    def add(name, content=None):
        if content is not None:
            (tmp_path / f"baselines/{name}.py").write_text(content)
        monkeypatch.setitem(SYSTEMS, "mine", f"baselines.{name}")
        return {"name": "own", "defaults": CELL, "matrix": [{"system": "mine"}]}

    return add


def test_a_whole_one_is_planned(system):
    assert len(plan(system("whole", "import nothing_like_it\n")).runs) == 1


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        (
            "unclosed",
            "x = 1\ny = (\n",
            "baselines/unclosed.py: can't be imported, SyntaxError: '(' was never closed "
            "(unclosed.py, line 2); mend it",
        ),
        (
            "beside",
            "from baselines import unclosed_too",
            "baselines/unclosed_too.py: can't be imported, SyntaxError: '(' was never closed ",
        ),
        (
            "absent",
            None,
            "baselines.absent is not a module of this repository; add its file or mend its name in "
            "bench/systems.py",
        ),
    ],
)
def test_one_that_is_not_is_refused_by_its_file(name, content, expected, system, tmp_path):
    (tmp_path / "baselines/unclosed_too.py").write_text("(")
    with pytest.raises(ConfigError) as refusal:
        plan(system(name, content))
    said = str(refusal.value)
    assert said.startswith(f"matrix[0].system: {expected}") and "\n" not in said


# What is done to the page's example, and the beginning of the reason; {} is the line of a text.
PAGE = (REPOSITORY / "docs/adding.md").read_text()
BROKEN = {
    "no_drain": (
        "def drain(",
        "def dry(",
        "TypeError: FILE, line {class Adam}: Adam lacks drain();",
    ),
    "no_context": (
        "def __init__(self, context: Context)",
        "def make(self, context: Context)",
        "TypeError: FILE, line {class Adam}: Adam takes no context alone; write def __init__",
    ),
    "no_result": (
        "return EpochResult",
        "EpochResult",
        "ValueError: FILE, line {def train_epoch}: train_epoch returned NoneType; return an Epoch",
    ),
    "tenfold": (
        "images=images_seen",
        "images=images_seen * 10",
        "ValueError: FILE, line {def train_epoch}: train_epoch returned images=14080, of an epoch "
        "that has 1437; count each image",
    ),
    "no_call": (
        "runner.main(Adam, spread)",
        "pass",
        "FILE ended and left no result; have it call bench.runner.main in its last lines",
    ),
    "raises": (
        "loss.backward()",
        "raise RuntimeError('own words')",
        "RuntimeError: own words; see FILE, line {own words}",
    ),
}


def test_one_that_breaks_the_contract_fails_and_is_told_what_to_mend(tmp_path):
    example = re.search(r"`baselines/pytorch_adam.py`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)[1]
    suite, expected = Suite.create(tmp_path / "copy"), {}
    for name, (old, new, said) in BROKEN.items():
        assert old in example
        lines, file = example.replace(old, new).splitlines(), f"baselines/{name}.py"
        (suite.folder / file).write_text("\n".join(lines))
        suite.edit("bench/systems.py", "SYSTEMS = {", f'SYSTEMS = {{"{name}": "baselines.{name}",')
        expected[name] = placed(said, file, lines)
    config = suite.config("broken", {"system": list(BROKEN), "model": "logistic", "epochs": 1})
    done = suite.snakemake("collect", "--configfile", config)
    assert done.returncode == 0, done.stdout
    summary = rows(suite.results(config) / "summary.csv")
    reasons = {row["system"]: row["reason"] for row in summary}
    assert {row["status"] for row in summary} == {"failed"}
    for name, said in expected.items():
        assert reasons[name].startswith(said), reasons[name]


def placed(said, file, lines):
    """What is said of a file, with its name and the numbers of lines, counted from 1."""

    def number(text):
        return str(next(i for i, line in enumerate(lines, 1) if text[1] in line))

    return re.sub(r"\{(.*?)\}", number, said.replace("FILE", file))
