"""An energy has one unit on its axis, beside its row and at the pointer."""

import pytest
from matplotlib.figure import Figure
from synthetic import run, tables
from test_figures import draw, words

from plots import _axes, _hover

ENERGIES = (0.006, 0.3)  # J per image, of two seeds, whose median is 153 mJ


@pytest.mark.parametrize(
    ("column", "label", "tick", "beside", "pointer"),
    [
        ("joules_per_image", "energy (mJ per image)", "5M", "153 mJ", ("6 mJ", "300 mJ")),
        ("target_j", "energy to target (kJ)", "5", "0.918 kJ", ("0.036 kJ", "1.8 kJ")),
    ],
)
def test_an_energy_has_one_unit(column, label, tick, beside, pointer):
    met = {"device_type": "cuda", "median5_epochs": 4}
    runs = [run(seed=n, joules_per_image=j, **met) for n, j in enumerate(ENERGIES, 1)]
    figure, _ = draw("energy", tables(*runs))
    panel = figure.axes[column == "target_j"]
    assert panel.get_xlabel() == label and beside in words(figure)
    assert panel.xaxis.get_major_formatter()(5000.0) == tick
    told = next(line.get_gid() for line in panel.get_lines() if line.get_marker() == "s")
    assert all(amount in told for amount in pointer)


def test_numbers_along_an_axis_are_in_its_unit():
    panel = Figure().subplots()
    for column, text in (("joules_per_image", "50"), ("target_j", "5e-05"), ("train_s", "0.05")):
        _axes.told_in_unit(panel.xaxis, column)
        assert panel.xaxis.get_major_formatter()(0.05) == text


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("median5_s", "2,500 s"),
        ("joules_per_image", "2,500,000 mJ per image"),
        ("trained_j", "2.5 kJ"),
        ("sent_mb", "2,500 MB"),
        ("batch", "2,500"),
    ],
)
def test_the_pointer_is_told_an_amount_in_its_unit(column, text):
    assert _hover.amount(2500.0, column) == text
