"""LARS and LAMB do what their papers say, and go on where they were.

That S-SGD would fail is in the oracles: they share no step with it.
"""

import dataclasses

import large_batch_oracles as oracles
import numpy as np
import pytest
import torch
from marks import needs_cuda
from softmax import flat, problem
from two_epochs import two_epochs

from baselines.lamb import LAMB
from baselines.lars import LARS
from data_prep.records import open_records

BATCH, PER_EPOCH = 8, 10
METHODS = {
    "lars": ("baselines.lars:PyTorchLARS", oracles.lars, {"lr": 0.5, "method": {"trust": 0.1}}),
    "lamb": ("baselines.lamb:PyTorchLAMB", oracles.lamb, {"lr": 0.05}),
}
RUN = {
    "batch": BATCH,
    "momentum": 0.8,
    "weight_decay": 0.1,
    "schedule": {"kind": "one-cycle", "warmup": 0.3},
}
GPU = [pytest.mark.gpu, needs_cuda]


@pytest.mark.parametrize("system", METHODS)
@pytest.mark.parametrize(
    "form",
    [
        pytest.param({"devices": 2}, id="two devices"),
        pytest.param({"device_type": "cuda"}, id="gpu", marks=GPU),
        pytest.param({"device_type": "cuda", "graph": True}, id="captured", marks=GPU),
        pytest.param({"device_type": "cuda", "devices": 2}, id="two gpus", marks=GPU),
    ],
)
def test_steps_are_the_papers(form, system, spec, digits, weights, first, tmp_path):
    if "device_type" in form and torch.cuda.device_count() < form.get("devices", 1):
        pytest.skip("needs two CUDA devices: run `make gpu-test` where there are")
    module, oracle, fields = METHODS[system]
    cell = spec(system, **{**RUN, **fields, **form})
    records = first(open_records(digits), PER_EPOCH * cell.devices * BATCH)
    path = weights("logistic")
    ranks = two_epochs(module, cell, records, path, tmp_path / "run")
    task = problem(dataclasses.replace(cell, weight_decay=0.0), records, path)
    w, losses = oracle(task, cell)
    for actual in ranks:
        np.testing.assert_allclose(flat(actual, "model."), w, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(actual["losses"], losses, rtol=1e-5)
    np.testing.assert_allclose(ranks[0]["logits"], task.logits(w), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("system", METHODS)
def test_a_layer_without_weights_or_gradient_takes_a_step_without_adaptation(system):
    """Where a norm is 0 there is no ratio: weights that are 0 would never leave it."""
    lr = torch.tensor(0.5)
    w = torch.zeros(3, 2, requires_grad=True)
    optimizer = LARS([w], lr, 0.9, 0.0, 0.001) if system == "lars" else LAMB([w], lr, 0.9, 0.0)
    w.grad = torch.zeros(3, 2)
    optimizer.step()
    assert torch.equal(w, torch.zeros(3, 2))
    w.grad = torch.ones(3, 2)
    optimizer.step()
    assert torch.isfinite(w).all() and (w < 0).all()
