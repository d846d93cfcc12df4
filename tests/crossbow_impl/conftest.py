"""The devices on which the same tests run, and Crossbow ready to train."""

import pytest
import torch
from marks import needs_cuda

from bench.clock import Ledger
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=[pytest.mark.gpu, needs_cuda])])
def device_type(request):
    """Each kind of device."""
    return request.param


@pytest.fixture(autouse=True)
def compiles():
    """After eight kinds of input torch.compile would run code as it is, and no test could fail."""
    with torch._dynamo.config.patch(recompile_limit=100, fail_on_recompile_limit_hit=True):
        yield


@pytest.fixture
def crossbow(spec, digits, weights, tmp_path):
    """A function that makes the prepared system of a run's fields, on one device."""

    def make(**fields):
        cell = spec(**fields)
        records, path = open_records(digits), weights(cell.model)
        system = Crossbow(Context(spec=cell, records=records, weights=path, out=tmp_path))
        system.prepare(Ledger())
        return system

    return make
