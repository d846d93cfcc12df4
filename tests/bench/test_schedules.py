import pytest

from bench.schedules import describe, drops_between, learning_rate

STEP = {"kind": "step", "at": [2, 4], "factor": 0.1}


def test_step_drops_at_its_epochs():
    rates = [learning_rate(STEP, 1.0, position, 6) for position in (0, 1.99, 2, 3.9, 4, 5)]
    assert rates == pytest.approx([1, 1, 0.1, 0.1, 0.01, 0.01])


def test_a_step_after_the_warm_up_falls_from_the_peak():
    """Goyal et al. 2017: up to the peak in the first epochs, which then drops at those in `at`."""
    schedule = {**STEP, "warmup": 0.25}
    rates = [learning_rate(schedule, 1.0, position, 6) for position in (0, 0.75, 1.5, 1.99, 2, 4)]
    assert rates == pytest.approx([0, 0.5, 1, 1, 0.1, 0.01])


def test_one_cycle_rises_and_falls_linearly():
    cycle = {"kind": "one-cycle", "warmup": 0.2}
    rates = [learning_rate(cycle, 1.0, position, 10) for position in (0, 1, 2, 6, 10)]
    assert rates == pytest.approx([0, 0.5, 1, 0.5, 0])


def test_cosine_is_half_way_at_half_time():
    rates = [learning_rate({"kind": "cosine"}, 2.0, position, 10) for position in (0, 5, 10)]
    assert rates == pytest.approx([2, 1, 0])


def test_constant_is_constant():
    assert learning_rate({"kind": "constant"}, 0.3, 7.2, 8) == 0.3


def test_only_a_step_drops():
    assert drops_between(STEP, 1.9, 2.0)
    assert not drops_between(STEP, 2.0, 2.1)
    assert not drops_between({"kind": "cosine"}, 0, 9)


def test_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="constant, step"):
        learning_rate({"kind": "magic"}, 1, 0, 1)


def test_description_fits_a_table():
    assert describe(STEP) == "step(at=[2, 4], factor=0.1)"
    assert describe({"kind": "constant"}) == "constant"


@pytest.mark.parametrize("kind", ["cosine", "one-cycle", "step"])
def test_linear_scaling_has_a_gradual_warm_up(kind):
    """Goyal et al. 2017, section 2.2: k times the batch, a rate that rises evenly to k times lr."""
    k, lr, epochs, warm = 8, 0.1, 20, 5
    positions = [quarter / 4 for quarter in range(4 * epochs)]
    schedule = (STEP | {"at": [10, 15]} if kind == "step" else {"kind": kind}) | {
        "warmup": warm / epochs
    }
    rates = [learning_rate(schedule, k * lr, position, epochs) for position in positions]
    rising, falling = rates[: 4 * warm + 1], rates[4 * warm :]
    assert rising == pytest.approx([k * lr * step / (4 * warm) for step in range(4 * warm + 1)])
    assert max(rates) == pytest.approx(k * lr) and falling == sorted(falling, reverse=True)
