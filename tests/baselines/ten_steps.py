"""Ten steps of a system, and how far two forms of one may be apart in them."""

import numpy as np
from steps import steps

TEN = 10


def ten_steps(system, spec, digits, weights, folder, **environment):
    """What each rank computed, as of `steps`."""
    samples = TEN * spec.batch * spec.devices
    return steps(system, spec, digits, weights(spec.model), samples, folder, **environment)


def assert_rounded(rounded, plain, by):
    """Losses that differ by more than `by`, and by no more than rounding can."""
    np.testing.assert_allclose(rounded, plain, rtol=1e-2)
    assert np.abs(rounded / plain - 1).max() > by
