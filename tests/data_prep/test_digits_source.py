import subprocess
import sys

import numpy as np
import pytest
import sklearn.datasets

from data_prep import digits
from data_prep.records import RecordsError


def test_every_digit_is_in_one_split_and_the_classes_are_even():
    sources = digits.find_sources(None)
    (train, train_labels), (test, test_labels) = (
        digits.read_split(split, sources) for split in ("train", "test")
    )
    assert train.shape == (1437, 8, 8, 1) and test.shape == (360, 8, 8, 1)
    assert train.dtype == np.uint8 and train_labels.dtype == np.int64
    original = sklearn.datasets.load_digits()
    stored = np.concatenate([train, test]).reshape(-1, 64) / 15
    labelled = np.column_stack([stored, np.concatenate([train_labels, test_labels])])
    expected = np.column_stack([original.data, original.target])
    assert sorted(map(tuple, labelled)) == sorted(map(tuple, expected))
    assert np.bincount(test_labels).min() >= 34 and np.bincount(test_labels).max() <= 38


def test_other_digits_are_refused(monkeypatch):
    original = sklearn.datasets.load_digits()
    original.images[0, 0, 0] += 1
    monkeypatch.setattr(sklearn.datasets, "load_digits", lambda: original)
    with pytest.raises(RecordsError, match="load_digits: checksum is sha256:"):
        digits.find_sources(None)


def test_planning_does_without_scikit_learn():
    """It takes longer to import than all else that plans."""
    plans = "import sys, data_prep.digits; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", plans]).returncode == 0
