"""Every network is the same in torch and in Keras: outputs, loss, gradients, steps, statistics."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from cases import (
    BATCH,
    CIFAR,
    CLASSES,
    DEEPER,
    FAST,
    MOMENTUM,
    SLOW,
    Case,
    fingerprint,
    network_of,
)
from cases import write as write_case
from torch.nn.functional import cross_entropy

import models
from models.weights import COUNTER, export, load_torch, read

ROOT = Path(__file__).resolve().parents[2]
CASES = [*FAST, *(pytest.param(case, marks=pytest.mark.slow) for case in SLOW)]
OFTEN = [Case(name, CIFAR) for name in ("convnet", "vgg11", "resnet20_v2", "googlenet_bn")]
SELDOM = [case for case in FAST + SLOW if case.name not in ("corners", *(c.name for c in OFTEN))]
THERE_AND_BACK = [*OFTEN, *(pytest.param(case, marks=pytest.mark.slow) for case in SELDOM)]


@pytest.fixture(scope="module")
def keras():
    """A function that has Keras do the work in a folder, in one process for all."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests/models")])
    worker = subprocess.Popen(
        [sys.executable, ROOT / "tests/models/keras_worker.py"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": path, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )

    def work(folder):
        print(folder, file=worker.stdin, flush=True)
        assert worker.stdout.readline() == "done\n", "the process of Keras has failed"

    yield work
    worker.stdin.close()
    worker.wait(timeout=60)


@pytest.fixture
def folder(tmp_path):
    """Where a case's arrays are; they are large, and gone after the test."""
    yield tmp_path
    shutil.rmtree(tmp_path)


def close(actual, expected, rounding):
    """Equal but for the rounding of doubles in another order."""
    scale = np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=rounding, atol=rounding * scale)


def work(case, folder):
    """What `keras_worker.work` does, in torch."""
    images = torch.from_numpy(np.load(folder / "images.npy").transpose(0, 1, 4, 2, 3).copy())
    labels = torch.from_numpy(np.load(folder / "labels.npy"))
    module = network_of(case).torch_model(case.shape, CLASSES).double()
    load_torch(module, folder / "weights.npz")
    results = {"evaluated": evaluate(module, images[0])}
    module.train()
    if case.steps is None:
        with torch.inference_mode():
            results["logits"] = module(images[0]).numpy()
    else:
        results |= trained(module, case.rate, images, labels)
    state = module.state_dict().items()
    results["weights"] = np.concatenate([fingerprint(a) for n, a in state if COUNTER not in n])
    return results | {"trained": evaluate(module, images[0])}


def trained(module, rate, images, labels):
    logits = module(images[0])
    loss = cross_entropy(logits, labels[0])
    loss.backward()
    results = {"logits": logits.detach().numpy(), "losses": [loss.item()]}
    results["gradients"] = np.concatenate([fingerprint(p.grad) for p in module.parameters()])
    optimizer = torch.optim.SGD(module.parameters(), rate, MOMENTUM)
    for batch, answers in zip(images[1:], labels[1:], strict=True):
        optimizer.zero_grad()
        loss = cross_entropy(module(batch), answers)
        loss.backward()
        optimizer.step()
        results["losses"].append(loss.item())
    return results


def evaluate(module, images):
    with torch.inference_mode():
        return module.eval()(images).numpy()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_torch_and_keras_agree(case, keras, folder):
    write_case(case, folder)
    keras(folder)
    ours = work(case, folder)
    theirs = np.load(folder / "keras.npz")
    assert ours.keys() == set(theirs)
    for name, array in ours.items():
        close(array, theirs[name], 1e-9)
    assert len(ours["logits"]) == BATCH
    if case.steps is not None:
        assert len(ours["losses"]) == case.steps + 1 and len(ours["gradients"])


def test_every_model_is_compared():
    compared = {case.name for case in FAST + SLOW} - {"corners"}
    assert compared | DEEPER.keys() == set(models.known())


@pytest.mark.parametrize(("deeper", "other"), DEEPER.items())
def test_a_deeper_network_has_the_layers_of_one_that_is_compared(deeper, other):
    assert other in {case.name for case in FAST + SLOW if case.steps is not None}
    more, fewer = (network_of(Case(name, CIFAR)).layers(CIFAR, CLASSES) for name in (deeper, other))
    assert set(more) == set(fewer)
    assert len(more) > len(fewer)


@pytest.mark.parametrize("case", THERE_AND_BACK, ids=str)
def test_weights_go_from_torch_to_keras_and_back(case, keras, folder):
    """There Keras makes torch's logits of them, within a part of what is refused in a run."""
    write_case(case, folder)
    export(case.name, case.shape, CLASSES, 4, folder / "weights.npz")
    (folder / "there").touch()
    keras(folder)
    module = models.load(case.name).torch_model(case.shape, CLASSES)
    load_torch(module, folder / "back.npz")
    before, after = read(folder / "weights.npz"), module.state_dict()
    assert list(before) == list(after)
    for key, tensor in after.items():
        assert tensor.numpy().tobytes() == before[key].tobytes()
