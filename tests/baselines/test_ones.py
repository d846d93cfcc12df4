"""The batch evolves as the oracle's does, in NumPy; a population of one is S-SGD."""

from itertools import pairwise

import numpy as np
import pytest
from marks import ON_CPUS_AND_GPUS
from softmax import flat, gradient
from two_epochs import two_epochs

from baselines.ones import ONES, evolved
from bench.schedules import learning_rate
from bench.system import Context
from data_prep.feed import Feed
from data_prep.records import open_records
from models.weights import read

SYSTEM, SSGD = "ones_by_iterations:ONESByIterations", "baselines.pytorch_ssgd:PyTorchSSGD"
SAMPLES, SEED = 320, 7
FIELDS = {
    "batch": 4, "momentum": 0.9, "lr": 0.02, "schedule": {"kind": "one-cycle", "warmup": 0.3},
}  # fmt: skip
EVOLVES = {"population": 4, "mutation": 0.9, "max_batch": 32}


def oracle(spec, records, start):
    """Weights, losses, each generation's batches, and the one that would follow."""
    feed, classes = Feed(records, spec.augmentation, spec.seed), records.classes
    w, velocity, losses = start, 0 * start, []
    count, smallest = spec.method["population"], spec.batch * spec.devices
    share, sizes, history, before = feed.samples // count, [smallest] * count, [], None
    for epoch in range(spec.epochs):
        rng, plan, scores = np.random.default_rng([spec.seed, epoch]), feed.plan(epoch), {}
        order = rng.permutation(sizes)
        history.append(order.tolist())
        for place, size in enumerate(order):
            of_member = []
            for step in range(share // size):
                first, each = place * share + step * size, size // spec.devices
                pair = w[:-classes].reshape(classes, -1), w[-classes:]
                cuts = range(first, first + size, each)
                found = [gradient(pair, *feed.batch(plan[cut : cut + each])) for cut in cuts]
                position = epoch + first / feed.samples
                lr = learning_rate(spec.schedule, spec.lr, position, spec.epochs)
                velocity = spec.momentum * velocity + np.mean([g for g, _ in found], 0)
                w = w - lr * size / smallest * velocity
                of_member.append(np.mean([loss for _, loss in found]))
            after = np.mean(of_member)
            fallen = (of_member[0] if before is None else before) - after
            scores.setdefault(size, []).append(fallen / len(of_member))
            before, losses = after, losses + of_member
        means = {size: np.mean(of_size) for size, of_size in scores.items()}
        best = sorted(means.values(), reverse=True)
        assert all(high - low > 1e-4 for high, low in pairwise(best))
        parents = sorted(order, key=means.get, reverse=True)[: -(-count // 2)]
        sizes = list(parents)
        while len(sizes) < count:
            low, high = sorted(np.log2(rng.choice(parents, 2) // smallest).astype(int))
            child = smallest * 2.0 ** rng.integers(low, high, endpoint=True)
            if rng.random() < spec.method["mutation"]:
                child *= 2.0 ** rng.choice([-1, 1])
            sizes.append(int(np.clip(child, smallest, min(spec.method["max_batch"], share))))
    return w, np.array(losses), history, sizes


@pytest.mark.parametrize("form", ON_CPUS_AND_GPUS)
def test_batches_evolve_as_the_oracles_do(form, spec, digits, weights, first, tmp_path):
    cell = spec("ones", method=EVOLVES, seed=SEED, **FIELDS, **form)
    records, start = first(open_records(digits), SAMPLES), weights("logistic")
    w, losses, history, following = oracle(cell, records, flat(read(start)).astype(np.float64))
    smallest = cell.devices * cell.batch
    assert history[0] == [smallest] * 4
    assert max(history[1]) == 2 * smallest and max(following) == 4 * smallest  # it does change
    for rank in two_epochs(SYSTEM, cell, records, start, tmp_path / "run"):
        np.testing.assert_allclose(rank["losses"], losses, rtol=1e-5)
        np.testing.assert_allclose(flat(rank, "model."), w, rtol=1e-4, atol=1e-5)
        assert (smallest * 2 ** rank["ones.population"]).tolist() == following


@pytest.mark.parametrize("form", [{"devices": 1}, *ON_CPUS_AND_GPUS])
def test_a_population_of_one_is_ssgd(form, spec, digits, weights, first, tmp_path):
    records, start = first(open_records(digits), SAMPLES), weights("logistic")
    fields = FIELDS | form
    plain = two_epochs(SSGD, spec("pytorch", **fields), records, start, tmp_path / "plain")
    cell = spec("ones", method=EVOLVES | {"population": 1}, **fields)
    ranks = two_epochs(SYSTEM, cell, records, start, tmp_path / "run")
    np.testing.assert_allclose(ranks[0]["losses"], plain[0]["losses"], rtol=1e-6)
    np.testing.assert_allclose(ranks[0]["logits"], plain[0]["logits"], rtol=1e-5, atol=1e-6)


def test_the_better_half_are_parents_of_what_is_near_them():
    members, scores = [0, 1, 1, 4, 5, 3], np.array([9, 5, 9, 8, np.nan, 1])
    seen = set()
    for seed in range(200):
        generator = np.random.default_rng(seed)
        parents, children = np.split(np.array(evolved(members, scores, 9, 0.0, generator)), 2)
        assert parents.tolist() == [0, 4, 1]  # a batch's score is the mean of its members'
        seen |= set(children.tolist())
    assert seen == {0, 1, 2, 3, 4}


def test_the_better_half_of_an_odd_number_is_rounded_up():
    chosen = evolved([0, 2, 4], np.array([1, 3, 2]), 9, 0.0, np.random.default_rng(1))
    assert chosen[:2] == [2, 4]
    assert len(chosen) == 3 and 2 <= chosen[2] <= 4


def test_mutation_doubles_or_halves_within_the_limits():
    changed = [
        evolved([2, 2], np.zeros(2), most, 1.0, np.random.default_rng(seed))[1]
        for seed in range(40)
        for most in (2, 3)
    ]
    assert set(changed) == {1, 2, 3}
    children = [evolved([0, 0], np.zeros(2), 1, 1.0, np.random.default_rng(s))[1] for s in range(9)]
    assert set(children) == {0, 1}


def test_a_member_without_an_iteration_is_refused(spec, digits, weights, tmp_path):
    cell = spec("ones", batch=8, method={"population": 400})
    context = Context(
        spec=cell, records=open_records(digits), weights=weights("logistic"), out=tmp_path
    )
    with pytest.raises(ValueError, match=r"8 images and a member .* has 3 .* smaller batch"):
        ONES(context)
