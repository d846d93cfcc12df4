"""XLA and mixed precision change how TensorFlow computes a step, and within rounding not what."""

import numpy as np
import pytest
from ten_steps import TEN, assert_rounded, ten_steps_once

from bench.clock import Ledger
from bench.system import Context
from data_prep.records import open_records

SYSTEM = "baselines.tensorflow_ssgd:TensorFlowSSGD"
FIELDS = {"lr": 0.002, "weight_decay": 1e-3, "augmentation": "crop_flip", "epochs": 1}


@pytest.fixture(scope="module")
def trained(digits, weights, tmp_path_factory):
    return ten_steps_once(SYSTEM, digits, weights, tmp_path_factory)


@pytest.mark.parametrize(
    ("model", "devices"),
    [("lenet", 1), ("lenet", 2), pytest.param("resnet20", 1, marks=pytest.mark.slow)],
)
def test_xla_takes_the_steps_of_the_plain_form(model, devices, spec, trained):
    fields = {"model": model, "devices": devices, **FIELDS}
    plain, _ = trained(spec("tensorflow", **fields))
    xla, _ = trained(spec("tensorflow", compile=True, **fields))
    assert len(plain) == TEN
    np.testing.assert_allclose(xla, plain, rtol=1e-5)


@pytest.mark.parametrize("devices", [1, 2])
def test_what_a_device_sends_are_its_gradients_as_in_the_other_systems(
    devices, spec, weights, trained
):
    cell = spec("tensorflow", model="lenet", devices=devices, **FIELDS)
    _, told = trained(cell)
    with np.load(weights(cell.model)) as arrays:
        gradients = sum(4 * array.size for array in arrays.values())
    assert told["sent_bytes"] == (TEN * gradients if devices > 1 else 0)


def test_bf16_differs_by_its_rounding(spec, trained):
    fields = {"model": "lenet", **FIELDS, "lr": 0.05}  # at a smaller one they are closer
    plain, _ = trained(spec("tensorflow", **fields))
    bf16, _ = trained(spec("tensorflow", precision="bf16", **fields))
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
