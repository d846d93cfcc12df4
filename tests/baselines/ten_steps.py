"""Ten steps of a system, and how far two forms of one may be apart in them."""

import json

import numpy as np
from steps import steps

TEN = 10


def ten_steps(system, spec, digits, weights, folder, **environment):
    """What each rank computed, as of `steps`."""
    samples = TEN * spec.batch * spec.devices
    return steps(system, spec, digits, weights(spec.model), samples, folder, **environment)


def ten_steps_once(system, digits, weights, tmp_path_factory):
    """A function from a spec to the losses of ten steps and the status; each is trained once."""
    known = {}

    def of(spec):
        if spec.id not in known:
            folder = tmp_path_factory.mktemp("steps") / "run"
            losses = ten_steps(system, spec, digits, weights, folder)[0]["losses"]
            known[spec.id] = losses, json.loads((folder / "status.json").read_text())
        return known[spec.id]

    return of


def assert_rounded(rounded, plain, by):
    """Losses that differ by more than `by`, and by no more than rounding can."""
    np.testing.assert_allclose(rounded, plain, rtol=1e-2)
    assert np.abs(rounded / plain - 1).max() > by
