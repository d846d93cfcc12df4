"""The config that puts all methods on one page has all of them, and at sizes for CI."""

from suite import REPOSITORY

from bench.systems import SYSTEMS
from workflows.plan import plan
from workflows.read_config import read_config

RUNS = plan(read_config(REPOSITORY / "workflows/config/scaling-methods.yaml")).runs.values()


def test_every_system_is_there():
    assert {spec.system for spec in RUNS} == set(SYSTEMS)


def test_it_runs_on_two_cores():
    assert {(spec.device_type, spec.devices, spec.dataset) for spec in RUNS} == {
        ("cpu", 2, "digits")
    }


def test_linear_scaling_has_the_rate_that_its_batch_asks_for():
    rates = {spec.batch: spec.lr for spec in RUNS if spec.system == "pytorch"}
    assert rates[64] / rates[16] == 64 / 16
