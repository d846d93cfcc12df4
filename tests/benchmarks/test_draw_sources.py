"""What figures of measurements say of machines and commits."""

import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib: install requirements.lock")

from matplotlib.figure import Figure

from bench import record
from benchmarks.draw_sources import tell
from benchmarks.results import Source, source_of, write_result

CLEAN, OTHER = Source("X", "abcdefgh", False), Source("Y", "12345678", False)
CHANGED, UNKNOWN = Source("X", "abcdefgh", True), Source("Y", "", False)


@pytest.mark.parametrize(
    ("sources", "said", "changed"),
    [
        ([("", CLEAN)], "X, commit abcdefg.", ""),
        ([("", UNKNOWN)], "Y, commit not recorded.", ""),
        (
            [("one", CLEAN), ("two", OTHER), ("one", CLEAN)],
            "one: X, commit abcdefg; two: Y, commit 1234567.",
            "",
        ),
        ([("", CHANGED)], "X, commit abcdefg with changes.", "1 of 1 measurements is"),
        (
            [("one", CHANGED), ("one", CLEAN), ("two", CHANGED)],
            "one: X, commit abcdefg with changes; one: X, commit abcdefg; two: X, commit abcdefg "
            "with changes.",
            "2 of 3 measurements are",
        ),
    ],
    ids=["one", "unknown", "several", "changed", "some changed"],
)
def test_machines_and_commits_are_told_and_changed_code_above_the_figure(sources, said, changed):
    figure = Figure(layout="constrained")  # which moves the title up when it is drawn
    figure.subplots().set_title("title")
    dirty = f"Dirty: {changed} of changed code that no commit holds"
    assert tell(figure, sources) == (f"{said} {dirty}." if changed else said)
    assert [one.get_text() for one in figure.texts] == ([dirty] if changed else [])
    for text in figure.texts:
        figure.draw_without_rendering()
        assert text.get_window_extent().y0 > figure.axes[0].title.get_window_extent().y1


def test_a_result_has_its_machine_and_code_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.environment.ROOT", tmp_path)  # where there is no repository
    monkeypatch.setenv("CODE_COMMIT", "abcdefgh")
    path = tmp_path / "result.json"
    write_result(path, {"run": {"device_type": "cpu"}})
    made = record.read_json(path)["environment"]
    assert source_of(path) == (f"{made['cores']} x {made['cpu']}", "abcdefgh", False)


def test_a_call_has_them_as_a_file_and_what_was_not_recorded_is_its_folder(tmp_path):
    path = tmp_path / "engine-one.json"
    assert source_of(path) == (tmp_path.name, "", False)
    record.write_json(path, {"gpus": [{"name": "X"}] * 2, "code": {"commit": "abcdefgh"}})
    assert source_of(path) == CLEAN  # older ones do not say whether the code was changed
