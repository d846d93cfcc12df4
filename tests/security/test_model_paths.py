"""A config of someone else's names no code but that of a model."""

import json

import pytest
from suite import CELL

from models import _foreign, load
from workflows.plan import plan
from workflows.validate import ConfigError


def config(model="mine", **models):
    group = {"system": "pytorch", "model": model}
    return {"name": "other", "models": models, "defaults": CELL, "matrix": [group]}


@pytest.mark.parametrize(
    "name", ["os.system", "os:system", "../../x", "/tmp/x.py", "shutil:rmtree"]
)
def test_a_model_is_one_of_those_known_and_no_path(name):
    with pytest.raises(ConfigError, match=r"matrix\[0\]\.model: unknown model .*; use one of"):
        plan(config(name))


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("os:system", "os: a module of Python itself is no model"),
        ("os.path:join", "a module of Python itself"),
        ("subprocess:call", "a module of Python itself"),
        ("builtins:eval", "a module of Python itself"),
        ("shutil:rmtree", "a module of Python itself"),
        ("../../x", "no module that can be had by its file"),
        ("../../x.py", "it leaves the working folder; name the file by its full path"),
        ("models/../../x.py:make", "it leaves the working folder"),
        ("yaml:unsafe_load", r"yaml: unsafe_load takes \(stream\) where a model's function takes"),
        ("numpy:load", r"numpy: load takes \(file\) where"),
        ("numpy:add", r"takes \(x1, x2\) where"),
        ("workflows.pipeline:hold_results", r"takes \(results, runs\) where"),
    ],
)
def test_a_source_that_may_not_be_a_model_is_refused_and_not_called(source, why):
    with pytest.raises(ConfigError, match=rf"models\.mine: .*{why}") as refusal:
        plan(config(mine=source))
    assert "\n" not in str(refusal.value)


def test_python_itself_is_refused_before_it_is_imported(monkeypatch):
    imported = []
    monkeypatch.setattr(_foreign.importlib, "import_module", imported.append)
    with pytest.raises(ValueError, match="a module of Python itself"):
        load("mine", "antigravity:fly")
    assert imported == []


def test_a_name_in_a_spec_is_no_path(spec):
    made = spec().to_dict()
    for field in ("system", "model", "dataset", "device_type", "learners"):
        for name in ("../../x", "/etc", "..", "a/b", "a b", "a\nb", ""):
            with pytest.raises(
                ValueError, match=rf"{field}: .* no part of a run's id; use letters"
            ):
                type(spec()).from_dict(json.loads(json.dumps(made | {field: name})))
