"""Models of the user's own, in files outside the repository or in `models/`."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from suite import CELL, DATA, REPOSITORY, Suite, rows

import models
from models.weights import read
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


@pytest.fixture
def added(tmp_path, monkeypatch):
    """A function that writes a file into a folder that stands in for `models/`."""
    folder = tmp_path / "models"
    folder.mkdir()
    shutil.copy(models.FOLDER / "logistic.py", folder)
    monkeypatch.setattr(models, "FOLDER", folder)
    monkeypatch.setattr(models, "__path__", [*models.__path__, str(folder)])
    monkeypatch.setattr(models, "_found", models._found.__wrapped__)
    names = []

    def write(content, name="mine"):
        (folder / f"{name}.py").write_text(content)
        names.append(name)

    yield write
    for name in names:
        sys.modules.pop(f"models.{name}", None)
        vars(models).pop(name, None)


def plan_added(**group):
    """A plan of what only files in `models/` define."""
    return plan({"name": "added", "defaults": CELL, "matrix": [GROUP | group]})


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
        (None, "", "absent.py: no such file"),
        (TORCH_ONLY, ":preceptron", "own_model.py has no function 'preceptron'"),
    ],
)
def test_a_source_that_does_not_do_is_refused(content, suffix, expected, model, tmp_path):
    source = model(content) if content else tmp_path / "absent.py"
    with pytest.raises(ConfigError, match=r"models\.mine: ") as refusal:
        plan(config(f"{source}{suffix}"))
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


BROKEN = [
    (
        "\nimport nothing_like_it",
        "ModuleNotFoundError: No module named 'nothing_like_it'; mend line 2",
    ),
    ("\n1 +", "SyntaxError: invalid syntax ({}, line 2); mend it"),
    ("raise SystemExit(0)", "SystemExit: 0; mend line 1"),
    ("\n\nraise ValueError('no\\nluck')", "ValueError: no luck; mend line 3"),
]
NO_MODEL = [
    (TORCH_ONLY, " has no function 'torch_model'(shape, classes); add it"),
    ("def torch_model(shape): ...", ": torch_model takes (shape) where"),
    (f"{BOTH}\n\ndef keras_model(classes): ...", ": keras_model takes (classes) where"),
]
UNUSABLE = [(content, f": can't be imported, {said}") for content, said in BROKEN] + NO_MODEL


@pytest.mark.parametrize("name", ["own_model.py", "_own.py", "flaws.py"])
@pytest.mark.parametrize(("content", "expected"), UNUSABLE)
def test_a_file_that_is_no_model_is_refused(content, expected, name, model):
    source = model(content, name)
    with pytest.raises(ConfigError) as refusal:
        plan(config(source))
    said = f"models.mine: {source}{expected.format(source.name)}"
    assert str(refusal.value).startswith(said) and "\n" not in str(refusal.value)


@pytest.mark.parametrize(("content", "expected"), UNUSABLE)
def test_of_models_it_is_refused_alike_and_no_obstacle_to_others(content, expected, added):
    added(content)
    assert len(plan_added(model="logistic").runs) == 3
    with pytest.raises(ConfigError) as refusal:
        plan_added()
    said = f"matrix[0].model: models/mine.py{expected.format('mine.py')}"
    assert str(refusal.value).startswith(said) and "\n" not in str(refusal.value)


def test_a_name_that_is_nowhere_may_be_in_a_file_that_cannot_be_imported(added):
    added("NETWORKS = 1")
    expected = (
        r"unknown model 'small'; use one of logistic, or name a file of yours in models; or the "
        r"file that defines it can't be used: models/mine\.py: can't be imported, TypeError: "
    )
    with pytest.raises(ConfigError, match=expected):
        plan_added(model="small")


def test_a_name_that_two_files_define_is_refused_where_it_is_used(added):
    added((models.FOLDER / "logistic.py").read_text())
    added(BOTH, "other")
    assert plan_added(model="other").runs
    with pytest.raises(
        ConfigError, match=r"logistic\.py and models/mine\.py both define logistic; r"
    ):
        plan_added(model="logistic")


LINEAR = "from torch import nn\n\ndef torch_model(shape, classes):\n    "
PARTLY = """
from torch import nn

