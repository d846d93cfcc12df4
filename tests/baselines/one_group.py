"""Many systems trained one after the other in one group of processes, which is what takes long."""

import functools
import importlib

import numpy as np

from baselines.served_training import connected
from bench.clock import Ledger
from bench.system import Context

CLASSES = {
    "pytorch": "baselines.pytorch_ssgd:PyTorchSSGD",
    "local-sgd": "baselines.local_sgd:LocalSGD",
    "post-local-sgd": "baselines.post_local_sgd:PostLocalSGD",
    "eamsgd": "baselines.eamsgd:EAMSGD",
    "polyak": "baselines.polyak:Polyak",
    "bmuf": "baselines.bmuf:BlockMomentum",
    "diloco": "baselines.diloco:DiLoCo",
    "lars": "baselines.lars:PyTorchLARS",
    "lamb": "baselines.lamb:PyTorchLAMB",
    "one-bit": "baselines.one_bit:OneBitSGD",
    "topk": "baselines.topk:TopK",
    "powersgd": "baselines.powersgd:PowerSGD",
    "sufficient-factors": "baselines.sufficient_factors:SufficientFactors",
    "downpour": "baselines.downpour:Downpour",
    "ssp": "baselines.ssp:StaleSynchronous",
    "hogwild": "baselines.hogwild:Hogwild",
    "zero": "baselines.zero:Zero",
    "fsdp": "baselines.fsdp:FSDP",
    "noise-scale": "baselines.noise_scale:NoiseScale",
    "ones": "baselines.ones:ONES",
}


def trained(cells, train, records, weights, folder):
    """What `train(system)`, a dict of arrays, gives on each rank: a list of them for each cell.

    Cells are specs on the same number of devices; their systems are prepared.
    """
    work = functools.partial(
        _train, cells=cells, train=train, records=records, weights=weights, folder=folder
    )
    connected(cells[0], work)
    return [
        [dict(np.load(folder / f"{place}-{rank}.npz")) for rank in range(cell.devices)]
        for place, cell in enumerate(cells)
    ]


def _train(rank, cells, train, records, weights, folder):
    for place, cell in enumerate(cells):
        module, _, name = CLASSES[cell.system].partition(":")
        system = getattr(importlib.import_module(module), name)(
            Context(
                spec=cell, records=records, weights=weights, out=folder, rank=rank,
                ranks=cell.devices,
            )
        )  # fmt: skip
        system.prepare(Ledger())
        np.savez(folder / f"{place}-{rank}.npz", **train(system))
