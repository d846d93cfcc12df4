"""Crossbow as a whole: restart after a checkpoint, refusals, what is evaluated."""

import numpy as np
import pytest
import torch
import torch.distributed as dist

from bench.clock import Ledger
from bench.ranks import on_devices
from bench.system import Context
from crossbow_impl.train import Crossbow
from data_prep.records import open_records


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