class torch_model(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.old, self.head = nn.Linear(64, 10), nn.Linear(64, classes)

    {}
"""


NO_SUCH_MODEL = pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("def torch_model(shape, classes): ...", "is of type NoneType; return a torch.nn.Module"),
        (f"{LINEAR}raise RuntimeError('no\\nluck')", "fails, RuntimeError: no luck; mend line 4"),
        (f"{LINEAR}return nn.Linear(3, classes)", "fails, RuntimeError: mat1 and mat2"),
        (
            f"{LINEAR}return nn.Sequential(nn.Flatten(), nn.Linear(64, classes + 1))",
            "makes [2, 11] of 2 images; make [2, 10]",
        ),
        (f"{LINEAR}return nn.Sequential(nn.Flatten(), nn.LSTM(64, classes))", "makes tuple of"),
        (
            # As of a backbone whose head is replaced by one beside it.
            PARTLY.format("def forward(self, images): return self.head(images.flatten(1))"),
            "gives no gradient to old.weight, old.bias, though required; use it in forward, "
            "freeze it by requires_grad_(False), or remove it",
        ),
        (
            PARTLY.format(
                "def forward(self, images): return self.head(images.flatten(1)).detach()"
            ),
            "gives no gradient to old.weight, old.bias, head.weight and 1 more",
        ),
        (
            f"{LINEAR}return nn.Sequential(nn.Flatten(), nn.Linear(64, classes))"
            ".requires_grad_(False)",
            "has no parameter that requires a gradient",
        ),
        (
            PARTLY.format(
                "def forward(self, images):\n"
                "        logits = self.head(images.flatten(1)) + self.old(images.flatten(1))\n"
                "        return (logits, logits) if self.training else logits"
            ),
            "in training mode makes tuple of",
        ),
        (
            f"{LINEAR}return nn.Sequential(nn.Flatten(), nn.LazyLinear(classes))",
            "has lazy layers; give them their sizes",
        ),
        (
            # As of pixels that are divided by what may be 0.
            PARTLY.format(
                "def forward(self, images):\n"
                "        pixels = images.flatten(1)\n"
                "        return self.head(pixels / 0) + self.old(pixels)"
            ),
            "makes logits of nan or inf of two random images at its initial weights; draw",
        ),
    ],
)


@NO_SUCH_MODEL
def test_a_definition_that_makes_no_such_model_is_refused_when_planned(content, expected, model):
    source = model(content)
    with pytest.raises(ConfigError, match=r"models\.mine: on digits, .*own_model\.py") as refusal:
        plan(config(source))
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


@NO_SUCH_MODEL
def test_in_models_it_is_refused_alike(content, expected, added):
    added(content)
    with pytest.raises(ConfigError, match=r"^model: on digits, models/mine\.py: ") as refusal:
        plan_added()
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


DESCRIBED = """
from models._layers import Concat, Conv, Dense, Flatten, MaxPool, Residual
from models._network import Network


def layers(shape, classes):
    return [{}]


NETWORKS = [Network("mine", layers)]
"""


@pytest.mark.parametrize(
    ("layers", "expected"),
    [
        (
            "Dense(classes)",
            "fails, ValueError: layer 1, Dense: it is for features, not images; put",
        ),
        (
            "Flatten(), Conv(4, 3)",
            "layer 2, Conv: a window is for images, not features; put Flatten",
        ),
        ("MaxPool(9, 9)", "layer 1, MaxPool: images of 8x8 have no window of 9; use a smaller w"),
        (
            "Residual((Conv(4, 3),)), Flatten()",
            "layer 1, Residual: its paths make [4, 6, 6] and [1, 8, 8]",
        ),
        ("Concat(((), (Conv(4, 3),)))", "Concat: its paths make [8, 8] and [6, 6]; make them"),
        ("Flatten(), Dense(classes + 1)", "the torch model makes [11] of an image; make [10], the"),
        ("Flatten(), Dense(clases)", "NameError: name 'clases' is not defined; mend line 7"),
    ],
)
def test_a_described_network_that_does_not_fit_is_refused_when_planned(layers, expected, added):
    added(DESCRIBED.format(layers))
    for group in ({}, {"system": "powersgd", "devices": 2}):
        with pytest.raises(ConfigError, match=r"^model: on digits, models/mine\.py: ") as refusal:
            plan_added(**group)
        assert expected in str(refusal.value)


def test_a_check_of_shapes_that_fails_is_told_with_its_line(model):
    source = model(f"{BOTH}\n\ndef check_shape(shape):\n    shap\n")
    expected = r"own_model\.py: check_shape fails, NameError: name 'shap' is not defined; mend line"
    with pytest.raises(ConfigError, match=expected):
        plan(config(source))


def test_what_is_frozen_need_not_be_used(model):
    forward = "self.old.requires_grad_(False)\n\n    def forward(self, images): "
    source = model(PARTLY.format(f"    {forward}return self.head(images.flatten(1))"))
    assert len(plan(config(source, system="pytorch")).runs) == 1


def test_layers_may_be_left_out_by_chance_on_one_device_alone(model):
    source = model(
        PARTLY.format(
            "def forward(self, images):\n"
            "        pixels = images.flatten(1)\n"
            "        skipped = self.training and torch.rand(()) < 0.3\n"
            "        return self.head(pixels) + (0 if skipped else self.old(pixels))"
        ).replace("from torch", "import torch\nfrom torch", 1)
    )
    assert len(plan(config(source, system="pytorch")).runs) == 1
    with pytest.raises(ConfigError, match=r"leaves out old\.weight, old\.bias by chance"):
        plan(config(source, system="pytorch", devices=[1, 2]))


SCALED = """
import torch
from torch import nn

class torch_model(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.head = nn.Linear(64, classes)
        self.scale = nn.Parameter(torch.tensor(1.0), {})

    def forward(self, images):
        print("training" if self.training else "evaluation")
        return self.scale * self.head(images.flatten(1))
"""


@pytest.mark.parametrize(
    ("system", "trained", "refused"),
    [
        ("fsdp", True, True),
        ("fsdp", False, True),
        ("powersgd", True, True),
        ("powersgd", False, False),  # which sends nothing of it
        ("pytorch", True, False),
    ],
)
def test_a_parameter_without_dimensions_is_not_for_every_system(system, trained, refused, model):
    source = model(SCALED.format(trained))
    assert plan(config(source, system=system)).runs
    if not refused:
        assert plan(config(source, system=system, devices=2)).runs
        return
    expected = rf"without dimensions, scale, which {system} can't take .* make its shape \[1\]"
    with pytest.raises(ConfigError, match=expected):
        plan(config(source, system=["pytorch", system], devices=2))


def test_a_network_that_draws_nothing_is_tried_once_in_each_mode(model, capsys):
    assert plan(config(model(SCALED.format(True)), system="pytorch")).runs
    assert capsys.readouterr().out.split() == ["training", "evaluation"]


def test_what_a_plan_says_of_a_model_depends_on_no_earlier_draws(model):
    unsure = (
        "    module[1].bias.data += torch.inf if torch.rand(()) < 0.5 else 0\n    return module\n"
    )
    linear = TORCH_ONLY.replace("return", "module =").replace(
        "from torch", "import torch\nfrom torch"
    )
    source = f"{model(linear + unsure)}:perceptron"
    refused = 0
    for seed in range(8):
        torch.manual_seed(seed)
        try:
            plan(config(source, system="pytorch"))
        except ConfigError:
            refused += 1
    assert refused in (0, 8)


def test_a_model_that_changes_its_input_in_place_is_tried_with_the_images_each_time(model):
    asserting = "assert images.std() > 0.5\n        images.zero_()"
    content = SCALED.format(True).replace("print(", f"{asserting}\n        print(")
    assert plan(config(model(content), system="pytorch")).runs


def test_weights_of_such_a_definition_say_what_its_runs_fail_of(matrix, model, tmp_path):
    source, out = model("def torch_model(shape, classes): ..."), tmp_path / "out.npz"
    command = [sys.executable, "-m", "models", "mine", "--source", source, "--seed", "1"]
    for records, code, expected in (
        (matrix.suite.folder / DATA / "digits", 0, "is of type NoneType; return a torch.nn.Module"),
        (tmp_path / "nowhere", 1, "`python -m data_prep DATASET"),
    ):
        done = subprocess.run(
            [*map(str, command), "--records", str(records), str(out)],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
        )
        assert done.returncode == code
        said = done.stderr + done.stdout
        assert expected in said and said.count("\n") == 1
    with pytest.raises(
        ValueError, match=rf"is of type NoneType; return .*, or remove {out}, and it is dr"
    ):
        read(out)


def test_a_model_file_imports_what_lies_beside_it(model):
    model("SIZE = 64", "its_size.py")
    source = model(f"from its_size import SIZE\n{LINEAR}return nn.Sequential(nn.Flatten(), "
                   "nn.Linear(SIZE, classes))")  # fmt: skip
    assert plan(config(source)).runs


def test_what_is_wrong_in_a_file_beside_it_is_told_of_that(model):
    model("\nraise ValueError", "its_flaw.py")
    with pytest.raises(ConfigError, match=r"own_model\.py: can't .*; mend line 2 of its_flaw\.py$"):
        plan(config(model("import its_flaw")))


def test_a_file_that_is_not_there_is_named_in_full():
    with pytest.raises(ConfigError, match=f"{Path('absent.py').resolve()}: no such file"):
        plan(config("absent.py"))


def test_a_module_without_a_file_is_refused():
    with pytest.raises(ConfigError, match=r"models\.mine: no\.such: no module .* by its file"):
        plan(config("no.such:model"))


def test_a_name_that_is_taken_is_refused(model):
    with pytest.raises(ConfigError, match=r"models\.lenet: the suite has a model of this name"):
        plan(config("x.py") | {"models": {"lenet": str(model(BOTH))}})


UNLUCKY = """
import torch


def unlucky(shape, classes):
    assert torch.initial_seed() != 2, "bad luck"
    return perceptron(shape, classes)
"""


def test_runs_and_rows_of_a_model_from_outside(tmp_path, model):
    suite = Suite.create(tmp_path / "suite")
    source = model(TORCH_ONLY + UNLUCKY)
    other_seed = GROUP | {"system": "pytorch", "seed": 2}
    own = suite.config("own", GROUP, other_seed, models={"mine": f"{source}:unlucky"})
    done = suite.snakemake("collect", "--configfile", own)
    assert done.returncode == 0, done.stdout
    summary = rows(suite.folder / "results/own/summary.csv")
    statuses = {(row["system"], row["seed"]): row["status"] for row in summary}
    assert statuses == {
        ("crossbow", "1"): "finished",
        ("pytorch", "1"): "finished",
        ("pytorch", "2"): "failed",
        ("tensorflow", "1"): "not_available",
    }
    (reason,) = (row["reason"] for row in summary if row["status"] == "failed")
    assert "classes fails, AssertionError: bad luck; mend line 13, or remove" in reason
    assert "mine has no keras_model" in {row["reason"] for row in summary}
    source.write_text(TORCH_ONLY + UNLUCKY + "\n# changed\n")
    assert {*suite.runs(own), "weights"} <= set(suite.planned("--configfile", own))
