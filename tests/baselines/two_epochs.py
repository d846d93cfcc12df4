"""Two epochs of a system, unbroken and resumed after the first, each rank a process of its own."""

import functools
import pkgutil

import numpy as np

from bench.clock import Ledger
from bench.ranks import on_devices
from bench.system import Context


def two_epochs(system, spec, records, weights, folder):
    """What each rank has after two epochs of `spec`: a list of dicts of arrays, one per rank.

    They are of the unbroken run: its state, `losses` of every step, `logits` of the model that
    counts, and `sent_bytes` of both epochs. The resumed run had to be the same, on CPUs to the bit.
    """
    folder.mkdir()
    context = functools.partial(
        Context, spec=spec, records=records, weights=weights, out=folder, ranks=spec.devices
    )
    on_devices(spec, functools.partial(_train, system=system, context=context))
    return [dict(np.load(folder / f"{rank}.npz")) for rank in range(spec.devices)]


def _train(rank, system, context):
    build = pkgutil.resolve_name(system)
    unbroken, resumed = (build(context(rank=rank)) for _ in range(2))
    unbroken.prepare(Ledger())
    results = [unbroken.train_epoch(0)]
    state = {name: np.copy(array) for name, array in unbroken.state().items()}
    results.append(unbroken.train_epoch(1))
    resumed.prepare(Ledger())
    resumed.load_state(state)
    resumed.train_epoch(1)
    arrays = unbroken.state() | {"logits": unbroken.logits()}
    exact = unbroken.device.type == "cpu"  # a GPU may sum in another order each time
    rtol, atol = (0, 0) if exact else (1e-5, 1e-6)
    for name, array in (resumed.state() | {"logits": resumed.logits()}).items():
        np.testing.assert_allclose(array, arrays[name], rtol, atol, err_msg=name)
    losses = np.concatenate([result.losses for result in results])
    sent = sum(result.sent_bytes for result in results)
    np.savez(context().out / f"{rank}.npz", losses=losses, sent_bytes=sent, **arrays)
