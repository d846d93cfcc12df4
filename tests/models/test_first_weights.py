"""The weights a run begins with, and the logits by which false twins are refused there."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from bench import record
from bench.launch import launch
from models._twin import compared, refuse_apart
from models.weights import export, logits_beside, read, refuse_no_twin

FALSE_TWIN = """
import torch
from torch import nn


def torch_model(shape, classes):
    features = 4 * (shape[0] - 2) * (shape[1] - 2)
    return nn.Sequential(nn.Conv2d(shape[2], 4, 3), nn.Flatten(), nn.Linear(features, classes))


def keras_model(shape, classes):
    from keras import Sequential, layers

    head = [layers.Flatten(), layers.Dense(classes)]
    return Sequential([layers.Input(shape), layers.Conv2D(4, 3), *head])
"""
INFINITE = "classes).apply(lambda head: nn.init.constant_(head.bias, torch.inf)))\n"
REFUSED = r"own\.py: keras_model computes another function than torch_model: .*% apart; mend it: "
LINEAR = """
import torch
from torch import nn


def torch_model(shape, classes):
    features = shape[0] * shape[1] * shape[2]
    module = nn.Sequential(nn.Flatten(), {first}nn.Linear(features, classes))
    {change}
    return module
"""
TWIN = "\n\ndef keras_model(shape, classes):\n    pass\n"
SHAPE, CLASSES = (4, 3, 2), 10
COUNTED = "1.num_batches_tracked"


@pytest.fixture
def draw(tmp_path):
    """A function that draws the weights of a model; their file."""

    def drawn(content, seed=1, shape=SHAPE):
        source, path = tmp_path / "own.py", tmp_path / f"seed-{seed}.npz"
        source.write_text(content)
        export("mine", shape, CLASSES, seed, path, str(source))
        return path

    return drawn


@pytest.fixture
def run(draw, digits, spec, tmp_path):
    """A function that runs TensorFlow with a model; how that ended, and what it printed."""

    def result(content, lost=False):
        weights = draw(content, shape=(8, 8, 1))
        if lost:
            logits_beside(weights).unlink()
        cell = spec("tensorflow", model="mine", model_source=str(tmp_path / "own.py"), epochs=1)
        inputs = {"records": digits, "weights": weights, "state": tmp_path / "state"}
        outcome = launch(cell, inputs, tmp_path / "out", sys.executable)
        return outcome, (tmp_path / "out" / record.LOG).read_text()

    return result


class Linear:
    """What a Keras model of one dense layer computes, without Keras."""

    def __init__(self, channels_first):
        sizes = {"kernel": (24, CLASSES), "bias": (CLASSES,)}
        self.weights = [SimpleNamespace(path=name, shape=size) for name, size in sizes.items()]
        self.axes = (0, 3, 1, 2) if channels_first else (0, 1, 2, 3)

    def set_weights(self, arrays):
        self.kernel, self.bias = arrays

    def __call__(self, images, training):
        return images.transpose(self.axes).reshape(len(images), -1) @ self.kernel + self.bias


def test_a_twin_without_the_permute_is_refused_in_a_run(run):
    outcome, said = run(FALSE_TWIN)
    assert outcome["status"] == record.FAILED
    assert re.fullmatch(rf"ValueError: \S*{REFUSED}often Flatten needs .*", outcome["reason"])
    assert outcome["reason"] in said


def test_a_keras_model_that_fails_is_told_by_its_line(run, tmp_path):
    outcome, _ = run(FALSE_TWIN.replace("layers.Flatten(), ", "layers.Flaten(), "))
    line = FALSE_TWIN[: FALSE_TWIN.index("head =")].count("\n") + 1
    assert outcome["status"] == record.FAILED
    assert outcome["reason"].startswith("AttributeError: module 'keras")
    assert outcome["reason"].endswith(f"; see {tmp_path / 'own.py'}, line {line}")


def test_beside_weights_of_earlier_runs_there_is_nothing_to_compare_with(run):
    outcome, said = run(FALSE_TWIN, lost=True)
    assert outcome["status"] == record.FINISHED
    assert re.search(r"logits-seed-1\.npz: logits to compare .* are missing", said)


def test_a_run_of_tensorflow_from_weights_of_inf_diverges(run):
    outcome, said = run(FALSE_TWIN.replace("classes))\n", INFINITE, 1))
    assert outcome["status"] == record.DIVERGED
    assert re.search(r"logits-seed-1\.npz: logits to compare .* are not finite", said)


@pytest.mark.parametrize("zero", [False, True])
def test_a_false_twin_is_refused_though_its_head_starts_at_zero(zero, draw):
    change = "nn.init.zeros_(module[-1].weight), nn.init.zeros_(module[-1].bias)" if zero else ""
    path = draw(LINEAR.format(first="", change=change) + TWIN)
    refuse_no_twin(Linear(channels_first=True), "own.py", SHAPE, path)
    with pytest.raises(ValueError, match=REFUSED):
        refuse_no_twin(Linear(channels_first=False), "own.py", SHAPE, path)


def test_weights_that_begin_alike_are_told_apart(draw):
    """As scale and variance of batch norm, which begin with ones; others stay."""
    arrays = read(draw(LINEAR.format(first="nn.BatchNorm1d(24), ", change="")))
    begun, moved = compared(arrays, [name for name in arrays if name != COUNTED])
    assert (begun["1.weight"] == begun["1.running_var"]).all()
    assert (np.abs(moved["1.weight"] - moved["1.running_var"]) > 1e-3).mean() > 0.9
    assert moved[COUNTED] == 0
    assert {name: a.dtype for name, a in moved.items()} == {n: a.dtype for n, a in arrays.items()}


def test_logits_of_one_seed_that_are_no_numbers_are_written_and_not_compared(draw, capsys):
    change = "module[-1].bias.data += torch.inf if torch.initial_seed() == 7 else 0"
    path = draw(LINEAR.format(first="", change=change) + TWIN, seed=7)
    assert np.isinf(read(path)["1.bias"]).all()
    refuse_no_twin(None, "own.py", SHAPE, path)
    assert "logits-seed-7.npz: logits to compare keras_model's with are not finite" in (
        capsys.readouterr().out
    )


def test_a_network_that_batch_norm_keeps_finite_in_training_alone_is_no_failure(draw, capsys):
    """As of a thousand layers, before there are statistics to evaluate it with."""
    change = "module[1].weight.data *= 1e38; module[-1].weight.data *= 1e10"
    first = "nn.Linear(24, 24), nn.BatchNorm1d(24), "
    path = draw(LINEAR.format(first=first, change=change) + TWIN)
    assert not np.isfinite(read(logits_beside(path))["logits"]).all()
    refuse_no_twin(None, "own.py", SHAPE, path)
    assert "not finite" in capsys.readouterr().out


MODULE = """
import torch
from torch import nn


