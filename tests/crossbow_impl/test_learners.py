import pytest
import torch
from torch import nn

from bench.precision import cast_names
from crossbow_impl.layout import Layout
from crossbow_impl.learners import Learners, loss_function


def network():
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(72, 3))


@pytest.fixture
def group(device_type):
    torch.manual_seed(0)
    initial = network().to(device_type)
    return Learners(initial, Layout(initial), 3)


def batch(device_type):
    torch.manual_seed(1)
    images = torch.randn(4, 1, 8, 8, device=device_type)
    return images, torch.tensor([0, 1, 2, 0], device=device_type)


def test_a_replica_is_a_view_of_its_row(group):
    group.w[1].fill_(0.5)
    assert all((p == 0.5).all() for p in group.parameters[1].values())
    assert not any((p == 0.5).all() for p in group.parameters[0].values())


def test_a_gradient_goes_to_its_row_and_is_autograds(group, device_type):
    plain = network().to(device_type)
    with torch.no_grad():
        for parameter, value in zip(plain.parameters(), group.parameters[1].values(), strict=True):
            parameter.copy_(value)
    images, labels = batch(device_type)
    loss = group.gradient(1, loss_function(network().to(device_type), "fp32"), images, labels)
    expected = nn.functional.cross_entropy(plain(images), labels)
    expected.backward()
    torch.testing.assert_close(loss, expected.detach())
    for view, parameter in zip(group.layout.views(group.g[1]), plain.parameters(), strict=True):
        torch.testing.assert_close(view, parameter.grad)
    assert group.g[0].abs().sum() == group.g[2].abs().sum() == 0
    # Its batch-norm statistics moved as the plain network's did, and no other learner's did.
    torch.testing.assert_close(group.buffers[1]["1.running_mean"], plain[1].running_mean)
    assert (group.buffers[0]["1.running_mean"] == 0).all()


@pytest.mark.parametrize("channels_last", [False, True])
def test_half_copies_are_what_autocast_computes(device_type, channels_last):
    torch.manual_seed(0)
    initial = network().to(device_type)
    images, labels = batch(device_type)
    loss = loss_function(initial, "bf16")
    results = []
    for half in (set(), cast_names(initial, "bf16")):
        learners = Learners(initial, Layout(initial, channels_last), 2, half)
        learners.w.add_(0.01)
        learners.round()
        results.append((learners.gradient(1, loss, images, labels), learners.g.clone()))
    assert {"0.weight", "3.bias"} < cast_names(initial, "bf16") and len(half) == 4
    for plain, rounded in zip(*results, strict=True):
        assert torch.equal(plain, rounded)


def test_storage_stays_where_it_is_while_there_is_room(group):
    group.resize(4, group.w[0])
    place = group.w.data_ptr()
    for m in (5, 6, 2, 6):
        group.resize(m, group.w[0])
        assert group.w.data_ptr() == place and len(group.parameters) == m


def test_shared_statistics_are_the_mean(group):
    for j, buffers in enumerate(group.buffers):
        buffers["1.running_mean"].fill_(j)
    group.share_buffers()
    assert all((buffers["1.running_mean"] == 1).all() for buffers in group.buffers)


def test_resize_keeps_the_old_and_starts_the_new_from_z(group):
    group.w.normal_()
    group.velocity.normal_()
    w, velocity = group.w.clone(), group.velocity.clone()
    z = torch.full_like(w[0], 0.25)
    group.resize(5, z)
    assert len(group) == len(group.parameters) == len(group.buffers) == 5
    assert torch.equal(group.w[:3], w) and torch.equal(group.velocity[:3], velocity)
    assert (group.w[3:] == 0.25).all() and (group.velocity[3:] == 0).all()
    assert all((p == 0.25).all() for p in group.parameters[4].values())
    group.resize(1, z)
    assert torch.equal(group.w, w[:1]) and len(group.buffers) == 1


@pytest.mark.parametrize("channels_last", [False, True])
def test_layout_is_lossless_and_padded_with_zeros(channels_last):
    plain = network()
    layout = Layout(plain, channels_last)
    flat = layout.flatten(list(plain.parameters()))
    assert layout.size % 64 == 0
    for view, parameter in zip(layout.views(flat), plain.parameters(), strict=True):
        assert torch.equal(view, parameter)
        assert view.data_ptr() % 64 == 0
    if channels_last:
        assert layout.views(flat)[0].is_contiguous(memory_format=torch.channels_last)
    dense = torch.cat([p.detach().flatten() for p in plain.parameters()])
    assert torch.equal(layout.dense(flat), dense)
    assert flat.count_nonzero() == dense.count_nonzero()
