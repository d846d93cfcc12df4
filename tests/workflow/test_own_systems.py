"""Systems of the user's own: what is wrong with their files is told before anything runs."""

import pytest
from suite import CELL

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
