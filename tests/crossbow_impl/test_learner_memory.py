"""Memory of learners: it may run out while their number grows, and how much one takes."""

import gc

import numpy as np
import pytest
import torch
from marks import needs_cuda


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


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize("graph", [False, True])
def test_memory_per_learner(graph, crossbow):
    def trained(m):
        gc.collect()  # systems of other tests, in cycles, would count in the peak
        others = torch.cuda.memory_allocated()  # so would what the compiler keeps of them
        result = crossbow(
            model="resnet32", learners=m, batch=32, device_type="cuda", graph=graph
        ).train_epoch(0)
        return result, result.memory_bytes - others

    (few, few_bytes), (many, many_bytes) = trained(2), trained(6)
    assert many_bytes > few_bytes > 0
    weights = 3 * 4 * 466_906  # three rows of float32: model, momentum, gradient
    assert many.learner_memory_bytes > weights
    np.testing.assert_allclose(many.learner_memory_bytes, few.learner_memory_bytes, rtol=0.5)
