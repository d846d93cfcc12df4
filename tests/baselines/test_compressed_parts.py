"""What compressing methods do with a convolution, with several buckets, with too high a rank."""

import numpy as np
import pytest
import torch
from torch import nn

from baselines import powersgd, torch_training
from baselines.one_bit import OneBitSGD
from baselines.powersgd import PowerSGD
from bench.system import Context
from data_prep.records import open_records


class Parallel(nn.Module):
    """Stands in for DistributedDataParallel, of which no process group is here."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def register_comm_hook(self, state, hook):
        pass


@pytest.fixture
def of_two(spec, digits, weights, tmp_path, monkeypatch):
    """One of two ranks of a system that trains LeNet."""
    monkeypatch.setattr(torch_training, "DistributedDataParallel", Parallel)

    def made(build, name, method):
        cell = spec(name, model="lenet", devices=2, method=method)
        return build(
            Context(
                spec=cell, records=open_records(digits), weights=weights("lenet"), out=tmp_path,
                ranks=2,
            )
        )  # fmt: skip

    return made


def test_one_bit_has_two_means_for_each_input_of_a_convolutions_outputs(of_two):
    system = of_two(OneBitSGD, "one-bit", {})
    name, weight = "3.weight", system.model.get_parameter("3.weight")
    assert weight.shape == (64, 32, 5, 5)
    gradient = torch.randn(weight.numel(), generator=torch.Generator().manual_seed(1))
    message = system.encode({name: gradient})
    columns = 32 * 5 * 5
    assert len(message) == 8 * columns + weight.numel() // 8
    decoded = torch.zeros_like(gradient)
    system.decode([message], decoded, {name: decoded})
    matrix = gradient.view(64, columns).double().numpy()
    high = np.where(matrix >= 0, matrix, np.nan)
    low = np.where(matrix < 0, matrix, np.nan)
    expected = np.where(matrix >= 0, np.nanmean(high, 0), np.nanmean(low, 0))
    np.testing.assert_allclose(decoded.view(64, columns).numpy(), expected, rtol=1e-5)


def test_a_bucket_on_a_cpu_is_done_before_the_next(monkeypatch):
    """Else gloo's threads send those of several buckets in another order on each rank."""
    waited = []

    class Future:
        def wait(self):
            waited.append(self)

    class Bucket:
        def buffer(self):
            return torch.zeros(1)

    future = Future()
    monkeypatch.setattr(powersgd, "powerSGD_hook", lambda state, bucket: future)
    assert powersgd.one_by_one(None, Bucket()) is future
    assert waited == [future]


def test_a_rank_that_makes_no_matrix_smaller_is_refused(of_two):
    with pytest.raises(ValueError, match=r"rank of 1000 .* lenet .*; use at most 102"):
        of_two(PowerSGD, "powersgd", {"rank": 1000})
    assert of_two(PowerSGD, "powersgd", {"rank": 4}).hook.matrix_approximation_rank == 4
