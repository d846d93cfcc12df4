"""Every system in torch trains a network that is in part frozen, and that part stays as it was."""

from pathlib import Path

import numpy as np
import pytest
from every_system import BATCH, DEVICES, ITERATIONS, NAMES, cell_of, counted, on_each
from frozen import FROZEN
from steps import steps

from data_prep.records import open_records
from models.weights import COUNTER, TORCH_TO_KERAS, export, read

FIELDS = {"model": "frozen", "model_source": str(Path(__file__).parent / "frozen.py")}
# They take the steps of S-SGD, each in a way of its own.
AS_SSGD = ("sufficient-factors", "zero", "fsdp", "noise-scale")
# How often what is trained is sent, each time whole.
SENDINGS = {"pytorch": 12, "lars": 12, "lamb": 12, "polyak": 12, "post-local-sgd": 6 + 2}
SENDINGS |= {"local-sgd": 4, "bmuf": 4, "diloco": 4, "eamsgd": 3, "downpour": 12, "ssp": 12}
SENDINGS |= {"hogwild": 0}


def train(system):
    """Bytes, and what is evaluated after an epoch."""
    return {"sent_bytes": system.train_epoch(0).sent_bytes, **counted(system)}


@pytest.fixture(scope="module")
def weights(digits, tmp_path_factory):
    """The file of the initial weights."""
    records, path = open_records(digits), tmp_path_factory.mktemp("frozen") / "weights.npz"
    export("frozen", records.shape, records.classes, 1, path, FIELDS["model_source"])
    return path


@pytest.fixture(scope="module")
def results(digits, weights, tmp_path_factory):
    """A function from a system and a rank to what `train` returned there."""
    folder = tmp_path_factory.mktemp("trained")
    cells = [cell_of(name, **FIELDS) for name in NAMES]
    on_each(cells, open_records(digits), weights, folder, train)
    return lambda name, rank: read(folder / f"{name}-{rank}.npz")


@pytest.mark.parametrize("system", NAMES)
def test_frozen_weights_stay_and_others_are_trained(system, weights, results):
    before = read(weights)
    for after in (results(system, rank) for rank in range(DEVICES)):
        for name in (name for name in before if not name.endswith(COUNTER)):
            assert np.array_equal(after[name], before[name]) == (name in FROZEN), name


@pytest.mark.parametrize("system", AS_SSGD)
def test_the_others_are_trained_as_by_ssgd(system, results):
    after, expected = results(system, 0), results("pytorch", 0)
    for name in set(expected) - {"sent_bytes"}:
        np.testing.assert_allclose(after[name], expected[name], rtol=1e-4, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("system", SENDINGS)
def test_nothing_is_sent_of_what_is_frozen(system, weights, results):
    before = read(weights)
    parameters = {name for name in before if name.endswith((".weight", ".bias"))}
    size = sum(4 * before[name].size for name in parameters - FROZEN)
    sent = max(results(system, rank)["sent_bytes"] for rank in range(DEVICES))
    assert sent == SENDINGS[system] * size


def test_tensorflow_trains_as_pytorch_does(digits, weights, tmp_path):
    """Of tensors that are frozen: a batch norm of Keras that is not trainable is no longer one."""
    before, inputs = read(weights), (digits, weights, BATCH * ITERATIONS)
    torch_cell, keras_cell = (
        cell_of(name, **FIELDS, devices=1, lr=0.01) for name in ("pytorch", "tensorflow")
    )
    (plain,) = steps("baselines.pytorch_ssgd:PyTorchSSGD", torch_cell, *inputs, tmp_path / "torch")
    (keras,) = steps(
        "baselines.tensorflow_ssgd:TensorFlowSSGD", keras_cell, *inputs, tmp_path / "keras",
        TF_ENABLE_ONEDNN_OPTS="0",  # its batch norm rounds by more
    )  # fmt: skip
    np.testing.assert_allclose(keras["losses"], plain["losses"], rtol=1e-4)
    arrays = {name: a for name, a in before.items() if not name.endswith(COUNTER)}
    for i, (name, array) in enumerate(arrays.items()):
        here = array.transpose(TORCH_TO_KERAS.get(array.ndim))
        assert np.array_equal(keras[f"model.{i}"], here) == (name in FROZEN), name
