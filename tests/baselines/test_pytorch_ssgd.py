"""Options of PyTorch's S-SGD change how a step is computed, and nothing of what."""

from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest
import torch
from marks import needs_cuda
from ten_steps import TEN, ten_steps_once

from baselines import pytorch_ssgd, torch_training
from bench.system import Context
from data_prep.records import open_records

SYSTEM = "baselines.pytorch_ssgd:PyTorchSSGD"
BUCKETS = {"bucket_mb": 1, "static_graph": True}
FORMS = {
    "in parts": {"devices": 1, "method": {"accumulate": 4}},
    "in parts, sent once": {"devices": 2, "method": {"accumulate": 4}},
    "in parts, compiled": {"devices": 2, "compile": True, "method": {"accumulate": 2}},
    "in buckets": {"devices": 2, "method": BUCKETS},
    "in buckets, compiled": {"devices": 2, "compile": True, "method": BUCKETS},
}
CAPTURED = {
    "in parts, captured": {"devices": 1, "graph": True, "method": {"accumulate": 4}},
    "in parts, sent once, captured": {"devices": 2, "graph": True, "method": {"accumulate": 4}},
    "in buckets, captured": {"devices": 2, "graph": True, "method": BUCKETS},
}
FIELDS = {"model": "lenet", "weight_decay": 1e-3, "augmentation": "crop_flip", "epochs": 1}


@pytest.fixture(scope="module")
def losses(digits, weights, tmp_path_factory):
    """A function from a spec to the losses of its first ten steps."""
    once = ten_steps_once(SYSTEM, digits, weights, tmp_path_factory)
    return lambda spec: once(spec)[0]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_takes_the_steps_of_the_plain_one(form, spec, losses):
    chosen = spec("pytorch", **FIELDS, **FORMS[form])
    plain = losses(replace(chosen, compile=False, method={}))
    assert len(plain) == TEN
    np.testing.assert_allclose(losses(chosen), plain, rtol=1e-5)


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize("form", FORMS | CAPTURED)
def test_every_form_on_gpus_is_the_plain_one_on_cpus(form, spec, losses):
    chosen = spec("pytorch", device_type="cuda", **FIELDS, **(FORMS | CAPTURED)[form])
    if torch.cuda.device_count() < chosen.devices:
        pytest.skip("needs two CUDA devices: run `make gpu-test` where there are")
    plain = losses(replace(chosen, device_type="cpu", compile=False, graph=False, method={}))
    np.testing.assert_allclose(losses(chosen), plain, rtol=1e-4)


class Parallel(torch.nn.Module):
    """Stands in for DistributedDataParallel: what it was asked for, and each batch it was given."""

    def __init__(self, model, **asked):
        super().__init__()
        self.model, self.asked, self.sends, self.batches = model, asked, True, []

    @contextmanager
    def no_sync(self):
        self.sends = False
        yield
        self.sends = True

    def forward(self, images):
        self.batches.append((len(images), self.sends))
        return self.model(images)


@pytest.mark.parametrize(
    ("method", "batches"),
    [
        ({"accumulate": 4}, 3 * [(2, False)] + [(2, True)]),
        ({"bucket_mb": 1}, [(8, True)]),
        ({"static_graph": True}, [(8, True)]),
        ({}, [(8, True)]),
    ],
    ids=str,
)
def test_options_reach_torch(method, batches, spec, digits, weights, tmp_path, monkeypatch):
    monkeypatch.setattr(torch_training, "DistributedDataParallel", Parallel)
    chosen = spec("pytorch", devices=2, method=method)
    context = Context(
        spec=chosen,
        records=open_records(digits),
        weights=weights("logistic"),
        out=tmp_path,
        ranks=2,
    )
    system = pytorch_ssgd.PyTorchSSGD(context)
    system.begin(0)
    system.run(1)
    bucket = method.get("bucket_mb")
    asked = {"bucket_cap_mb": bucket, "static_graph": method.get("static_graph", False)}
    assert system.forward.asked == asked
    assert system.forward.batches == batches
