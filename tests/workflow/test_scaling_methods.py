"""The configs that put all methods on one page have all of them, on a CPU at sizes for CI."""

from suite import REPOSITORY

from bench.systems import CPU_ONLY, KERAS, SYSTEMS
from workflows.plan import plan
from workflows.read_config import read_config


def planned(name):
    return plan(read_config(REPOSITORY / f"workflows/config/{name}.yaml")).runs.values()


RUNS = planned("scaling-methods")


def test_every_system_is_there():
    assert {spec.system for spec in RUNS} == set(SYSTEMS)


def test_two_gpus_have_every_system_of_torch_that_runs_there():
    runs = planned("scaling-methods-gpu-2")
    assert {spec.system for spec in runs} == set(SYSTEMS) - KERAS - CPU_ONLY
    assert {(spec.device_type, spec.devices) for spec in runs} == {("cuda", 2)}


def test_it_runs_on_two_cores():
    assert {(spec.device_type, spec.devices, spec.dataset) for spec in RUNS} == {
        ("cpu", 2, "digits")
    }


def test_linear_scaling_has_the_rate_that_its_batch_asks_for():
    rates = {spec.batch: spec.lr for spec in RUNS if spec.system == "pytorch"}
    assert rates[64] / rates[16] == 64 / 16
