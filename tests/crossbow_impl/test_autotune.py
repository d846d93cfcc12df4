import numpy as np
import pytest

from crossbow_impl.autotune import DWELL, SAMPLES, WARM_UP, AutoTuner, most_learners


def tune(throughput, most=16, noise=lambda sample: 1.0):
    """Feed the tuner a machine's throughput by number of learners until it settles."""
    tuner, decisions, sample = AutoTuner(most), [], 0
    while not tuner.settled:
        decisions.append(tuner.observe(throughput(tuner.learners) * noise(sample)))
        sample += 1
        assert sample < 1000
    return tuner.learners, [decision for decision in decisions if decision != "wait"]


def test_grows_while_it_pays_and_takes_back_what_did_not():
    learners, decisions = tune(lambda m: min(m, 8) * 100.0)
    assert learners == 8
    assert decisions == ["grow"] * 4 + ["shrink"]  # 1, 2, 4, 8, 16, and back to 8


def test_one_learner_where_more_do_not_pay():
    assert tune(lambda m: 100.0) == (1, ["grow", "shrink"])


def test_stops_at_the_most():
    assert tune(lambda m: m * 100.0, most=5) == (5, ["grow"] * 3 + ["settle"])


def test_a_rise_below_the_threshold_does_not_pay():
    assert tune(lambda m: 100.0 * 1.02**m)[0] == 1
    assert tune(lambda m: 100.0 * 1.04**m, most=4)[0] == 4


@pytest.mark.parametrize(
    "curve",
    [
        # Images per second by learners of ResNet-32 on an H200, b=16 and b=64, in earlier runs.
        {
            1: 11714,
            2: 19202,
            4: 33110,
            6: 44330,
            9: 56731,
            13: 66088,
            19: 72434,
            28: 74835,
            32: 75014,
        },
        {1: 34804, 2: 53861, 4: 74585, 6: 82937, 9: 88094, 13: 89073, 32: 89000},
    ],
)
def test_within_five_percent_of_the_best(curve):
    def throughput(m):
        return float(np.interp(m, list(curve), list(curve.values())))

    chosen, _ = tune(throughput, most=32, noise=lambda sample: 1 + 0.01 * np.sin(sample))
    assert throughput(chosen) >= 0.95 * max(curve.values())


@pytest.mark.parametrize("fit", range(1, 20))
def test_finds_how_many_fit(fit):
    tuner, paid = AutoTuner(32), 1
    while not tuner.settled:
        tuner.observe(tuner.learners * 100.0)
        while tuner.learners > fit:
            tuner.did_not_fit(paid)
        paid = tuner.learners
    assert tuner.learners == fit


def test_stays_where_an_attempt_leaves_no_room_for_as_many_as_before():
    tuner = AutoTuner(32)
    while tuner.learners < 16:
        tuner.observe(tuner.learners * 100.0)
    tuner.did_not_fit(4)
    assert tuner.settled and tuner.learners == 4


def test_a_slow_first_sample_and_one_outlier_do_not_mislead():
    def noise(sample):  # the first after each change is slow, and one of the rest is an outlier
        return {0: 0.1, 1: 3.0}.get(sample % (WARM_UP + SAMPLES), 1.0)

    assert tune(lambda m: min(m, 4) * 100.0, noise=noise)[0] == 4


def test_state_and_back():
    tuner = AutoTuner(8)
    for sample in range(WARM_UP + SAMPLES + 2):
        tuner.observe(100.0 + sample)
    again = AutoTuner(8)
    again.load_state(tuner.state())
    assert vars(again) == vars(tuner)
    assert again.observe(500.0) == tuner.observe(500.0)


@pytest.mark.parametrize(
    ("fields", "samples", "most"),
    [
        ({"batch": 16}, 10**6, 32),
        ({"batch": 16}, 16 * DWELL * 3, 3),
        ({"batch": 16, "devices": 2}, 16 * DWELL * 3, 1),
        ({"batch": 16, "alpha": 0.3}, 10**6, 10),  # bound 3.8 / (k + 1.9) exceeds 0.3 up to k = 10
        ({"batch": 16}, 10, 1),
    ],
)
def test_the_most_that_tuning_may_try(fields, samples, most, spec):
    assert most_learners(spec(learners="auto", **fields), samples) == most
