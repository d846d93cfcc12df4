"""Crossbow whose number of learners is tuned: what it leaves behind, and memory that runs out."""

import numpy as np
import pytest
import torch
from marks import needs_cuda
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


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 MiB"),
        RuntimeError("CUDA error: out of memory"),  # of a graph that is made ready
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate"),
    ],
    ids=str,
)
def test_one_more_learner_that_does_not_fit_is_not_a_failure(error, crossbow, monkeypatch):
    system = crossbow(learners="auto", batch=4)
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    prepare = system.engine.prepare

    def two_fit(programs):
        if len(system.learners) > 2:
            raise error
        prepare(programs)

    monkeypatch.setattr(system.engine, "prepare", two_fit)
    for epoch in range(8):
        learners = system.train_epoch(epoch).learners
    assert learners == 2
    assert system.trace[-1]["decision"] == "out_of_memory"


def test_another_failure_of_one_more_learner_is_one(crossbow, monkeypatch):
    system = crossbow(learners=1)
    monkeypatch.setattr(system.engine, "prepare", lambda programs: torch.ones(2) @ torch.ones(3))
    with pytest.raises(RuntimeError, match="inconsistent tensor size"):
        system.resize(2)


def test_tuning_ends_where_no_more_ever_fit(crossbow, monkeypatch):
    """Nor, at a second try, as many as there are: what was prepared before is in the way."""
    system, tries = crossbow(learners="auto", batch=4), []
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    monkeypatch.setattr(system, "resize", lambda m: tries.append(m) or len(tries) > 20)
    for epoch in range(8):
        learners = system.train_epoch(epoch).learners
    assert (learners, tries) == (1, [2])
    assert system.trace[-1]["decision"] == "out_of_memory"


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize("graph", [False, True])
def test_memory_that_runs_out_while_growing(graph, crossbow, monkeypatch):
    fields = {"model": "resnet32", "learners": "auto", "batch": 4, "device_type": "cuda"}
    system = crossbow(**fields, graph=graph)
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    total = torch.cuda.get_device_properties(0).total_memory
    torch.cuda.empty_cache()
    torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + 2**28) / total)
    try:
        for epoch in range(10):
            result = system.train_epoch(epoch)
            assert np.isfinite(result.losses).all()
    finally:
        torch.cuda.set_per_process_memory_fraction(1.0)
    assert 1 < result.learners < 30
    assert "out_of_memory" in {row["decision"] for row in system.trace}


def test_a_step_that_runs_out_of_memory_leaves_the_learners_as_they_were(crossbow, monkeypatch):
    system = crossbow(learners=2)
    system.train_epoch(0)
    before = {name: array.copy() for name, array in system.state().items()}

    def half_a_step(*arguments):
        system.learners.velocity.mul_(0.5)
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(system.iteration, "step_function", half_a_step)
    assert not system.replicas.resize(2, unroll=False)
    assert all(np.array_equal(before[name], array) for name, array in system.state().items())


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