class torch_model(nn.Module):
    def __init__(self, shape, classes):
        super().__init__()
        self.register_buffer("scale", torch.tensor(2.0))
        self.head = nn.Linear(24, classes)

    def forward(self, x):
        assert self.scale == 2
        x = x.flatten(1)
        {change}
        return self.head(x)
"""


class Head(Linear):
    """What a Keras model of MODULE computes."""

    def __init__(self, minus):
        super().__init__(channels_first=True)
        self.weights, self.minus = [SimpleNamespace(path="scale", shape=()), *self.weights], minus

    def set_weights(self, arrays):
        super().set_weights(arrays[1:])

    def __call__(self, images, training):
        return super().__call__(images - self.minus, training)


def test_a_twin_that_changes_its_input_in_place_and_knows_its_buffers_is_none_to_refuse(draw):
    path = draw(MODULE.format(change="x -= 0.5") + TWIN)
    refuse_no_twin(Head(minus=np.float32(0.5)), "own.py", SHAPE, path)
    with pytest.raises(ValueError, match=REFUSED):
        refuse_no_twin(Head(minus=np.float32(1)), "own.py", SHAPE, path)


@pytest.mark.parametrize("twin", ["", TWIN])
def test_a_model_without_twin_or_that_fails_has_no_logits(twin, draw, capsys):
    path = draw(MODULE.format(change="raise RuntimeError('no')") + twin)
    assert read(path) and not read(logits_beside(path))
    assert ("fails, RuntimeError: no; mend line 15, or" in capsys.readouterr().out) == bool(twin)
    refuse_no_twin(None, "own.py", SHAPE, path)
    assert "are missing; it is taken" in capsys.readouterr().out


def test_logits_of_half_the_digits_are_kept(draw):
    half = MODULE.replace("return self.head(x)", "return self.head(x).bfloat16()")
    assert read(logits_beside(draw(half.format(change="") + TWIN)))["logits"].dtype == np.float32


def test_a_twin_of_other_layers_is_told_by_its_file(draw):
    twin = Linear(channels_first=True)
    twin.weights.pop()
    with pytest.raises(ValueError, match=r"^own\.py: the Keras model has no more where the torch"):
        refuse_no_twin(twin, "own.py", SHAPE, draw(LINEAR.format(first="", change="") + TWIN))


LOGITS = np.ones((2, 2, CLASSES), np.float32)


@pytest.mark.parametrize(
    ("keras", "expected"),
    [
        (LOGITS[..., :3], r"own\.py: keras_model makes \[2, 3\] of 2 images, and torch_model \[2"),
        (
            LOGITS * np.nan,
            r"own\.py: keras_model makes logits of nan or inf, where torch_model mak",
        ),
        (LOGITS * 0, f"{REFUSED}often"),
    ],
)
def test_a_twin_of_other_logits_is_refused_in_its_own_sentence(keras, expected):
    with pytest.raises(ValueError, match=expected):
        refuse_apart("own.py", list(keras), LOGITS)


def test_numbers_too_small_for_tensorflow_are_nothing_to_refuse():
    """It takes denormal ones for zero."""
    refuse_apart("own.py", list(LOGITS * 0), LOGITS * np.float32(1e-39))
    with pytest.raises(ValueError, match=r"100\.00% apart"):
        refuse_apart("own.py", list(LOGITS), LOGITS * 0)
