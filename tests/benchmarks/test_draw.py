"""Figures of benchmarks, from small tables."""

import itertools
import shutil
import sys

import pandas as pd
import pytest

pytest.importorskip("matplotlib", reason="figures need matplotlib: install requirements.lock")

from bench import record
from benchmarks import (
    draw,
    draw_engine,
    draw_scaling,
    draw_timeline,
    draw_tuning,
    engine,
    timeline,
    tuning,
)
from benchmarks.scaling_tables import TWO_CORES
from plots import _files, style

RUN = {"model": "resnet32", "learners": 2, "batch": 16, "devices": 2, "epochs": 30}
RUN |= {"device_type": "cuda"}
STRONGEST = {"precision": "bf16", "compile": True, "graph": True, "channels_last": True}


def rate(batch, m, images_per_s, call="one", **fields):
    row = {"model": "resnet32", "dataset": "d", "devices": 1, "system": "crossbow", **STRONGEST}
    row |= {"batch": batch, "learners": m, "images_per_s": images_per_s, "call": call}
    return row | fields


@pytest.fixture
def folder(tmp_path):
    """A folder with small tables of every benchmark."""
    eager = {"precision": "fp32", "compile": False, "graph": False, "channels_last": False}
    rows = [
        rate(16, 1, 10.0, "old"), rate(16, 2, 11.0, "old"),
        rate(16, 1, 20.0), rate(16, 2, 40.0), rate(16, 2, 50.0, unroll=4),
        rate(16, 1, 19.0, system="pytorch"), rate(16, 1, 2.0, system="pytorch", **eager),
        rate(16, 4, 60.0), rate(16, 8, 30.0, "spot"), rate(16, 1, 99.0, devices=2),
        rate(64, 1, 30.0, "spot"), rate(64, 2, 30.0, "spot"),
    ]  # fmt: skip
    record.write_table(tmp_path / "engine.csv", engine.COLUMNS, rows)
    gpu = {"gpus": [{"name": "NVIDIA X"}]}
    record.write_json(tmp_path / "engine-one.json", gpu | {"code": {"commit": "12345678"}})
    spans = [
        (0, 7, "compute", 0, 10), (0, 8, "compute", 10, 90), (0, 1, "all-reduce", 60, 100),
        (1, 7, "compute", 0, 50), (1, 8, "compute", 95, 99),
    ]  # fmt: skip
    rows = [
        {"rank": r, "stream": s, "kind": kind, "kernels": 1, "start_us": start, "end_us": end}
        for r, s, kind, start, end in spans
    ]
    record.write_table(tmp_path / "timeline.csv", timeline.COLUMNS, rows)
    ranks = {
        f"rank {r}": {"kernels_at_once": 1.5 + r, "all_reduce_overlapped": 0.8} for r in (0, 1)
    }
    record.write_json(tmp_path / "overlap.json", {"run": RUN, **ranks})
    sweep = [{"learners": m, "images_per_s": x} for m, x in ((1, 10.0), (2, 18.0), (4, 20.0))]
    trace = [{"learners": 1, "images_per_s": 9.0, "iteration": 8, "decision": "grow"}]
    rows = [{"source": "sweep", **row} for row in sweep]
    rows += [{"source": "tuner", **row} for row in trace]
    record.write_table(tmp_path / "tuning.csv", tuning.COLUMNS, rows)
    found = tuning.compare(sweep, 2, [{"tuning_s": 0.5}], 20.0)
    code = {"commit": "abcdefgh", "dirty": True}
    made = {"run": RUN, "environment": gpu, "code": code}
    record.write_json(tmp_path / "tuning.json", found | made)
    return tmp_path


def lines(panel):
    return [list(line.get_ydata()) for line in panel.get_lines()]


def test_engine_draws_the_last_full_sweep_of_one_gpu_beside_pytorch(folder):
    figure, caption = draw_engine.draw(folder)
    (panel,) = figure.axes
    assert panel.get_title() == "ResNet-32"
    # One learner had 20 images/s.
    assert lines(panel) == [[1.0, 2.0, 3.0], [0.95, 0.95], [0.1, 0.1]]
    assert panel.get_xlabel() == "learners\nb = 16: 1 × is 20 images/s" and not panel.texts
    assert "call one: NVIDIA X, commit 1234567." in caption
    told = panel.get_lines()[0].get_gid().split("\x1f")
    assert told[1] == "Crossbow m=2, bf16, b=16, 1 device, resnet32 on d: 40 images/s"


