"""Every figure draws whatever a matrix leaves behind, to the same bytes each time."""

import importlib
from dataclasses import replace

import matplotlib
import pytest
import synthetic

from plots import _caption, _files, known, style
from plots.__main__ import main

WORST = [
    synthetic.diverged(3, seed=2),
    synthetic.failed("out_of_memory", "CUDA out of memory", learners="4"),
    synthetic.failed("failed", "the driver went away", learners="auto", devices=2),
    synthetic.run(epochs=2, batch=64),
    synthetic.run(system="pytorch", learners="1", model="vgg16", dataset="cifar10"),
    synthetic.run(learners="auto", device_type="cuda"),
]
TRAINED = ["accuracy_over_time", "autotune", "energy", "epochs_to_accuracy", "memory", "throughput"]
TRAINED += ["time_split", "time_to_any_accuracy"]
# The others need runs that differ in a certain way, and have tests of their own.
OF_ANY_RUNS = [*TRAINED, "target_rules", "time_to_accuracy"]
# Whose PDF and PNG are written twice as well: of the others the SVG tells whether they are alike.
WRITTEN_ALIKE = ["energy", "learners_and_batch", "synchronisation_overhead"]


def draw(name, tables):
    with matplotlib.rc_context(style.RC):
        figure, table = importlib.import_module(f"plots.{name}").draw(tables)
        figure.canvas.draw()
    return figure, table


def words(figure):
    found = figure.findobj(matplotlib.text.Text)
    return " ".join(text.get_text() for text in found if text.get_visible())


