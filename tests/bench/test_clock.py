import time

import pytest

from bench.clock import Ledger


@pytest.fixture
def now(monkeypatch):
    """A clock that the test sets."""
    reading = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: reading[0])
    return reading


def test_every_second_belongs_to_one_phase(now):
    ledger = Ledger(started=90.0)
    ledger.switch("train")
    now[0] = 103.0
    with ledger.phase("eval"):
        now[0] = 104.0
    now[0] = 106.0
    ledger.switch("other")
    assert ledger.seconds["setup"] == 10
    assert ledger.seconds["train"] == 5
    assert ledger.seconds["eval"] == 1
    assert ledger.total == 16


def test_the_device_is_drained_before_the_clock_is_read(now):
    def drain():
        now[0] += 2.0  # work that was queued and not done yet

    ledger = Ledger(drain)
    ledger.switch("train")
    ledger.switch("eval")
    assert ledger.seconds["train"] == 2


def test_an_exception_closes_its_phase(now):
    ledger = Ledger()
    with pytest.raises(RuntimeError), ledger.phase("eval"):
        now[0] += 1
        raise RuntimeError
    now[0] += 4
    ledger.switch("other")
    assert (ledger.seconds["eval"], ledger.seconds["setup"]) == (1, 4)


def test_unknown_phase_is_refused():
    with pytest.raises(ValueError, match="use one of setup"):
        Ledger().switch("coffee")
