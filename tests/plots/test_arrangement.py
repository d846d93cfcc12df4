"""How bands are arranged: on one page if they fit, else with numbers of devices side by side."""

import pandas as pd
import pytest

from plots import _arrangement

QUANTITIES = ["image", "target"]


def table(rows, devices=(1, 2), systems=("crossbow",), workloads=("a",)):
    """A table of so many rows of each system, on each number of devices of each workload."""
    return pd.DataFrame(
        [
            {"workload": workload, "devices": count, "system": system, "name": f"{system} {row}"}
            for workload in workloads
            for count in devices
            for row in range(rows)
            for system in systems
        ]
    )


def test_few_rows_stand_below_each_other_a_band_for_each_number_of_devices():
    found = _arrangement.arrange(table(3, workloads=("a", "b")), QUANTITIES, 2.0, 1)
    assert found.is_stacked and found.columns == [("image", 0), ("target", 0)]
    assert list(found.names) == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert found.width == 2.0
    assert found.height == pytest.approx(4 * (3 * 0.17 + 0.5))


def test_what_is_taller_than_a_page_stands_side_by_side():
    found = _arrangement.arrange(table(60), QUANTITIES, 2.0, 1)
    assert not found.is_stacked
    assert found.columns == [("image", 1), ("image", 2), ("target", 1), ("target", 2)]
    assert {key: len(names) for key, names in found.names.items()} == {("a",): 60}
    assert found.width == 0.95 and found.height == pytest.approx(60 * 0.17 + 0.5)


def test_on_one_number_of_devices_nothing_can_stand_beside():
    found = _arrangement.arrange(table(120, devices=[4]), QUANTITIES, 2.0, 1)
    assert found.is_stacked and found.height > _arrangement.TALL


@pytest.mark.parametrize(("rows", "inches"), [(90, 13.0), (200, 200 * 0.12 + 0.5)])
def test_very_many_rows_are_lower_but_can_be_read(rows, inches):
    assert _arrangement.arrange(table(rows), ["image"], 2.0, 1).height == pytest.approx(inches)


def test_many_panels_side_by_side_are_narrower_but_can_be_read():
    for devices, inches in ((range(1, 8), 12 / 14), (range(1, 17), 0.75)):
        assert _arrangement.arrange(table(60, devices), QUANTITIES, 2.0, 1).width == inches


def test_rows_of_a_system_stand_together_in_the_order_of_the_table():
    (names,) = _arrangement.arrange(
        table(2, devices=[1], systems=("pytorch", "crossbow")), QUANTITIES, 2.0, 1
    ).names.values()
    assert names == ["pytorch 0", "pytorch 1", "crossbow 0", "crossbow 1"]
