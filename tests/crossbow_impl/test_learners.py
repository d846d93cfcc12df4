import torch
from torch import nn

from crossbow_impl.learners import Learners, bind, flat_buffers, flat_parameters


def network():
    return nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.Flatten(), nn.Linear(72, 3))


def learners(device_type, m=3):
    torch.manual_seed(0)
    return Learners(network, network().to(device_type), m)


def test_a_replica_is_a_view_of_its_row(device_type):
    group = learners(device_type)
    group.w[1].fill_(0.5)
    assert all((p == 0.5).all() for p in group.modules[1].parameters())
    assert not any((p == 0.5).all() for p in group.modules[0].parameters())
    images = torch.randn(4, 1, 8, 8, device=device_type)
    group.modules[1](images).sum().backward()
    assert group.g[1].abs().sum() > 0
    assert group.g[0].abs().sum() == group.g[2].abs().sum() == 0
    assert not torch.equal(group.buffers[1], group.buffers[0])  # batch-norm statistics too


def test_all_start_as_the_initial_network(device_type):
    initial = network().to(device_type)
    group = Learners(network, initial, 4)
    assert (group.w == flat_parameters(initial)).all()
    assert (group.buffers == flat_buffers(initial)).all()
    images = torch.randn(4, 1, 8, 8, device=device_type)
    torch.testing.assert_close(group.modules[3](images), initial.train()(images))


def test_resize_keeps_the_old_and_starts_the_new_from_z(device_type):
    group = learners(device_type, m=2)
    group.w.normal_()
    group.velocity.normal_()
    w, velocity = group.w.clone(), group.velocity.clone()
    z = torch.full_like(w[0], 0.25)
    group.resize(4, z)
    assert len(group) == len(group.modules) == 4
    assert torch.equal(group.w[:2], w) and torch.equal(group.velocity[:2], velocity)
    assert (group.w[2:] == 0.25).all() and (group.velocity[2:] == 0).all()
    assert all((p == 0.25).all() for p in group.modules[3].parameters())
    group.resize(1, z)
    assert torch.equal(group.w, w[:1]) and len(group.modules) == 1


def test_bound_center_follows_z(device_type):
    center = network().to(device_type)
    z, buffers = flat_parameters(center), flat_buffers(center)
    bind(center, z, buffers, None)
    z.zero_()
    assert all((p == 0).all() for p in center.parameters())
