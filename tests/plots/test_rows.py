"""Rows of configurations: how their marks look, and which names are bold."""

import pytest
from synthetic import run, tables
from test_figures import draw

BANDS = ["energy", "scaling_methods", "target_rules", "time_to_accuracy"]


def lines_by_row(panel):
    """The line of the runs of each row, by the name beside it."""
    names = [label.get_text() for label in panel.get_yticklabels()]
    found = {}
    for line in panel.get_lines():
        if len(line.get_ydata()) and line.get_marker() not in ("None", "|", "x"):
            found[names[int(line.get_ydata()[0])]] = line
    return found


@pytest.mark.parametrize("name", BANDS)
def test_marks_of_a_row_are_those_of_its_learners_and_its_system(name):
    runs = [run(learners=m, device_type="cuda") for m in ("1", "4")]
    runs += [run(system=s, learners="1", device_type="cuda") for s in ("pytorch", "tensorflow")]
    rows = lines_by_row(draw(name, tables(*runs))[0].axes[0])
    marks = {row.split(",")[0]: line.get_marker() for row, line in rows.items()}
    expected = {"Crossbow m=1": "o", "Crossbow m=4": "^", "PyTorch": "X", "TensorFlow": "P"}
    assert marks == expected


@pytest.mark.parametrize("name", BANDS)
def test_systems_without_a_colour_of_their_own_have_different_ones(name):
    systems = ["a", "b", "c", "d", "e", "f"]
    runs = [run(system=system, learners="1", device_type="cuda") for system in systems]
    rows = lines_by_row(draw(name, tables(*runs))[0].axes[0])
    assert len({line.get_color() for line in rows.values()}) == len(systems)


@pytest.mark.parametrize("name", ["energy", "time_to_accuracy"])
def test_the_least_of_each_system_on_as_many_devices_is_bold(name):
    met = {"device_type": "cuda", "median5_epochs": 4}
    cells = [(devices, m) for devices in (1, 2) for m in ("1", "2")]
    runs = [
        run(devices=d, learners=m, median5_s=s, joules_per_image=s, **met)
        for (d, m), s in zip(cells, (9.0, 7.0, 3.0, 5.0), strict=True)
    ]
    pytorch = {"system": "pytorch", "learners": "1"}
    never = {"median5_epochs": None, "median5_s": None, "device_type": "cuda"}
    runs += [run(**pytorch, **met, devices=2), run(**pytorch, **never)]
    figure, table = draw(name, tables(*runs))
    best = table.loc[table["best_of_system"], ["devices", "learners"]]
    assert list(best.itertuples(index=False, name=None)) == [(1, "2"), (2, "1"), (2, "1")]
    bold = [
        label.get_text()
        for panel in figure.axes
        for label in panel.get_yticklabels()
        if label.get_fontweight() == "bold"
    ]
    assert bold == ["Crossbow m=2, b=16", "Crossbow m=1, b=16", "PyTorch, b=16"]
