import dataclasses
import json

import numpy as np
import pytest

from bench import method_options
from bench.spec import RunSpec, stability_bound


def test_the_id_is_readable_and_changes_with_every_field(spec):
    base = spec(learners=4, devices=2)
    assert base.id.startswith("crossbow-logistic-digits-cpu2-m4-b8-s1-")
    changes = {
        "system": "pytorch", "model": "lenet", "model_source": "mine.py",
        "dataset": "mnist", "device_type": "cuda",
        "devices": 1, "nodes": 2, "learners": "auto", "batch": 9, "seed": 2, "repeat": 2,
        "epochs": 3,
        "target": 0.8, "lr": 0.1, "schedule": {"kind": "cosine"}, "momentum": 0.0,
        "weight_decay": 0.1, "augmentation": "crop_flip", "variant": "kungfu", "alpha": 0.1,
        "mu": 0.5, "tau": 2, "batch_norm": "shared", "precision": "bf16", "compile": True,
        "channels_last": True, "graph": True, "unroll": 4, "cudnn_benchmark": True,
        "method": {"period": 4},
    }  # fmt: skip
    assert set(changes) == {field.name for field in dataclasses.fields(RunSpec)}
    ids = {dataclasses.replace(base, **{name: value}).id for name, value in changes.items()}
    assert len(ids | {base.id}) == len(changes) + 1


def test_runs_made_before_there_were_repeats_and_nodes_keep_their_ids():
    given = {"system": "pytorch", "model": "lenet", "dataset": "digits", "batch": 16, "seed": 1}
    given |= {"epochs": 8, "target": 0.93, "lr": 0.03, "momentum": 0.9}
    assert RunSpec(**given).id == "pytorch-lenet-digits-cpu1-b16-s1-20cfd40c"
    assert RunSpec(**given, repeat=2).id.startswith("pytorch-lenet-digits-cpu1-b16-s1-r2-")
    assert RunSpec(**given, devices=4, nodes=2).id.startswith("pytorch-lenet-digits-cpu4-n2-b16-")


def test_a_default_option_is_no_option(spec, monkeypatch):
    before = spec("pytorch").id
    options = {"period": {"type": "integer", "default": 8}, "alike": {"default": 0.5}}
    monkeypatch.setitem(method_options.METHOD_OPTIONS, "pytorch", options)
    given = [spec("pytorch", method=method) for method in ({}, {"period": 8}, {"period": 4})]
    assert given[0] == given[1] and given[0].method == {"period": 8, "alike": 0.5}
    assert [one.id == before for one in given] == [True, True, False]
    texts = [method_options.describe("pytorch", one.method) for one in given]
    assert texts == ["", "", "period=4"]


def test_json_and_back(spec):
    base = spec(schedule={"kind": "step", "at": [1], "factor": 0.1})
    assert RunSpec.from_dict(json.loads(json.dumps(base.to_dict()))) == base


def test_a_spec_cannot_change(spec):
    with pytest.raises(dataclasses.FrozenInstanceError):
        spec().lr = 1


@pytest.mark.parametrize(("k", "mu"), [(1, 0.0), (2, 0.9), (8, 0.9), (16, 0.5), (64, 0.0)])
def test_stability_bound_by_simulation(k, mu):
    """Just inside the bound the learners come together with z, just outside they fly apart."""

    def distance(alpha):
        rng = np.random.default_rng(0)
        w = rng.normal(size=k)
        z = z_before = 0.0
        for _ in range(4000):
            c = alpha * (w - z)
            w = w - c
            z, z_before = z + c.sum() + mu * (z - z_before), z
        return np.abs(w - z).max()

    bound = stability_bound(k, mu)
    with np.errstate(over="ignore", invalid="ignore"):
        assert distance(bound * 0.98) < 1e-3
        assert not distance(bound * 1.02) < 1e3
