"""Ranks that agree have met: none goes on before the others have come."""

import time

import pytest
from marks import ON_CPUS_AND_GPUS

from baselines.pytorch_ssgd import PyTorchSSGD
from bench.clock import Ledger
from bench.ranks import on_devices
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records

LATE_S = 0.5


@pytest.mark.parametrize("where", ON_CPUS_AND_GPUS)
@pytest.mark.parametrize("said", [False, True])
@pytest.mark.parametrize(("build", "system"), [(Crossbow, "crossbow"), (PyTorchSSGD, "pytorch")])
def test_rank_0_waits_for_one_that_is_late(
    build, system, said, where, spec, digits, weights, tmp_path
):
    """Or its first epoch's clock runs while another is still prepared."""
    cell = spec(system, model="lenet", **where)
    if cell.devices == 1:
        pytest.skip("needs two CUDA devices: one waits for none")
    records, path = open_records(digits), weights("lenet")

    def work(rank):
        context = Context(
            spec=cell, records=records, weights=path, out=tmp_path, rank=rank, ranks=cell.devices
        )
        trained = build(context)
        trained.prepare(Ledger())
        trained.agree(False)
        if rank:
            time.sleep(LATE_S)
            (tmp_path / "came").write_text(str(time.monotonic()))
        answer = trained.agree(said if rank == 0 else not said)
        assert answer is said
        if rank == 0:
            assert time.monotonic() > float((tmp_path / "came").read_text())

    on_devices(cell, work)
