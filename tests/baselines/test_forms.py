"""PyTorch's stronger forms are what they are called, and within rounding the plain one."""

import numpy as np
import pytest
import torch
from marks import needs_cuda
from ten_steps import assert_rounded, ten_steps
from torch._dynamo.utils import counters

from baselines.pytorch_ssgd import PyTorchSSGD
from bench.clock import Ledger
from bench.system import Context
from data_prep.records import open_records

SYSTEM = "baselines.pytorch_ssgd:PyTorchSSGD"
FIELDS = {"model": "lenet", "weight_decay": 1e-3, "augmentation": "crop_flip", "epochs": 1}


def losses(spec, digits, weights, folder):
    return ten_steps(SYSTEM, spec, digits, weights, folder)[0]["losses"]


@pytest.fixture
def system(spec, digits, weights, tmp_path):
    """PyTorch on one device, in the form that a test asks for."""

    def made(**form):
        cell = spec("pytorch", **{"model": "lenet", "batch": 128, **form})
        return PyTorchSSGD(
            Context(
                spec=cell, records=open_records(digits), weights=weights(cell.model), out=tmp_path
            )
        )

    return made


def test_bf16_differs_by_its_rounding(spec, digits, weights, tmp_path):
    plain = losses(spec("pytorch", **FIELDS), digits, weights, tmp_path / "fp32")
    bf16 = losses(spec("pytorch", precision="bf16", **FIELDS), digits, weights, tmp_path / "bf16")
    assert_rounded(bf16, plain, by=1e-4)


def test_channels_last_reaches_every_convolution(system):
    trained = system(channels_last=True)
    seen = []
    for layer in trained.model:
        if isinstance(layer, torch.nn.Conv2d):
            layer.register_forward_hook(lambda of, images, out: seen.append((of.weight, out)))
    trained.prepare(Ledger())
    assert len(seen) == 2
    for weight, out in seen:  # the first has one channel, and its output tells
        assert weight.is_contiguous(memory_format=torch.channels_last)
        assert out.is_contiguous(memory_format=torch.channels_last)
        assert not out.is_contiguous()


def test_channels_last_takes_the_steps_of_the_plain_form(spec, digits, weights, tmp_path):
    plain = losses(spec("pytorch", **FIELDS), digits, weights, tmp_path / "plain")
    last = losses(spec("pytorch", channels_last=True, **FIELDS), digits, weights, tmp_path / "last")
    np.testing.assert_allclose(last, plain, rtol=1e-5)


def test_torch_compiles_a_step_once(system):
    torch.compiler.reset()
    counters.clear()
    trained = system(model="logistic", compile=True)
    trained.prepare(Ledger())
    graphs = counters["stats"]["unique_graphs"]
    assert graphs > 0
    trained.train_epoch(0)
    trained.train_epoch(1)
    assert counters["stats"]["unique_graphs"] == graphs
    assert not counters["graph_break"]


@pytest.fixture
def flags():
    """torch's settings of a process, as before after the test."""
    settings = [
        (torch.backends.cuda.matmul, "allow_tf32"),
        (torch.backends.cudnn, "allow_tf32"),
        (torch.backends.cudnn, "benchmark"),
    ]
    before = [getattr(*setting) for setting in settings]
    yield settings
    for setting, value in zip(settings, before, strict=True):
        setattr(*setting, value)


@pytest.mark.parametrize(("precision", "tf32"), [("fp32", False), ("tf32", True), ("bf16", True)])
def test_precision_decides_what_tensor_cores_may_round(precision, tf32, system, flags):
    system(precision=precision, cudnn_benchmark=tf32)
    assert [getattr(*flag) for flag in flags] == [tf32, tf32, tf32]


@pytest.mark.gpu
@needs_cuda
def test_tf32_differs_by_its_rounding(spec, digits, weights, tmp_path):
    fields = {"device_type": "cuda", **FIELDS}
    plain = losses(spec("pytorch", **fields), digits, weights, tmp_path / "fp32")
    tf32 = losses(spec("pytorch", precision="tf32", **fields), digits, weights, tmp_path / "tf32")
    assert_rounded(tf32, plain, by=5e-6)
