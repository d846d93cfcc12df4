"""Figures with a row for every configuration fit a page, also of the paper's whole matrix."""

from functools import cache

import pandas as pd
import pytest
from suite import REPOSITORY
from synthetic import AUTOTUNE_COLUMNS, EPOCH_COLUMNS, run, tables
from test_legible import drawn, overlaps

from bench import record, summary
from bench.summary_columns import SUMMARY_COLUMNS
from plots import _arrangement, _tables
from workflows.plan import plan
from workflows.read_config import read_config

GIVEN = ("run", "system", "model", "dataset", "device_type", "devices", "batch", "seed", "target")
ENDED = ("status", "reason", "epochs_run")


def made(row):
    """A planned run as if it had been run, with the settings it was planned with."""
    given = {name: row[name] for name in GIVEN}
    whole, epochs = run(**given, learners=str(row["learners"]))
    return whole | {name: row[name] for name in row if name not in ENDED}, epochs


@cache
def planned():
    runs = plan(read_config(REPOSITORY / "workflows/config/paper.yaml")).runs
    end = {"status": record.NOT_RUN, "reason": ""}
    return [
        summary.without_run({"run": name, "spec": spec.to_dict()} | end)
        for name, spec in runs.items()
    ]


@pytest.fixture(scope="module", params=[True, False], ids=["made", "planned"])
def matrix(request, tmp_path_factory):
    """Whether the paper's matrix is made or only planned, and its tables as they are read."""
    is_made, folder = request.param, tmp_path_factory.mktemp("tables")
    rows = [made(row) if is_made else (row, []) for row in planned()]
    parts = {
        "summary": pd.DataFrame([row for row, _ in rows]).reindex(columns=SUMMARY_COLUMNS),
        "epochs": pd.DataFrame([e for _, epochs in rows for e in epochs], columns=EPOCH_COLUMNS),
        "autotune": pd.DataFrame(columns=AUTOTUNE_COLUMNS),
    }
    for name, table in parts.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return is_made, _tables.read(*(folder / f"{name}.csv" for name in parts))


@pytest.mark.parametrize("name", ["energy", "target_rules", "scaling_methods", "time_to_accuracy"])
def test_the_paper_s_matrix_fits_a_page_and_can_be_read(name, matrix):
    is_made, given = matrix
    figure = drawn(name, given)
    assert figure.get_figheight() <= _arrangement.TALL + 0.5
    assert not overlaps(figure)
    if is_made:
        names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
        assert "PyTorch, b=32" in [text.partition(", lr=")[0] for text in names]
        assert len({panel.get_position().y0 for panel in figure.axes}) == 4  # a band a workload


def test_many_configurations_on_one_number_of_devices_stay_below_each_other():
    runs = [run(lr=0.001 * place, batch=batch) for place in range(1, 45) for batch in (16, 64)]
    figure = drawn("target_rules", tables(*runs))
    assert figure.get_figheight() > _arrangement.TALL
    assert len(figure.axes) == 3 and len(figure.axes[0].get_yticklabels()) == 88


def test_side_by_side_a_configuration_has_its_row_on_every_number_of_devices():
    runs = [
        run(lr=0.001 * place, devices=devices) for place in range(1, 41) for devices in (1, 2, 4)
    ]
    figure = drawn("target_rules", tables(*runs[1:]))  # the first was not on one device
    assert len(figure.axes) == 9
    for panel, there in zip(figure.axes, 3 * (39, 40, 40), strict=True):
        at = [y for line in panel.get_lines() if line.get_marker() == "s" for y in line.get_ydata()]
        assert sorted(at) == sorted(set(at)) and len(at) == there
    first, second = (
        {y for line in panel.get_lines() if line.get_marker() == "s" for y in line.get_ydata()}
        for panel in figure.axes[:2]
    )
    assert second - first == {39}  # behind those that are on one device


def test_a_workload_has_one_axis_of_time_on_all_numbers_of_devices():
    runs = [
        run(devices=devices, dataset=data) for devices in (1, 2) for data in ("mnist", "digits")
    ]
    figure = drawn("time_to_accuracy", tables(*runs))
    one, two, other, _ = figure.axes
    assert one.get_shared_x_axes().joined(one, two)
    assert not one.get_shared_x_axes().joined(one, other)


def test_side_by_side_the_medians_on_each_number_of_devices_stand_in_columns_of_their_own():
    runs = [
        run(lr=0.001 * place, devices=devices, median5_s=100.0 * devices + place)
        for place in range(1, 41)
        for devices in (1, 2, 4)
    ]
    figure = drawn("time_to_accuracy", tables(*runs[1:]))  # the first was not on one device
    told = {}
    for text in figure.axes[-1].texts:
        box = text.get_window_extent()
        assert box.x0 > figure.axes[-1].get_window_extent().x1
        told.setdefault(round(box.x0), []).append(text.get_text())
    assert len(told) == 3
    for devices, (_, (head, *medians)) in zip((1, 2, 4), sorted(told.items()), strict=True):
        assert head == f"{devices} device{'s' * (devices > 1)}"
        own = [f"{100 * devices + place} s, 1 of 1" for place in range(1, 41)]
        assert sorted(medians) == own[devices == 1 :]
