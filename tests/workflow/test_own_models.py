"""Models of the user's own, in files outside the repository."""

import pytest
from suite import CELL, Suite, rows

from workflows.plan import plan
from workflows.validate import ConfigError

TORCH_ONLY = """
from torch import nn


def perceptron(shape, classes):
    height, width, channels = shape
    return nn.Sequential(nn.Flatten(), nn.Linear(height * width * channels, classes))
"""
BOTH = (
    TORCH_ONLY.replace("perceptron", "torch_model")
    + """

def keras_model(shape, classes):
    from keras import Sequential, layers

    flatten = [layers.Input(shape), layers.Permute((3, 1, 2)), layers.Flatten()]
    return Sequential([*flatten, layers.Dense(classes)])
"""
)
GROUP = {"system": ["crossbow", "pytorch", "tensorflow"], "model": "mine", "epochs": 1}


def config(source, **group):
    return {
        "name": "own",
        "models": {"mine": str(source)},
        "defaults": CELL,
        "matrix": [GROUP | group],
    }


@pytest.fixture
def model(tmp_path):
    """A function that writes a model file."""

    def write(content, name="own_model.py"):
        (tmp_path / name).write_text(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize("content", [BOTH, TORCH_ONLY])
def test_a_system_without_the_definition_is_not_available(content, model):
    source = str(model(content)) + (":perceptron" if content == TORCH_ONLY else "")
    planned = plan(config(source))
    missing = [] if content == BOTH else ["tensorflow"]
    assert [cell["spec"]["system"] for cell in planned.not_available] == missing
    assert {spec.model_source for spec in planned.runs.values()} == {source}
    assert len(planned.runs) + len(missing) == 3


@pytest.mark.parametrize(
    ("content", "suffix", "expected"),
    [
        (None, "", "no such file"),
        (TORCH_ONLY, "", "'torch_model'"),
        (TORCH_ONLY, ":preceptron", "'preceptron'"),
        ("import nothing_like_it", "", "ModuleNotFoundError"),
        ("1 +", "", "SyntaxError"),
    ],
)
def test_a_source_that_does_not_do_is_refused(content, suffix, expected, model, tmp_path):
    source = model(content) if content else tmp_path / "absent.py"
    with pytest.raises(ConfigError, match=r"models\.mine: ") as refusal:
        plan(config(f"{source}{suffix}"))
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


def test_a_name_that_is_taken_is_refused(model):
    with pytest.raises(ConfigError, match=r"models\.lenet: the suite has a model of this name"):
        plan(config("x.py") | {"models": {"lenet": str(model(BOTH))}})


def test_runs_and_rows_of_a_model_from_outside(tmp_path, model):
    suite = Suite.create(tmp_path / "suite")
    source = model(TORCH_ONLY)
    own = suite.config("own", GROUP, models={"mine": f"{source}:perceptron"})
    done = suite.snakemake("--configfile", own)
    assert done.returncode == 0, done.stdout
    summary = rows(suite.folder / "results/own/summary.csv")
    statuses = {row["system"]: row["status"] for row in summary}
    assert statuses == {
        "crossbow": "finished",
        "pytorch": "finished",
        "tensorflow": "not_available",
    }
    assert "mine has no keras_model" in {row["reason"] for row in summary}
    source.write_text(TORCH_ONLY + "\n# changed\n")
    assert {*suite.runs(own), "weights"} <= set(suite.planned("--configfile", own))
