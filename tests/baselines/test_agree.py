"""Ranks that agree have met: none goes on before the others have come.

On CPUs a broadcast of gloo's waits for the others too; NCCL's, on GPUs, may not.
"""

import functools
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


def meet(rank, build, said, cell, records, weights, folder):
    """One rank, of which the second is late."""
    context = Context(
        spec=cell, records=open_records(records), weights=weights, out=folder,
        rank=rank, ranks=cell.devices,
    )  # fmt: skip
    system = build(context)
    system.prepare(Ledger())
    system.agree(False)
    if rank:
        time.sleep(LATE_S)
        (folder / "came").write_text(str(time.monotonic()))
    assert system.agree(said if rank == 0 else not said) is said
    if rank == 0:
        assert time.monotonic() > float((folder / "came").read_text())


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
    run = {"cell": cell, "records": digits, "weights": weights("lenet"), "folder": tmp_path}
    on_devices(cell, functools.partial(meet, build=build, said=said, **run))