def put(tables, folder):
    """Writes the tables' files; the options that name them."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {field: folder / f"{field}.csv" for field in ("summary", "epochs", "autotune")}
    for field, path in paths.items():
        getattr(tables, field).to_csv(path, index=False)
    return [f"--{field}={path}" for field, path in paths.items()]


def write(tables, folder, name):
    return main([name, *put(tables, folder), "--out", str(folder / "figures")])


def test_the_figures_are_the_files_but_what_they_share():
    assert {"throughput", "time_to_accuracy"} < set(known())
    assert not any(name.startswith("_") or name in ("style", "published") for name in known())


@pytest.mark.parametrize("name", known())
def test_a_whole_matrix_becomes_five_files_of_the_same_bytes_each_time(name, tmp_path, monkeypatch):
    assert write(synthetic.matrix(), tmp_path / "one", name) == 0
    one = sorted((tmp_path / "one/figures").iterdir())
    assert {path.name for path in one} == {
        f"{name}.{end}" for end in ("svg", "pdf", "png", "csv", "txt")
    }
    if name not in WRITTEN_ALIKE:
        monkeypatch.setattr(_files, "_METADATA", {"svg": _files._METADATA["svg"]})
    assert write(synthetic.matrix(), tmp_path / "two", name) == 0
    for path in (tmp_path / "two/figures").iterdir():
        assert path.read_bytes() == (tmp_path / "one/figures" / path.name).read_bytes()
    for path in one:
        written = path.read_bytes()
        assert b"<dc:date>" not in written and b"/CreationDate" not in written
    caption, columns = (
        (tmp_path / f"one/figures/{name}.{end}").read_text() for end in ("txt", "csv")
    )
    if name in OF_ANY_RUNS:
        of = "lenet on digits to 90%. 2 x AMD EPYC, Linux. Commit 1e8466f."
        assert f"n = 3 seeds per configuration, 72 runs. {of}" in caption
    columns = columns.splitlines()[0].split(",")
    has_seconds = any(column.endswith("_s") or column == "s" for column in columns)
    assert ("Clock: training seconds." in caption) == has_seconds
    title, underline = caption.splitlines()[:2]
    assert underline == "=" * len(title)


@pytest.mark.parametrize("name", known())
def test_runs_that_went_wrong_are_drawn(name):
    given = synthetic.tables(*WORST)
    _, table = draw(name, given)
    assert len(table) or name not in OF_ANY_RUNS
    caption = _caption.caption(importlib.import_module(f"plots.{name}"), given.summary, table)
    assert caption and "`" not in caption  # it is read as it is, too


@pytest.mark.parametrize("name", OF_ANY_RUNS)
def test_a_workload_of_which_nothing_ran_has_its_place(name):
    on = {"device_type": "cuda", "learners": "auto"}
    nothing = synthetic.failed("failed", "the driver went away", model="vgg16", **on)
    figure, _ = draw(name, synthetic.tables(synthetic.run(**on), nothing))
    assert "no runs to show" not in words(figure)


@pytest.mark.parametrize("name", OF_ANY_RUNS)
def test_one_run_is_enough(name):
    tuned = synthetic.run(learners="auto", device_type="cuda")
    figure, table = draw(name, synthetic.tables(tuned))
    assert len(table) and "no runs to show" not in words(figure)


@pytest.mark.parametrize("name", known())
def test_an_empty_matrix_is_said_on_the_figure(name):
    figure, table = draw(name, synthetic.empty_tables())
    assert "no runs to show: the summary is empty" in words(figure)
    assert table.empty and len(table.columns)


@pytest.mark.parametrize("name", TRAINED)
def test_a_matrix_that_never_trained_is_said_on_the_figure(name):
    figure, _ = draw(name, synthetic.tables(synthetic.failed("out_of_memory", "too big")))
    assert "no runs to show" in words(figure) and "1 out of memory" in words(figure)


@pytest.mark.parametrize("name", ["autotune", "energy", "memory"])
def test_what_was_not_measured_is_said_on_the_figure(name):
    figure, table = draw(name, synthetic.tables(synthetic.run()))
    assert "no runs to show: none" in words(figure)
    assert table.empty and len(table.columns)


@pytest.mark.parametrize("name", OF_ANY_RUNS)
def test_a_matrix_on_gpus_is_drawn(name):
    _, table = draw(name, synthetic.gpu_matrix(devices=(1,)))
    series = "PyTorch, bf16, compiled, channels last, graph"
    assert name == "autotune" or series in set(table["series"])


def test_learners_may_be_numbers():
    tables = synthetic.tables(synthetic.run(learners="1"), synthetic.run(learners="2"))
    summary = tables.summary.assign(learners=[1, 2])
    figure, _ = draw("accuracy_over_time", replace(tables, summary=summary))
    assert "Crossbow m=1" in words(figure) and "Crossbow m=2" in words(figure)


def test_an_unknown_figure_is_refused_in_one_sentence(tmp_path, capsys):
    assert main(["pie"]) == 1
    said = capsys.readouterr().err
    assert "throughput" in said and said.count("\n") == 1


def test_missing_and_broken_inputs_are_refused_in_one_sentence(tmp_path, capsys):
    missing = tmp_path / "none.csv"
    assert main(["throughput", "--summary", str(missing)]) == 1
    assert str(missing) in capsys.readouterr().err
    missing.write_text("run,system\na,crossbow\n")
    assert main(["throughput", "--summary", str(missing)]) == 1
    said = capsys.readouterr().err
    assert "lacks the columns" in said and said.count("\n") == 1
    missing.write_text("")
    assert main(["throughput", "--summary", str(missing)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_legend_names_the_marks_that_are_drawn():
    failed = synthetic.failed("failed", "the driver went away", learners="4")
    late = synthetic.run(epochs=2, batch=64, median5_s=None)
    for runs, crosses, hollow in (([], 0, 0), ([failed], 1, 0), ([late], 0, 1)):
        figure, _ = draw("time_to_accuracy", synthetic.tables(synthetic.run(), *runs))
        (legend,) = figure.legends
        said = " ".join(text.get_text() for text in legend.get_texts())
        assert said.count("ended before an epoch") == crosses
        assert said.count("target not reached") == hollow
