"""Layers that share a weight, that a network leaves out, or that draw, train as in torch."""

from pathlib import Path

import numpy as np
import pytest
import torch
from every_system import NAMES, build_of, cell_of, counted, on_each
from torch import nn
from torch.nn import functional
from two_epochs import two_epochs

import models
from baselines.pytorch_ssgd import PyTorchSSGD
from bench.clock import Ledger
from bench.system import Context
from data_prep.records import open_records
from models.weights import export

SHARED, ODD, LISTED, SCALED = [
    {"model": name, "model_source": str(Path(__file__).parent / f"{name}.py")}
    for name in ("shared", "odd", "listed", "scaled")
]
COUNTING = ["local-sgd", "post-local-sgd", "eamsgd", "bmuf", "diloco", "downpour", "hogwild"]


class Skipping(nn.Module):
    """A layer of it has not been used yet, as where chance leaves it out."""

    def __init__(self, shape, classes):
        super().__init__()
        self.skipped, self.used = nn.Linear(64, 64), nn.Linear(64, classes)

    def forward(self, images):
        return self.used(images.flatten(1))


class Vain(Skipping):
    """The gradient of a layer is zero."""

    def forward(self, images):
        return self.used(images.flatten(1)) + 0 * self.skipped(images.flatten(1)).mean()


class Dropping(Skipping):
    """A layer's inputs are dropped by chance."""

    def forward(self, images):
        return self.used(functional.dropout(images.flatten(1), 0.5, self.training))


def weights_of(network, records, folder, only_model):
    """The initial weights of every model, which is `network` from now on."""
    only_model(network)
    export("any", records.shape, records.classes, 1, folder / "weights.npz")
    return folder / "weights.npz"


def train(system):
    system.train_epoch(0)
    return {name: tensor.numpy() for name, tensor in system.model.state_dict().items()}


def test_factors_of_a_shared_weight_add_up(digits, tmp_path):
    records, weights = open_records(digits), tmp_path / "weights.npz"
    export("shared", records.shape, records.classes, 1, weights, SHARED["model_source"])
    cells = [cell_of(name, **SHARED) for name in ("pytorch", "sufficient-factors")]
    on_each(cells, records, weights, tmp_path, train)
    before, after = np.load(weights), np.load(tmp_path / "sufficient-factors-0.npz")
    for name, expected in np.load(tmp_path / "pytorch-0.npz").items():
        np.testing.assert_allclose(after[name], expected, rtol=1e-4, atol=1e-6, err_msg=name)
        assert np.array_equal(after[name], before[name]) == (name == "3.bias")


@pytest.mark.parametrize(
    ("network", "system"), [(ODD, "sufficient-factors"), (LISTED, "fsdp")], ids=str
)
def test_layers_of_any_use_train_as_by_gradients(network, system, digits, tmp_path):
    records, weights = open_records(digits), tmp_path / "weights.npz"
    export(network["model"], records.shape, records.classes, 1, weights, network["model_source"])
    cells = [cell_of(name, **network) for name in ("pytorch", system)]
    on_each(cells, records, weights, tmp_path, train_evaluated)
    after = np.load(tmp_path / f"{system}-0.npz")
    for name, expected in np.load(tmp_path / "pytorch-0.npz").items():
        np.testing.assert_allclose(after[name], expected, rtol=1e-4, atol=1e-6, err_msg=name)


def train_evaluated(system):
    system.train_epoch(0)
    return counted(system)


def test_indices_are_not_averaged(digits, tmp_path):
    records, weights = open_records(digits), tmp_path / "weights.npz"
    export("listed", records.shape, records.classes, 1, weights, LISTED["model_source"])
    cells = [cell_of(name, **LISTED) for name in COUNTING]
    cells.append(cell_of("polyak", **LISTED, method={"start": 0.25, "decay": 0.95}))
    on_each(cells, records, weights, tmp_path, train_evaluated)
    expected = models.load("listed", LISTED["model_source"]).torch_model(records.shape, 10)
    for cell in cells:
        after = np.load(tmp_path / f"{cell.system}-0.npz")
        for name, buffer in expected.named_buffers():
            assert np.array_equal(after[name], buffer), (cell.system, name)


def test_a_parameter_without_dimensions_is_trained(digits, tmp_path):
    """But by systems of which it is refused."""
    records, weights = open_records(digits), tmp_path / "weights.npz"
    export("scaled", records.shape, records.classes, 1, weights, SCALED["model_source"])
    cells = [cell_of(name, **SCALED) for name in NAMES if name not in ("fsdp", "powersgd")]
    on_each(cells, records, weights, tmp_path, train_evaluated)
    for cell in cells:
        one, other = (np.load(tmp_path / f"{cell.system}-{rank}.npz") for rank in range(2))
        assert one["scale"] != 1, cell.system
        assert one["scale"] == other["scale"], cell.system


@pytest.mark.parametrize("system", ["pytorch", "lars", "lamb", "eamsgd"])
def test_a_layer_without_a_gradient_stays(system, digits, tmp_path, only_model):
    records = open_records(digits)
    weights = weights_of(Skipping, records, tmp_path, only_model)
    cell = cell_of(system, model="skipping", devices=1)
    trained = build_of(system)(Context(spec=cell, records=records, weights=weights, out=tmp_path))
    trained.prepare(Ledger())
    after, before = train(trained), np.load(weights)
    assert np.array_equal(after["skipped.weight"], before["skipped.weight"])
    assert not np.array_equal(after["used.weight"], before["used.weight"])


def test_a_gradient_of_zeros_is_compressed(digits, tmp_path, only_model):
    """Its layer's weights decay, and no more."""
    records = open_records(digits)
    weights = weights_of(Vain, records, tmp_path, only_model)
    cells = [cell_of(name, model="vain") for name in ("pytorch", "powersgd")]
    on_each(cells, records, weights, tmp_path, train)
    plain, after = (np.load(tmp_path / f"{name}-0.npz") for name in ("pytorch", "powersgd"))
    assert np.array_equal(after["skipped.weight"], plain["skipped.weight"])
    assert not np.array_equal(after["used.weight"], plain["used.weight"])


def test_what_is_dropped_goes_on_after_a_restart(spec, digits, first, tmp_path, only_model):
    """`two_epochs` compares the runs."""
    records = first(open_records(digits), 80)
    weights = weights_of(Dropping, records, tmp_path, only_model)
    cell = spec("pytorch", model="dropping")
    two_epochs("baselines.pytorch_ssgd:PyTorchSSGD", cell, records, weights, tmp_path / "run")


def test_a_warm_up_step_leaves_chance_as_it_was(digits, tmp_path, only_model):
    records = open_records(digits)
    weights = weights_of(Dropping, records, tmp_path, only_model)
    cell = cell_of("pytorch", model="dropping", devices=1)
    trained = PyTorchSSGD(Context(spec=cell, records=records, weights=weights, out=tmp_path))
    before = torch.get_rng_state()
    trained.prepare(Ledger())
    assert torch.equal(torch.get_rng_state(), before)
