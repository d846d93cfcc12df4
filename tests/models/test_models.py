"""Every model is one network in two frameworks, from the same weights."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import models
from models.weights import export, load_torch, read

ROOT = Path(__file__).resolve().parents[2]
SHAPES = {"digits": ((8, 8, 1), 10), "mnist": ((28, 28, 1), 10), "cifar": ((32, 32, 3), 10)}

KERAS_LOGITS = """
import sys
from pathlib import Path
import numpy as np
import models
from models.weights import load_keras
for folder in map(Path, sys.argv[1:]):
    images = np.load(folder / "images.npy")
    model = models.load(folder.parent.name).keras_model(images.shape[1:], 10)
    load_keras(model, folder / "weights.npz")
    np.save(folder / "logits.npy", model(images, training=False).numpy())
"""


@pytest.fixture(scope="module")
def keras_logits(tmp_path_factory):
    """The folder <model>/<dataset> of each case: images, weights, and Keras's logits for them."""
    root = tmp_path_factory.mktemp("keras")
    for name in models.known():
        for dataset, (shape, classes) in SHAPES.items():
            folder = root / name / dataset
            export(name, shape, classes, 3, folder / "weights.npz")
            images = np.random.default_rng(0).normal(size=(5, *shape)).astype(np.float32)
            np.save(folder / "images.npy", images)
    folders = [str(folder) for folder in root.glob("*/*")]
    subprocess.run([sys.executable, "-c", KERAS_LOGITS, *folders], check=True, cwd=ROOT)
    return root


@pytest.mark.parametrize("name", models.known())
@pytest.mark.parametrize("dataset", SHAPES)
def test_torch_and_keras_give_the_same_logits(name, dataset, keras_logits):
    folder = keras_logits / name / dataset
    module = models.load(name).torch_model(*SHAPES[dataset]).eval()
    load_torch(module, folder / "weights.npz")
    images = np.load(folder / "images.npy").transpose(0, 3, 1, 2).copy()
    with torch.inference_mode():
        logits = module(torch.from_numpy(images)).numpy()
    np.testing.assert_allclose(logits, np.load(folder / "logits.npy"), rtol=1e-4, atol=1e-5)


def test_lenet_is_as_large_as_the_paper_says():
    count = sum(p.numel() for p in models.load("lenet").torch_model((28, 28, 1), 10).parameters())
    assert round(count * 4 / 2**20, 2) == 4.24  # MiB, Table 1


def test_weights_come_from_the_seed(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        export("lenet", (8, 8, 1), 10, seed, tmp_path / f"{name}.npz")
    a, b, c = (read(tmp_path / f"{name}.npz") for name in "abc")
    assert all(np.array_equal(a[name], b[name]) for name in a)
    assert not np.array_equal(a["0.weight"], c["0.weight"])


def test_unknown_model_is_named_with_those_there_are():
    with pytest.raises(ValueError, match=r"'lnet'; use one of .*lenet"):
        models.load("lnet")
