"""Two epochs of an asynchronous system whose devices take turns, unbroken and resumed."""

import functools
import pkgutil

import numpy as np
import torch.distributed as dist

from baselines.served_training import connected
from bench.clock import Ledger
from bench.system import Context


def two_epochs_in_turns(system, spec, records, weights, folder):
    """What each rank has after two epochs of `spec`: a list of dicts of arrays, one per rank.

    They are of the unbroken run: its state, `losses` of every step, `logits`, `sent_bytes` and mean
    `staleness`. The resumed run had to be the same, but for the order of an epoch's last sums.
    """
    folder.mkdir()
    context = functools.partial(
        Context, spec=spec, records=records, weights=weights, out=folder, ranks=spec.devices
    )
    connected(spec, functools.partial(_train, system=system, context=context))
    return [dict(np.load(folder / f"{rank}.npz")) for rank in range(spec.devices)]


def in_turns(base):
    """A system's class that lets one rank after the other go on."""
    # A server's workers compute at the same time, and then meet it; Hogwild's whole step updates.
    method = "_step" if base.__name__ == "Hogwild" else "after_step"

    def turns(self):
        for rank in range(self.ranks):
            if rank == self.rank:
                getattr(base, method)(self)
            if self.ranks > 1:
                dist.barrier()

    return type(f"{base.__name__}InTurns", (base,), {method: turns})


def _train(rank, system, context):
    build = in_turns(pkgutil.resolve_name(system))
    unbroken = build(context(rank=rank))
    unbroken.prepare(Ledger())
    results = [unbroken.train_epoch(0)]
    state = {name: np.copy(array) for name, array in unbroken.state().items()}
    results.append(unbroken.train_epoch(1))
    arrays = unbroken.state() | {"logits": unbroken.logits()}
    resumed = build(context(rank=rank))
    resumed.prepare(Ledger())
    resumed.load_state(state)
    resumed.train_epoch(1)
    for name, array in resumed.state().items():
        np.testing.assert_allclose(array, arrays[name], rtol=1e-5, atol=1e-6, err_msg=name)
    np.savez(
        context().out / f"{rank}.npz",
        losses=np.concatenate([result.losses for result in results]),
        sent_bytes=sum(result.sent_bytes for result in results),
        staleness=np.mean([result.staleness or 0 for result in results]),
        **arrays,
    )