def test_engine_panels_share_their_axes(folder):
    table = pd.read_csv(folder / "engine.csv")
    other = table.assign(model="lenet", images_per_s=1000 * table["images_per_s"])
    pd.concat([table, other]).to_csv(folder / "engine.csv", index=False)
    one, two = draw_engine.draw(folder)[0].axes
    assert one.get_ylim() == two.get_ylim() and one.get_xlim() == two.get_xlim()
    assert lines(one) == lines(two)


@pytest.mark.parametrize("networks", [4, 6])
def test_engine_panels_of_many_networks_stand_in_rows(networks, folder):
    table = pd.read_csv(folder / "engine.csv")
    names = [f"network {number}" for number in range(networks)]
    tables = [table.assign(model=name) for name in names]
    pd.concat(tables).to_csv(folder / "engine.csv", index=False)
    figure, _ = draw_engine.draw(folder)
    assert [panel.get_title() for panel in figure.axes] == names
    assert figure.get_figwidth() < 10
    _files.settle(figure)
    boxes = [panel.get_tightbbox() for panel in figure.axes]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    for panel in figure.axes:
        assert any(label.get_visible() for label in panel.get_xticklabels())
    assert sum(bool(panel.get_ylabel()) for panel in figure.axes) == -(-networks // 4)


def test_timeline_has_a_lane_per_stream_with_all_reduces_last(folder):
    figure, caption = draw_timeline.draw(folder)
    labels = [[tick.get_text() for tick in panel.get_yticklabels()] for panel in figure.axes]
    assert labels == [["7", "8", "1"], ["7"]]  # the last quarter of the time is left out
    assert "1.5 and 2.5 kernels" in caption and "80% and 80%" in caption
    assert "Watched" not in caption
    # Older results say neither machine nor commit.
    assert caption.endswith(f" {folder.name}, commit not recorded.")
    assert not figure.texts


def test_timeline_names_the_gpus_that_were_watched_where_not_all_were(folder):
    overlap = record.read_json(folder / "overlap.json")
    overlap["run"]["devices"] = 4
    record.write_json(folder / "overlap.json", overlap)
    _, caption = draw_timeline.draw(folder)
    assert "on 4 GPUs" in caption and "waits for the others." in caption
    assert "Watched: GPU 0 and GPU 1. 1.5 and 2.5 kernels" in caption
    del overlap["rank 1"]
    record.write_json(folder / "overlap.json", overlap)
    spans = pd.read_csv(folder / "timeline.csv")
    spans[spans["rank"] == 0].to_csv(folder / "timeline.csv", index=False)
    figure, caption = draw_timeline.draw(folder)
    assert "Watched: GPU 0. 1.5 kernels" in caption
    assert [panel.get_title("left") for panel in figure.axes] == ["GPU 0"]


def test_a_system_has_one_colour_in_all_panels_of_predictions(tmp_path):
    mine, other = "mine", "other 5"  # which ask for the same place in the palette
    shutil.copytree(TWO_CORES, tmp_path / "two-cores")
    path = tmp_path / "two-cores/scaling_prediction.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table = table[table["images_per_s"] != ""][:1]
    rows = [table.assign(system=other)]
    rows += [table.assign(model="resnet32", system=name) for name in (mine, other)]
    pd.concat(rows).to_csv(path, index=False)
    panels = draw_scaling.draw(path.parent)[0].axes
    drawn = [line for panel in panels for line in panel.get_lines()]
    colours = [line.get_color() for line in drawn if line.get_label().startswith(other)]
    assert len(colours) == 2 and set(colours) == {style.hues([mine, other])[other]}


@pytest.mark.parametrize("networks", [1, 4, 5, 9])
def test_predictions_of_many_networks_stand_in_rows(networks, tmp_path):
    shutil.copytree(TWO_CORES, tmp_path / "two-cores")
    path = tmp_path / "two-cores/scaling_prediction.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table = table[(table["images_per_s"] != "") & (table["dataset"] == "mnist")]
    names = [f"network {number}" for number in range(networks)]
    pd.concat([table.assign(model=name) for name in names]).to_csv(path, index=False)
    figure, _ = draw_scaling.draw(path.parent)
    assert [panel.get_title() for panel in figure.axes] == names
    _files.settle(figure)
    boxes = [panel.get_tightbbox() for panel in figure.axes]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))
    sizes = {tuple(round(side) for side in panel.bbox.size) for panel in figure.axes}
    assert len({height for _, height in sizes}) == 1 and min(map(min, sizes)) > 1.5 * figure.dpi
    assert sum(bool(panel.get_ylabel()) for panel in figure.axes) == -(-networks // 4)


def test_predictions_of_one_number_of_learners_have_marks_of_their_own(tmp_path):
    shutil.copytree(TWO_CORES, tmp_path / "two-cores")
    path = tmp_path / "two-cores/scaling_prediction.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table = table[(table["images_per_s"] != "") & (table["dataset"] == "mnist")]
    pd.concat([table, table.assign(batch="64")]).to_csv(path, index=False)
    (panel,) = draw_scaling.draw(path.parent)[0].axes
    markers = [line.get_marker() for line in panel.get_legend().get_lines()]
    assert len(markers) == len(set(markers)) == 10


def test_a_legend_shows_no_line_that_is_not_drawn(folder, tmp_path):
    shutil.copytree(TWO_CORES, tmp_path / "two-cores")
    path = tmp_path / "two-cores/scaling_prediction.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table[table["dataset"] == "digits"].to_csv(path, index=False)
    (panel,) = draw_scaling.draw(path.parent)[0].axes  # on four devices alone
    assert {line.get_linestyle() for line in panel.get_legend().get_lines()} == {"None"}
    rows = pd.read_csv(folder / "engine.csv")
    for system, form, said in (
        (["crossbow"], ["bf16"], ["Crossbow"]),
        (["crossbow", "pytorch"], ["bf16"], ["Crossbow", "PyTorch, compiled, one graph"]),
    ):
        kept = rows[rows["system"].isin(system) & rows["precision"].isin(form)]
        kept.to_csv(folder / "engine.csv", index=False)
        (legend,) = draw_engine.draw(folder)[0].legends
        assert [text.get_text() for text in legend.get_texts()] == ["b = 16", *said]


def test_tuning_says_what_was_chosen_and_what_it_took(folder):
    figure, caption = draw_tuning.draw(folder)
    assert lines(figure.axes[0]) == [[10.0, 18.0, 20.0], [9.0], [18.0]]
    told = [line.get_gid() for line in figure.axes[0].get_lines()]
    where = "b=16, 2 devices, resnet32"
    assert told[2] == f"hover:Crossbow m=2, {where}: 18 images/s, chosen"
    assert "chose 2 learners: 90.0%" in caption and "(2.5%)" in caption
    assert caption.endswith(" NVIDIA X, commit abcdefg with changes. Dirty: 1 of 1 measurements is "
                            "of changed code that no commit holds.")  # fmt: skip


def test_another_batch_is_tuned_in_files_and_a_figure_of_its_own(folder, monkeypatch):
    for kind in ("csv", "json"):
        (folder / f"tuning.{kind}").rename(folder / f"tuning-b64.{kind}")
    monkeypatch.setattr(sys, "argv", ["draw", str(folder), "tuning-b64"])
    draw.main()
    assert {path.stem for path in folder.glob("*.pdf")} == {"tuning-b64"}
    assert "chose 2 learners: 90.0%" in (folder / "tuning-b64.txt").read_text()


def test_command_draws_what_there_are_numbers_for(folder, monkeypatch):
    (folder / "tuning.csv").unlink()
    monkeypatch.setattr(sys, "argv", ["draw", str(folder)])
    draw.main()
    kinds = ("svg", "pdf", "png", "txt")
    drawn = {path.name for path in folder.iterdir() if path.suffix[1:] in kinds}
    assert drawn == {f"{name}.{kind}" for name in ("engine", "timeline") for kind in kinds}


def test_command_draws_the_one_that_is_named(folder, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["draw", str(folder), "tuning"])
    draw.main()
    assert {path.stem for path in folder.glob("*.pdf")} == {"tuning"}


def test_a_folder_without_numbers_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["draw", str(tmp_path)])
    with pytest.raises(SystemExit, match="has none of engine"):
        draw.main()


def test_a_table_without_a_sweep_is_one_sentence_and_keeps_no_other_figure(
    folder, monkeypatch, capsys
):
    table = pd.read_csv(folder / "engine.csv")
    for rows in (table[table["learners"] == 1], table[:0]):
        rows.to_csv(folder / "engine.csv", index=False)
        monkeypatch.setattr(sys, "argv", ["draw", str(folder), "engine"])
        with pytest.raises(SystemExit, match="has no sweep of Crossbow's learners on one GPU"):
            draw.main()
    monkeypatch.setattr(sys, "argv", ["draw", str(folder)])
    draw.main()
    assert "has no sweep" in capsys.readouterr().out
    assert {path.stem for path in folder.glob("*.pdf")} == {"timeline", "tuning"}
