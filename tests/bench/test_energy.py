"""Energy is the integral of power: against curves whose integral is known."""

import numpy as np
import pandas as pd
import pytest

from bench.energy import integral, of_run

SPEC = {"device_type": "cuda", "devices": 1}
T = np.arange(0.05, 40, 0.1)


def epochs(*ends, lead=0.0):
    """Epochs of 100 images with 1 s of evaluation that end at these seconds of the run's clock."""
    rows, before, train_s = [], lead, 0.0
    for number, end in enumerate(ends, 1):
        train_s += end - before - 1
        rows.append({"wall_s": end, "train_s": train_s, "eval_s": 1.0 * number})
        rows[-1]["images"] = 100.0 * number
        before = end
    return rows


def outcome(wall_s=40.0, carried_s=0.0, status="finished"):
    return {"status": status, "wall_s": wall_s, "carried_s": carried_s}


@pytest.fixture
def sampled(tmp_path):
    """Telemetry of GPUs with these powers over time, and a process tree that has none."""

    def write(*powers, t_s=T):
        parts = [pd.DataFrame({"t_s": t_s, "device": "cpu", "power_w": np.nan})]
        for index, power in enumerate(powers):
            watts = np.broadcast_to(power(t_s), t_s.shape)
            parts.append(pd.DataFrame({"t_s": t_s, "device": f"cuda:{index}", "power_w": watts}))
        pd.concat(parts).sort_values("t_s", kind="stable").to_csv(tmp_path / "telemetry.csv")
        return tmp_path

    return write


def constant(watts):
    return lambda t_s: np.full_like(t_s, watts)


@pytest.mark.parametrize(
    ("power", "joules"),
    [
        (lambda t: 300 + 0 * t, lambda t: 300 * t),
        (lambda t: 100 + 20 * t, lambda t: 100 * t + 10 * t**2),
        (lambda t: 400 + 100 * np.sin(t), lambda t: 400 * t - 100 * np.cos(t)),
        (lambda t: 700 * np.exp(-t / 5), lambda t: -3500 * np.exp(-t / 5)),
    ],
)
def test_the_integral_is_the_analytic_one(power, joules):
    for start, end in [(0.1, 39.8), (3.21, 17.77), (12.0, 12.03)]:
        found = integral(T, power(T), start, end)
        assert found == pytest.approx(joules(end) - joules(start), rel=1e-3)


def test_samples_at_irregular_times_weigh_by_their_distance():
    t_s = np.array([0.0, 0.1, 0.2, 2.0, 2.1, 4.0])
    assert integral(t_s, 10 * t_s, 0, 4) == pytest.approx(80)


@pytest.mark.parametrize(
    ("t_s", "start", "end"),
    [
        (T[:0], 0, 1),
        (T, -3, 10),  # power before the first sample
        (T, 10, 45),  # after the last
        (T[(T < 10) | (T > 20)], 5, 25),
        (T[(T < 10) | (T > 20)], 12, 18),  # within a gap
    ],
)
def test_what_was_not_sampled_is_not_made_up(t_s, start, end):
    assert integral(t_s, 0 * t_s, start, end) is None


def test_the_whole_run_and_its_epochs(sampled):
    folder = sampled(lambda t: 100 + 20 * t)
    found = of_run(folder, SPEC, outcome(), epochs(20.0, 30.0, lead=10.0))
    assert found["energy_j"] == pytest.approx(100 * 40 + 10 * 40**2, rel=1e-3)
    assert found["joules_per_image"] == pytest.approx((100 * 20 + 10 * (900 - 100)) / 200, rel=1e-3)


def test_only_the_devices_of_the_run_count(sampled):
    folder = sampled(constant(100.0), constant(50.0), constant(1000.0))
    found = of_run(folder, SPEC | {"devices": 2}, outcome(), epochs(20.0, lead=10.0))
    assert found["energy_j"] == pytest.approx(150 * 40)
    assert found["joules_per_image"] == pytest.approx(150 * 10 / 100)


def test_a_device_without_power_leaves_the_energy_open(sampled):
    folder = sampled(constant(100.0), constant(np.nan))
    two = of_run(folder, SPEC | {"devices": 2}, outcome(), epochs(20.0, lead=10.0))
    assert set(two.values()) == {None}
    assert of_run(folder, SPEC, outcome(), epochs(20.0))["energy_j"] == pytest.approx(4000)


def test_single_samples_without_power_are_bridged(sampled):
    folder = sampled(lambda t: np.where(np.arange(len(t)) % 7 == 3, np.nan, 100 + 20 * t))
    found = of_run(folder, SPEC, outcome(), epochs(20.0, lead=10.0))
    assert found["energy_j"] == pytest.approx(100 * 40 + 10 * 40**2, rel=1e-3)


def test_a_resumed_run_has_the_energy_of_its_last_attempt_per_image_alone(sampled):
    # The first attempt took 25 s up to the checkpoint of its second epoch; telemetry began anew.
    folder = sampled(lambda t: 100 + 20 * t)
    rows = epochs(12.0, 24.0, lead=2.0)
    for end in (45.0, 57.0):  # 20 and 32 s into the attempt, after 10 s of setting up again
        last = rows[-1]
        rows.append({"wall_s": end, "images": last["images"] + 100, "eval_s": last["eval_s"] + 1})
        rows[-1]["train_s"] = last["train_s"] + (9.0 if end == 45.0 else 11.0)
    found = of_run(folder, SPEC, outcome(65.0, carried_s=25.0), rows)
    assert found["energy_j"] is None
    expected = (100 * (32 - 10) + 10 * (32**2 - 10**2)) / 200
    assert found["joules_per_image"] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("spec", "status"),
    [
        (SPEC | {"device_type": "cpu"}, outcome()),
        (SPEC, outcome(status="failed")),  # of what attempt its epochs are is not known
        (SPEC, outcome(status="out_of_memory")),
        (SPEC, {"status": "finished", "wall_s": 40.0}),  # of a run before the clocks agreed
    ],
)
def test_where_it_cannot_be_told_it_is_empty(sampled, spec, status):
    found = of_run(sampled(constant(100.0)), spec, status, epochs(20.0))
    assert set(found.values()) == {None}


def test_a_run_without_an_epoch_has_no_joules_per_image(sampled):
    found = of_run(sampled(constant(100.0)), SPEC, outcome(), [])
    assert found == {"energy_j": pytest.approx(4000), "joules_per_image": None}


def test_telemetry_without_a_row_is_no_power(tmp_path):
    (tmp_path / "telemetry.csv").write_text("run,t_s,device,power_w\n")
    assert set(of_run(tmp_path, SPEC, outcome(), epochs(20.0)).values()) == {None}
