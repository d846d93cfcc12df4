"""An energy has one unit in a figure, on its axis, beside its row and at the pointer."""

import pandas as pd
import pytest
from synthetic import run, tables
from test_figures import draw, words
from test_legible import FOLDER

from plots import _hover, _units

IMAGES = 6000  # until the fourth epoch ends


@pytest.mark.parametrize(
    ("energies", "image", "target"),
    [  # J per image of two seeds; the median beside the row, and what the pointer tells
        ((0.2 / IMAGES, 0.6 / IMAGES), ("0.0667", "mJ", "0.0333", "0.1"),
         ("400", "mJ", "200", "600")),
        ((0.006, 0.3), ("153", "mJ", "6", "300"), ("918", "J", "36", "1,800")),
        ((4.0, 6.0), ("5.00", "J", "4", "6"), ("30.0", "kJ", "24", "36")),
        ((2e3, 4e3), ("3.00", "kJ", "2", "4"), ("18000", "kJ", "12,000", "24,000")),
    ],
    ids=["small", "between", "large", "largest"],
)  # fmt: skip
def test_an_energy_has_the_unit_that_suits_its_figure(energies, image, target):
    met = {"device_type": "cuda", "median5_epochs": 4}
    runs = [run(seed=n, joules_per_image=j, **met) for n, j in enumerate(energies, 1)]
    figure, table = draw("energy", tables(*runs))
    assert f"{image[0]} {image[1]} per image; {target[0]} {target[1]}, 2 of 2" in words(figure)
    labels = f"energy ({image[1]} per image)", f"energy to target ({target[1]})"
    assert tuple(panel.get_xlabel() for panel in figure.axes) == labels
    for panel, (_, unit, *told) in zip(figure.axes, (image, target), strict=True):
        marks = next(line for line in panel.get_lines() if line.get_marker() == "s")
        drawn = [float(amount.replace(",", "")) for amount in told]
        assert list(marks.get_xdata()) == pytest.approx(drawn, rel=0.01)
        assert all(f": {amount} {unit}" in marks.get_gid() for amount in told)
    assert sorted(table["joules_per_image"]) == list(energies)  # beside the figure always J


def test_what_fell_short_of_the_target_is_told_in_its_unit():
    never = {"median5_s": None, "median5_epochs": None}
    figure, _ = draw("energy", tables(run(device_type="cuda", joules_per_image=5.0, **never)))
    assert figure.axes[1].get_xlabel() == "energy to target (kJ)"
    hollow = next(line for line in figure.axes[1].get_lines() if line.get_marker() == ">")
    assert list(hollow.get_xdata()) == [90] and "not reached in 90 kJ" in hollow.get_gid()


def test_the_units_of_the_committed_figure():
    table = pd.read_csv(FOLDER / "figures/energy.csv")
    assert _units.prefix(table["joules_per_image"]) == ("m", 1e3)
    assert _units.prefix(table["target_j"].fillna(table["trained_j"])) == ("k", 1e-3)


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("median5_s", "2,500 s"),
        ("image_mj", "2,500 mJ per image"),
        ("median_image_kj", "2,500 kJ per image"),
        ("trained_j", "2,500 J"),
        ("sent_mb", "2,500 MB"),
        ("batch", "2,500"),
    ],
)
def test_the_pointer_is_told_an_amount_in_its_unit(column, text):
    assert _hover.amount(2500.0, column) == text
