"""Refused at the weights a run begins with: false twins, logits that are no numbers."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from bench import record
from bench.launch import launch
from models._twin import compared
from models.weights import export, logits_beside, read, refuse_no_twin

FALSE_TWIN = """
from torch import nn


def torch_model(shape, classes):
    features = 4 * (shape[0] - 2) * (shape[1] - 2)
    return nn.Sequential(nn.Conv2d(shape[2], 4, 3), nn.Flatten(), nn.Linear(features, classes))


def keras_model(shape, classes):
    from keras import Sequential, layers

    head = [layers.Flatten(), layers.Dense(classes)]
    return Sequential([layers.Input(shape), layers.Conv2D(4, 3), *head])
"""
REFUSED = r"own\.py: keras_model computes another function than torch_model, .*% apart; mend it: "
LINEAR = """
import torch
from torch import nn


def torch_model(shape, classes):
    features = shape[0] * shape[1] * shape[2]
    module = nn.Sequential(nn.Flatten(), {first}nn.Linear(features, classes))
    {change}
    return module
"""
SHAPE, CLASSES = (4, 3, 2), 10


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


def test_beside_weights_of_earlier_runs_there_is_nothing_to_compare_with(run):
    outcome, said = run(FALSE_TWIN, lost=True)
    assert outcome["status"] == record.FINISHED
    assert "logits-seed-1.npz: no finite logits" in said


@pytest.mark.parametrize("zero", [False, True])
def test_a_false_twin_is_refused_though_its_head_starts_at_zero(zero, draw):
    change = "nn.init.zeros_(module[-1].weight), nn.init.zeros_(module[-1].bias)" if zero else ""
    path = draw(LINEAR.format(first="", change=change))
    refuse_no_twin(Linear(channels_first=True), "own.py", SHAPE, path)
    with pytest.raises(ValueError, match=REFUSED):
        refuse_no_twin(Linear(channels_first=False), "own.py", SHAPE, path)


def test_weights_that_begin_alike_are_told_apart(draw):
    """As scale and variance of batch norm, which begin with ones; counters and indices stay."""
    arrays = read(draw(LINEAR.format(first="nn.BatchNorm1d(24), ", change="")))
    begun, moved = compared(arrays)
    assert (begun["1.weight"] == begun["1.running_var"]).all()
    assert (np.abs(moved["1.weight"] - moved["1.running_var"]) > 1e-3).mean() > 0.9
    assert moved["1.num_batches_tracked"] == 0
    assert {name: a.dtype for name, a in moved.items()} == {n: a.dtype for n, a in arrays.items()}


@pytest.mark.parametrize("change", ["torch.nan", "torch.inf"])
def test_logits_that_are_no_numbers_are_refused_before_weights_are_written(change, draw, tmp_path):
    """Of the seed that a run has, where plans try one: what is not drawn is what memory held."""
    change = f"module[-1].bias.data += {change} if torch.initial_seed() == 7 else 0"
    assert draw(LINEAR.format(first="", change=change), seed=1).exists()
    with pytest.raises(ValueError, match=r"own\.py: the torch model makes logits of nan or inf at"):
        draw(LINEAR.format(first="", change=change), seed=7)
    assert not list(tmp_path.glob("*seed-7*"))


def test_a_network_that_batch_norm_keeps_finite_in_training_alone_is_no_failure(draw, capsys):
    """As of a thousand layers, before there are statistics to evaluate it with."""
    change = "module[1].weight.data *= 1e38; module[-1].weight.data *= 1e10"
    first = "nn.Linear(24, 24), nn.BatchNorm1d(24), "
    path = draw(LINEAR.format(first=first, change=change))
    assert not np.isfinite(read(logits_beside(path))["logits"]).all()
    refuse_no_twin(None, "own.py", SHAPE, path)
    assert "no finite logits" in capsys.readouterr().out
