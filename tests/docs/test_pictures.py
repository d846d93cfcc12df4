"""The pictures of the explanations are what their rule draws, from the committed results."""

import matplotlib
import numpy as np
import pytest

from bench.metrics import RULES
from docs.pictures import __main__ as command
from docs.pictures import averaging, clocks, targets
from plots import style

IMAGES = command.FOLDER.parent / "images"


@pytest.mark.parametrize("name", command.NAMES)
def test_picture_is_the_one_that_is_drawn(name, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", ["docs.pictures", name, "--out", str(tmp_path)])
    command.main()
    assert (tmp_path / f"{name}.svg").read_bytes() == (IMAGES / f"{name}.svg").read_bytes()


def test_the_central_model_is_algorithm_1s_and_moves_by_the_sum_of_the_corrections():
    learners, centre = (points.numpy() for points in averaging.train())
    assert learners.shape == (averaging.ITERATIONS + 1, averaging.LEARNERS, 2)
    for i in range(1, averaging.ITERATIONS):
        corrections = averaging.ALPHA * (learners[i] - centre[i])
        momentum = averaging.MU * (centre[i] - centre[i - 1])
        np.testing.assert_allclose(centre[i + 1], centre[i] + corrections.sum(0) + momentum)


def test_clocks_say_the_seconds_of_the_run():
    row = clocks.rows("epochs").iloc[-1]
    with matplotlib.rc_context(style.RC):
        (panel,) = clocks.draw().axes
    said = dict(text.get_text().split(" = ") for text in panel.texts)
    assert said["train_s"] == f"{row['train_s']:.1f} s"
    assert said["eval_s"] == f"{row['eval_s']:.1f} s"


def test_each_rule_meets_the_target_at_another_epoch():
    accuracies = list(targets.rows("epochs")["test_acc"])
    met = [targets.epochs_to_target(accuracies, targets.TARGET, rule) for rule in RULES]
    assert met == sorted(set(met))
