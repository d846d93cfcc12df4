"""XLA and mixed precision change how TensorFlow computes a step, and within rounding not what."""

import json

import numpy as np
import pytest
from ten_steps import TEN, assert_rounded, ten_steps

from bench.clock import Ledger
from bench.system import Context
from data_prep.records import open_records

SYSTEM = "baselines.tensorflow_ssgd:TensorFlowSSGD"
FIELDS = {"weight_decay": 1e-3, "augmentation": "crop_flip", "epochs": 1}


def losses(spec, digits, weights, folder):
    return ten_steps(SYSTEM, spec, digits, weights, folder)[0]["losses"]


@pytest.mark.parametrize(
    ("model", "devices"),
    [("lenet", 1), ("lenet", 2), pytest.param("resnet20", 1, marks=pytest.mark.slow)],
)
def test_xla_takes_the_steps_of_the_plain_form(model, devices, spec, digits, weights, tmp_path):
    fields = {"model": model, "devices": devices, "lr": 0.002, **FIELDS}
    plain = losses(spec("tensorflow", **fields), digits, weights, tmp_path / "plain")
    xla = losses(spec("tensorflow", compile=True, **fields), digits, weights, tmp_path / "xla")
    assert len(plain) == TEN
    np.testing.assert_allclose(xla, plain, rtol=1e-5)


@pytest.mark.parametrize("devices", [1, 2])
def test_what_a_device_sends_are_its_gradients_as_in_the_other_systems(
    devices, spec, digits, weights, tmp_path
):
    cell = spec("tensorflow", devices=devices, **FIELDS)
    losses(cell, digits, weights, tmp_path / "run")
    with np.load(weights(cell.model)) as arrays:
        gradients = sum(4 * array.size for array in arrays.values())
    told = json.loads((tmp_path / "run/status.json").read_text())
    assert told["sent_bytes"] == (TEN * gradients if devices > 1 else 0)


def test_bf16_differs_by_its_rounding(spec, digits, weights, tmp_path):
    fields = {"model": "lenet", **FIELDS}
    plain = losses(spec("tensorflow", **fields), digits, weights, tmp_path / "fp32")
    bf16 = losses(spec("tensorflow", precision="bf16", **fields), digits, weights, tmp_path / "16")
    assert_rounded(bf16, plain, by=1e-4)


def test_xla_compiles_a_step_once(spec, digits, weights, tmp_path):
    from baselines.tensorflow_ssgd import TensorFlowSSGD

    records = open_records(digits)
    context = Context(
        spec=spec("tensorflow", compile=True, batch=128), records=records,
        weights=weights("logistic"), out=tmp_path,
    )  # fmt: skip
    system = TensorFlowSSGD(context)
    system.prepare(Ledger())
    system.train_epoch(0)
    system.train_epoch(1)
    system.begin(0)
    batch = next(system.batches)
    assert "HloModule" in system.step.experimental_get_compiler_ir(*batch)(stage="hlo")
    assert system.step.experimental_get_tracing_count() == 1
    assert system.run_steps.experimental_get_tracing_count() == 1


def test_gpus_that_tensorflow_does_not_see_are_refused(monkeypatch):
    import tensorflow as tf

    from baselines.tensorflow_ssgd import strategy_for

    monkeypatch.setattr(tf.config, "list_logical_devices", lambda kind: [])
    with pytest.raises(ValueError, match=r"TensorFlow sees 0 GPUs and the run takes 1: .*make gpu"):
        strategy_for("cuda", 1)
