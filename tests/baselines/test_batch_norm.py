"""The model that counts has the mean of the batch-norm statistics there are."""

import functools
import pkgutil
from pathlib import Path

import numpy as np
import pytest

from baselines.served_training import connected
from bench.clock import Ledger
from bench.system import Context
from data_prep.records import open_records
from models.weights import export

NETWORK = str(Path(__file__).parent / "normed.py")
STATISTICS = ("2.running_mean", "2.running_var")
FIELDS = {"model": "normed", "model_source": NETWORK, "devices": 2, "batch": 8, "epochs": 1}
OF_DEVICES = {
    "local-sgd": ("baselines.local_sgd:LocalSGD", {"period": 3}),
    "post-local-sgd": ("baselines.post_local_sgd:PostLocalSGD", {"period": 3}),
    "eamsgd": ("baselines.eamsgd:EAMSGD", {"period": 3}),
    "bmuf": ("baselines.bmuf:BlockMomentum", {"period": 3}),
    "diloco": ("baselines.diloco:DiLoCo", {"period": 3}),
    "downpour": ("baselines.downpour:Downpour", {}),
    "ssp": ("baselines.ssp:StaleSynchronous", {}),
    "hogwild": ("baselines.hogwild:Hogwild", {}),
}
ITERATIONS = 10


def noted(base):
    """The class, which notes its model's statistics after each iteration."""

    class Noted(base):
        def __init__(self, context):
            super().__init__(context)
            self.noted = {name: [] for name in STATISTICS}

        def after_step(self):
            for name, values in self.noted.items():
                values.append(self.model.get_buffer(name).numpy().copy())
            super().after_step()

    return Noted


def train(rank, system, context):
    trained = noted(pkgutil.resolve_name(system))(context(rank=rank))
    trained.prepare(Ledger())
    trained.train_epoch(0)
    arrays = {f"own.{name}": np.stack(values) for name, values in trained.noted.items()}
    counted = dict(getattr(trained.tested, "module", trained.tested).named_buffers())
    arrays |= {f"counted.{name}": counted[name].numpy() for name in STATISTICS}
    np.savez(context().out / f"{rank}.npz", **arrays)


def ranks_of(system, cell, digits, first, folder):
    """By rank: `own` statistics [iterations, features], and those that are `counted` [features]."""
    records = first(open_records(digits), ITERATIONS * cell.devices * cell.batch)
    weights = folder / "weights.npz"
    export(cell.model, records.shape, records.classes, 1, weights, NETWORK)
    context = functools.partial(
        Context, spec=cell, records=records, weights=weights, out=folder, ranks=cell.devices
    )
    connected(cell, functools.partial(train, system=system, context=context))
    return [dict(np.load(folder / f"{rank}.npz")) for rank in range(cell.devices)]


@pytest.mark.parametrize("system", OF_DEVICES)
def test_statistics_are_the_mean_of_the_devices(system, spec, digits, first, tmp_path):
    module, method = OF_DEVICES[system]
    ranks = ranks_of(module, spec(system, method=method, **FIELDS), digits, first, tmp_path)
    for name in STATISTICS:
        own = np.stack([rank[f"own.{name}"][-1] for rank in ranks])
        assert np.abs(own[0] - own[1]).max() > 1e-3  # each has seen other images
        for rank in ranks:
            np.testing.assert_allclose(rank[f"counted.{name}"], own.mean(0), rtol=1e-5)


@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_statistics_are_averaged_like_the_iterates(decay, spec, digits, first, tmp_path):
    cell = spec("polyak", method={"start": 0.5, "decay": decay}, **FIELDS)
    rank, _ = ranks_of("baselines.polyak:Polyak", cell, digits, first, tmp_path)
    for name in STATISTICS:
        own = rank[f"own.{name}"][5:]
        expected = own[0]
        for iterates, statistic in enumerate(own[1:], start=1):
            kept = decay or iterates / (iterates + 1)
            expected = kept * expected + (1 - kept) * statistic
        assert np.abs(expected - own[-1]).max() > 1e-3
        np.testing.assert_allclose(rank[f"counted.{name}"], expected, rtol=1e-5)
