"""Models of the user's own, in files outside the repository."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from suite import CELL, DATA, REPOSITORY, Suite, rows

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
        ("raise SystemExit(0)", "", "SystemExit"),
        ("def torch_model(shape): ...", "", "torch_model takes (shape) where"),
    ],
)
def test_a_source_that_does_not_do_is_refused(content, suffix, expected, model, tmp_path):
    source = model(content) if content else tmp_path / "absent.py"
    with pytest.raises(ConfigError, match=r"models\.mine: ") as refusal:
        plan(config(f"{source}{suffix}"))
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


LINEAR = "from torch import nn\n\ndef torch_model(shape, classes):\n    "
PARTLY = """
from torch import nn

class torch_model(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.old, self.head = nn.Linear(64, 10), nn.Linear(64, classes)

    {}
"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("def torch_model(shape, classes): ...", "is a NoneType; return a torch.nn.Module"),
        (f"{LINEAR}raise RuntimeError('no\\nluck')", "fails, RuntimeError: no luck"),
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
def test_a_definition_that_makes_no_such_model_is_refused_when_planned(content, expected, model):
    source = model(content)
    with pytest.raises(ConfigError, match=r"models\.mine: on digits, .*own_model\.py") as refusal:
        plan(config(source))
    assert expected in str(refusal.value) and "\n" not in str(refusal.value)


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


def test_weights_of_such_a_definition_are_one_sentence(matrix, model, tmp_path):
    source = model("def torch_model(shape, classes): ...")
    command = [sys.executable, "-m", "models", "mine", "--source", source, "--seed", "1"]
    for records, expected in (
        (matrix.suite.folder / DATA / "digits", "is a NoneType; return a torch.nn.Module"),
        (tmp_path / "nowhere", "`python -m data_prep DATASET"),
    ):
        done = subprocess.run(
            [*map(str, command), "--records", str(records), str(tmp_path / "out.npz")],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 1
        assert expected in done.stderr and done.stderr.count("\n") == 1


def test_a_model_file_imports_what_lies_beside_it(model):
    model("SIZE = 64", "its_size.py")
    source = model(f"from its_size import SIZE\n{LINEAR}return nn.Sequential(nn.Flatten(), "
                   "nn.Linear(SIZE, classes))")  # fmt: skip
    assert plan(config(source)).runs


def test_a_file_that_is_not_there_is_named_in_full():
    with pytest.raises(ConfigError, match=f"{Path('absent.py').resolve()}: no such file"):
        plan(config("absent.py"))


def test_a_module_without_a_file_is_refused():
    with pytest.raises(ConfigError, match=r"models\.mine: no\.such: no module .* by its file"):
        plan(config("no.such:model"))


def test_a_name_that_is_taken_is_refused(model):
    with pytest.raises(ConfigError, match=r"models\.lenet: the suite has a model of this name"):
        plan(config("x.py") | {"models": {"lenet": str(model(BOTH))}})


def test_runs_and_rows_of_a_model_from_outside(tmp_path, model):
    suite = Suite.create(tmp_path / "suite")
    source = model(TORCH_ONLY)
    own = suite.config("own", GROUP, models={"mine": f"{source}:perceptron"})
    done = suite.snakemake("collect", "--configfile", own)
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
