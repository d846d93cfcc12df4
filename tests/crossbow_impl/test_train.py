"""Crossbow as a whole on one device: tuning, restart after a checkpoint, refusals."""

import numpy as np
import pytest
import torch
import torch.distributed as dist
from marks import needs_cuda

from bench.clock import Ledger
from bench.ranks import on_devices
from bench.record import AUTOTUNE, AUTOTUNE_COLUMNS, read_table
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records


@pytest.fixture
def crossbow(spec, digits, weights, tmp_path):
    def make(**fields):
        cell = spec(**fields)
        records, path = open_records(digits), weights(cell.model)
        system = Crossbow(Context(spec=cell, records=records, weights=path, out=tmp_path))
        system.prepare(Ledger())
        return system

    return make


def test_going_on_from_a_state_is_bit_equal(device_type, crossbow):
    fields = {"model": "lenet", "learners": 3, "device_type": device_type, "epochs": 3}
    whole, before = crossbow(**fields), crossbow(**fields)
    for epoch in range(2):
        whole.train_epoch(epoch)
    before.train_epoch(0)
    after = crossbow(**fields)
    after.load_state(before.state())
    after.train_epoch(1)
    for name, array in whole.state().items():
        if device_type == "cpu":
            assert np.array_equal(array, after.state()[name]), name
        elif name != "loop":
            np.testing.assert_allclose(array, after.state()[name], rtol=1e-2, atol=1e-4)


def test_warming_up_changes_nothing(device_type, crossbow):
    system = crossbow(model="lenet", learners=2, device_type=device_type)
    before = system.state()
    system.prepare(Ledger())
    after = system.state()
    assert all(np.array_equal(before[name], after[name]) for name in before)


def test_devices_have_met_before_the_clock_runs(spec, digits, weights, tmp_path):
    """A first all-reduce makes NCCL connect, which took up to 20 s of a first epoch."""
    cell = spec(model="lenet", learners=2, devices=2)
    records, path = open_records(digits), weights("lenet")

    def work(rank):
        context = Context(
            spec=cell, records=records, weights=path, out=tmp_path, rank=rank, ranks=cell.devices
        )
        system, summed = Crossbow(context), []
        all_reduce = dist.all_reduce

        def spy(tensor, **options):
            summed.append(tensor.numel())
            return all_reduce(tensor, **options)

        dist.all_reduce = spy
        system.prepare(Ledger())
        assert system.iteration.share.numel() in summed

    on_devices(cell, work)


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


def test_more_images_an_iteration_than_there_are_is_refused(crossbow):
    with pytest.raises(ValueError, match="one iteration takes 1600 images and digits has 1437"):
        crossbow(learners=4, batch=400)


def test_weight_averaging_learns_digits(device_type, crossbow):
    system = crossbow(model="lenet", learners=4, lr=0.03, batch=8, device_type=device_type)
    losses = [system.train_epoch(epoch).losses.mean() for epoch in range(3)]
    assert losses[-1] < 0.5 * losses[0]
    accuracy = (system.logits().argmax(1) == system.context.records.test_labels).mean()
    assert accuracy > 0.8


def test_learners_that_never_meet_are_evaluated_as_their_mean(crossbow):
    system = crossbow(learners=3, tau=0)
    system.train_epoch(0)
    assert not np.array_equal(system.state()["w"][0], system.state()["w"][1])
    np.testing.assert_allclose(system.state()["z"], system.state()["w"].mean(0), atol=1e-7)


def test_one_more_learner_that_does_not_fit_is_not_a_failure(crossbow, monkeypatch):
    system = crossbow(learners="auto", batch=4)
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    prepare = system.engine.prepare

    def two_fit(programs):
        if len(system.learners) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        prepare(programs)

    monkeypatch.setattr(system.engine, "prepare", two_fit)
    for epoch in range(8):
        learners = system.train_epoch(epoch).learners
    assert learners == 2
    assert system.trace[-1]["decision"] == "out_of_memory"


def test_tuning_ends_where_no_more_ever_fit(crossbow, monkeypatch):
    """Nor, at a second try, as many as there are: what was prepared before is in the way."""
    system, tries = crossbow(learners="auto", batch=4), []
    monkeypatch.setattr(system.engine, "seconds", lambda start, end: 1.0)
    monkeypatch.setattr(system, "resize", lambda m: tries.append(m) or len(tries) > 20)
    for epoch in range(8):
        learners = system.train_epoch(epoch).learners
    assert (learners, tries) == (1, [2])
    assert system.trace[-1]["decision"] == "out_of_memory"


@pytest.mark.parametrize("batch_norm", ["averaged", "shared", "re-estimated"])
def test_batch_norm_statistics_of_the_central_model(device_type, batch_norm, crossbow):
    system = crossbow(
        model="resnet32", learners=2, batch_norm=batch_norm, device_type=device_type, epochs=1
    )
    system.train_epoch(0)
    name = next(n for n in system.learners.buffers[0] if n.endswith("running_mean"))
    before = system.center.network.get_buffer(name).clone()
    learners = [buffers[name] for buffers in system.learners.buffers]
    torch.testing.assert_close(before, (learners[0] + learners[1]) / 2)
    assert torch.equal(learners[0], learners[1]) == (batch_norm == "shared")
    assert np.isfinite(system.logits()).all()
    after = system.center.network.get_buffer(name)
    assert torch.equal(before, after) == (batch_norm != "re-estimated")


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


@pytest.mark.gpu
@needs_cuda
@pytest.mark.parametrize("graph", [False, True])
def test_memory_per_learner(graph, crossbow):
    few, many = (
        crossbow(
            model="resnet32", learners=m, batch=32, device_type="cuda", graph=graph
        ).train_epoch(0)
        for m in (2, 6)
    )
    assert many.memory_bytes > few.memory_bytes > 0
    weights = 3 * 4 * 466_906  # three rows of float32: model, momentum, gradient
    assert many.learner_memory_bytes > weights
    np.testing.assert_allclose(many.learner_memory_bytes, few.learner_memory_bytes, rtol=0.5)
