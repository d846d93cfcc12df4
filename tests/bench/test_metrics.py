import numpy as np
import pytest
from sklearn.metrics import log_loss, top_k_accuracy_score

from bench.metrics import epochs_to_target, evaluate


def test_evaluate_agrees_with_scikit_learn():
    rng = np.random.default_rng(0)
    logits = rng.normal(size=(500, 10)).astype(np.float32) * 3
    labels = rng.integers(0, 10, 500)
    ours = evaluate(logits, labels)
    exponentials = np.exp(logits.astype(np.float64))
    probabilities = exponentials / exponentials.sum(1, keepdims=True)
    assert ours.loss == pytest.approx(log_loss(labels, probabilities), rel=1e-5)
    assert ours.accuracy == pytest.approx((logits.argmax(1) == labels).mean())
    assert ours.top5 == pytest.approx(top_k_accuracy_score(labels, logits, k=5))


def test_a_model_that_cannot_decide_is_not_right():
    assert evaluate(np.zeros((4, 10)), np.arange(4)).accuracy == 0


def test_a_diverged_model_is_not_right():
    assert evaluate(np.full((4, 10), np.nan), np.arange(4)).accuracy == 0
    assert evaluate(np.full((4, 10), np.nan), np.arange(4)).top5 == 0


def test_large_logits_do_not_overflow():
    assert evaluate(np.array([[1e4, 0.0]]), np.array([0])).loss == 0


@pytest.mark.parametrize(
    ("accuracies", "first", "median5", "sustained"),
    [
        ([0.5, 0.9, 0.9, 0.9, 0.9, 0.9], 2, 5, 2),
        ([0.9, 0.5, 0.9, 0.5, 0.9, 0.9], 1, 5, 5),
        ([0.9, 0.9, 0.9], 1, None, 1),  # fewer than five epochs have no median of five
        ([0.9, 0.9, 0.9, 0.9, 0.9, 0.5], 1, 5, None),
        ([0.5, 0.6], None, None, None),
        ([], None, None, None),
    ],
)
def test_target_rules(accuracies, first, median5, sustained):
    found = [epochs_to_target(accuracies, 0.9, rule) for rule in ("first", "median5", "sustained")]
    assert found == [first, median5, sustained]


def test_unknown_rule_is_refused():
    with pytest.raises(ValueError, match="first, median5, sustained"):
        epochs_to_target([0.9], 0.9, "last")
