"""Layers that are frozen have no place in w and z, and stay as they were in every form."""

import numpy as np
import pytest
import torch
from marks import needs_cuda
from torch import nn

from bench.clock import Ledger
from bench.system import Context
from crossbow_impl.layout import Layout
from crossbow_impl.learners import Learners, loss_function
from crossbow_impl.train import Crossbow
from data_prep.records import open_records
from models.weights import export, read

FROZEN = ("0.weight", "0.bias", "4.weight", "4.bias", "6.bias")
GRAPH = {"device_type": "cuda", "graph": True}
FORMS = [
    pytest.param({}, id="cpu"),
    pytest.param({"learners": "auto"}, id="tuned-cpu"),
    pytest.param({"precision": "bf16"}, id="bf16-cpu"),
    pytest.param({"channels_last": True}, id="channels-last-cpu"),
    pytest.param({"variant": "ssgd", "mu": 0.0}, id="ssgd-cpu"),
    *(
        pytest.param(form, id=name, marks=[pytest.mark.gpu, needs_cuda])
        for name, form in {
            "streams": {"device_type": "cuda"},
            "graph": GRAPH,
            "unrolled": {**GRAPH, "unroll": 4},
            "tuned": {**GRAPH, "learners": "auto"},
            "fastest": {**GRAPH, "compile": True, "channels_last": True, "precision": "bf16"},
        }.items()
    ),
]


def network(shape, classes):
    """What is frozen is below all that is trained, amid it, and a bias beside its weight."""
    whole = nn.Sequential(
        *(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten()),
        *(nn.Linear(144, 32), nn.ReLU(), nn.Linear(32, classes)),
    )
    for name in FROZEN:
        whole.get_parameter(name).requires_grad_(False)
    return whole


@pytest.fixture
def made(spec, digits, first, tmp_path, only_model):
    """A function that makes the prepared system of a form, and the initial weights."""
    only_model(network)
    records, weights = first(open_records(digits), 512), tmp_path / "weights.npz"
    export("partly", records.shape, records.classes, 1, weights)

    def make(**form):
        cell = spec(**{"learners": 2, "weight_decay": 1e-3, **form})
        system = Crossbow(Context(spec=cell, records=records, weights=weights, out=tmp_path))
        system.prepare(Ledger())
        return system

    return make, read(weights)


@pytest.mark.parametrize("form", FORMS)
def test_frozen_layers_stay_and_a_resumed_run_has_them(form, made):
    make, before = made
    system = make(**form)
    system.train_epoch(0)
    state = {name: np.copy(array) for name, array in system.state().items()}
    resumed = make(**form)
    resumed.load_state(state)
    for trained in (system, resumed):
        trained.train_epoch(1)
        after = dict(trained.center.network.named_parameters())
        for name in after:
            assert np.array_equal(after[name].cpu(), before[name]) == (name in FROZEN), name
    if "learners" not in form:  # whose number follows the time
        np.testing.assert_allclose(resumed.logits(), system.logits(), rtol=1e-3, atol=1e-4)


def test_learners_have_autograds_gradients_of_what_is_trained():
    torch.manual_seed(0)
    plain = network((8, 8, 1), 10)
    learners = Learners(plain, Layout(plain), 2)
    images, labels = torch.randn(4, 1, 8, 8), torch.tensor([0, 1, 2, 0])
    loss = learners.gradient(1, loss_function(plain, "fp32"), images, labels)
    expected = nn.functional.cross_entropy(plain(images), labels)
    expected.backward()
    torch.testing.assert_close(loss, expected.detach())
    trained = {name: p for name, p in plain.named_parameters() if name not in FROZEN}
    assert learners.layout.names == list(trained)
    views = learners.layout.views(learners.g[1])
    for view, parameter in zip(views, trained.values(), strict=True):
        torch.testing.assert_close(view, parameter.grad)
