"""Crossbow whose number of learners is tuned: what it leaves behind, and that devices agree."""

import json

import numpy as np
import pytest
import torch
from marks import needs_cuda
from steps import steps
from torch._dynamo.utils import counters

from bench.clock import Ledger
from bench.ranks import on_devices
from bench.record import AUTOTUNE, AUTOTUNE_COLUMNS, read_table
from bench.system import Context
from crossbow_impl.autotune import DWELL, SAMPLES, WARM_UP
from crossbow_impl.train import Crossbow
from data_prep.records import open_records


def test_tuning_leaves_its_trace(device_type, crossbow, tmp_path, monkeypatch):
    system = crossbow(learners="auto", batch=4, device_type=device_type)
    # Every sample takes one second, so that more learners do more images in it.
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    for epoch in range(12):
        learners = system.train_epoch(epoch).learners
    trace = read_table(tmp_path / AUTOTUNE)
    assert list(trace[0]) == AUTOTUNE_COLUMNS
    assert learners >= 8
    numbers = list(dict.fromkeys(int(row["learners"]) for row in trace))
    assert numbers[:4] == [1, 2, 4, 8]
    assert system.iteration.k == len(system.learners.w) == learners
    costs = [float(row["tuning_s"]) for row in trace]
    assert costs == sorted(costs) and costs[-1] > costs[0]


def test_tuning_goes_on_from_a_state(crossbow):
    system = crossbow(learners="auto", batch=4)
    for epoch in range(3):
        system.train_epoch(epoch)
    again = crossbow(learners="auto", batch=4)
    again.load_state(system.state())
    assert again.trace == system.trace
    assert again.iteration.k == system.iteration.k


@pytest.mark.parametrize(
    "engine",
    [
        pytest.param({}, id="cpu"),
        *(
            pytest.param(
                {"device_type": "cuda", **form}, id=name, marks=[pytest.mark.gpu, needs_cuda]
            )
            for name, form in {
                "streams": {},
                "graph": {"graph": True},
                "unrolled": {"graph": True, "unroll": 4},
            }.items()
        ),
    ],
)
@pytest.mark.parametrize(("before", "m"), [(2, 4), (6, 3)])
def test_as_many_learners_as_from_the_start_train_alike(engine, before, m, crossbow):
    """Nothing of another number is left: alpha, the batches, what was captured."""
    changed, fixed = crossbow(learners=before, **engine), crossbow(learners=m, **engine)
    assert changed.resize(m)
    results = [system.train_epoch(0) for system in (changed, fixed)]
    np.testing.assert_allclose(results[0].losses, results[1].losses, rtol=1e-4)
    torch.testing.assert_close(changed.iteration.z, fixed.iteration.z, rtol=1e-4, atol=1e-5)


def test_nothing_is_compiled_while_learners_are_tuned(crossbow, monkeypatch):
    torch.compiler.reset()
    system = crossbow(learners="auto", batch=4, compile=True)
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    graphs = counters["stats"]["unique_graphs"]
    assert graphs > 0
    for epoch in range(4):
        system.train_epoch(epoch)
    assert len(system.learners) >= 8
    for m in (7, 3):  # as where no more fit
        system.resize(m)
        system.train_epoch(4)
    assert counters["stats"]["unique_graphs"] == graphs


def test_rate_of_an_epoch_is_its_last_also_when_tuning_ends_it(crossbow):
    """A new number of learners is tried on the images of epoch 0."""
    batch = 44  # of which an epoch has as many iterations as the tuner's first decision takes
    system = crossbow(
        learners="auto", batch=batch, epochs=3, schedule={"kind": "one-cycle"}, lr=0.3
    )
    result = system.train_epoch(1)
    iterations = (WARM_UP + SAMPLES) * DWELL
    assert len(result.losses) == iterations and result.learners == 2
    position = 1 + (iterations - 1) * batch / system.feed.samples
    assert result.lr == pytest.approx(0.3 * (1 - position / 3))


def test_devices_whose_rates_and_memory_differ_have_as_many_learners(
    spec, digits, weights, tmp_path
):
    """By rank 1's own clock a second learner would not pay, and more than five do not fit there."""
    cell = spec(learners="auto", batch=4, devices=2)
    records, path = open_records(digits), weights("logistic")

    def work(rank):
        system = Crossbow(
            Context(spec=cell, records=records, weights=path, out=tmp_path, rank=rank, ranks=2)
        )
        system.prepare(Ledger())
        prepare = system.engine.prepare

        def five_fit(programs):
            if rank == 1 and len(system.learners) > 5:
                raise torch.OutOfMemoryError("CUDA out of memory")
            prepare(programs)

        system.engine.prepare = five_fit
        system.engine.seconds = lambda start, end: float(len(system.learners) if rank else 1)
        for epoch in range(4):
            system.train_epoch(epoch)
        assert (len(system.learners), system.tuning.settled) == (5, True)

    on_devices(cell, work)


@pytest.mark.parametrize(
    "form",
    [
        pytest.param({}, id="cpus"),
        pytest.param(
            {"device_type": "cuda", "graph": True}, id="gpus", marks=[pytest.mark.gpu, needs_cuda]
        ),
    ],
)
def test_devices_tune_together(form, spec, digits, weights, tmp_path):
    """By the clock, so how many learners there are in the end is not known."""
    if form and torch.cuda.device_count() < 2:
        pytest.skip("needs two CUDA devices: run `make gpu-test` where there are")
    cell = spec(learners="auto", batch=4, devices=2, epochs=4, **form)
    crossbow, path = "crossbow_impl.train:Crossbow", weights("logistic")
    ranks = steps(crossbow, cell, digits, path, 1437, tmp_path / "run")
    assert np.array_equal(ranks[0]["z"], ranks[1]["z"])
    assert ranks[0]["w"].shape == ranks[1]["w"].shape
    traces = [json.loads(str(rank["loop"]))["tuning"]["trace"] for rank in ranks]
    alike = ("iteration", "learners", "images_per_s", "decision")
    assert len(traces[0]) > WARM_UP + SAMPLES
    for one, other in zip(*traces, strict=True):
        assert [one[name] for name in alike] == [other[name] for name in alike]
