"""A rank of PowerSGD that makes nothing smaller is refused with the highest one that does."""

import math

import pytest
import torch
from steps import steps
from suite import CELL
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import _should_compress

import models
from bench.low_rank import highest_rank, refuse_rank
from models._count import matrices
from workflows.plan import plan
from workflows.validate import ConfigError

OWN = """
from torch import nn


def torch_model(shape, classes):
    frozen = nn.Linear(64, 500).requires_grad_(False)
    return nn.Sequential(nn.Flatten(), frozen, nn.Linear(500, 60), nn.Linear(60, classes))
"""


def config(rank, **top):
    group = {"system": "powersgd", "devices": 2, "batch": 16, "method": {"rank": rank}}
    return {"name": "rank", "defaults": CELL | top.pop("cell", {}), "matrix": [group], **top}


@pytest.mark.parametrize(
    "shapes", [[(120, 400)], [(16, 6, 5, 5), (10,)], [(3, 1000), ()], [(8, 8)]]
)
def test_the_highest_rank_is_torchs(shapes):
    def compresses(rank):
        sizes = [(math.prod(shape[:1]), math.prod(shape[1:])) for shape in shapes]
        return any(_should_compress(*size, min(*size, rank), 2)[0] for size in sizes)

    most = highest_rank(shapes)
    assert compresses(most) and not compresses(most + 1)


@pytest.mark.parametrize("name", ["lenet", "resnet50", "googlenet_bn", "vgg16", "mlp"])
def test_described_networks_have_torchs_matrices(name):
    model = models.load(name)
    images, classes = model.sizes[0]
    with torch.device("meta"):
        module = model.torch_model(images, classes)
    found = list(matrices(model.layers(images, classes), (images[2], *images[:2])))
    built = [(len(one), one.numel() // len(one)) for one in module.parameters() if one.ndim > 1]
    assert found == built


def test_the_highest_rank_trains_compressed_and_the_next_is_refused(digits, weights, tmp_path):
    with pytest.raises(ConfigError) as refusal:
        plan(config(1000, cell={"model": "logistic"}))
    said, _, most = str(refusal.value).partition("use at most ")
    assert said.startswith("matrix[0].method.rank: a rank of 1000 makes no matrix of logistic ")
    with pytest.raises(ConfigError, match=f"use at most {most}"):
        plan(config(int(most) + 1, cell={"model": "logistic"}))
    (planned,) = plan(config(int(most), cell={"model": "logistic"})).runs.values()
    ranks = steps(
        "baselines.powersgd:PowerSGD",
        planned,
        digits,
        weights("logistic"),
        4 * 32,
        tmp_path / "run",
    )
    assert [one["p.0"].size for one in ranks] == [10 * int(most)] * 2


def test_what_is_frozen_in_a_model_of_ones_own_is_not_sent(tmp_path):
    path = tmp_path / "own_rank.py"
    path.write_text(OWN)
    own = {"models": {"mine": str(path)}, "cell": {"model": "mine"}}
    most = (500 * 60 - 1) // (2 * (500 + 60))
    assert plan(config(most, **own)).runs
    with pytest.raises(
        ConfigError, match=rf"rank: a rank of {most + 1} .* mine .*; use at most {most}$"
    ):
        plan(config(most + 1, **own))


def test_one_device_sends_nothing():
    group = {"system": "powersgd", "method": {"rank": 2}}
    assert plan({"name": "rank", "defaults": CELL, "matrix": [group]}).runs


def test_a_model_without_matrices_has_no_rank():
    with pytest.raises(ValueError, match="no rank makes a matrix of tiny twice as small"):
        refuse_rank(1, [(3, 3), (10,), ()], "tiny")
