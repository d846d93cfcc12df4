"""TensorBoard event files, read back by TensorBoard."""

import subprocess
import sys
import time
import types

import pytest
from run_folders import command_line, epoch, make, plan

from bench import event_files, record
from bench.watch.observe import read_run


@pytest.fixture
def read(monkeypatch):
    """A function to TensorBoard's own reader of a folder, without importing TensorFlow for it."""
    monkeypatch.setitem(sys.modules, "tensorboard.compat.notf", types.ModuleType("notf"))
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    def of(folder):
        return EventAccumulator(str(folder)).Reload()

    return of


@pytest.fixture
def export(monkeypatch, capsys):
    return command_line(event_files, monkeypatch, capsys)


def test_every_epoch_is_there_at_the_time_when_it_ended(tmp_path, read, export):
    results = tmp_path / "results"
    plan(results, "ended", "next")
    folder = make(results, "ended", [0.5, 0.75], "finished", ago_s=100)
    said = export(results, tmp_path / "out")
    assert said == f"{tmp_path / 'out'}: 1 of 2 runs; 1 have no epoch yet\n"
    seen = read(tmp_path / "out" / "ended")
    accuracy = seen.Scalars("accuracy/test")
    assert [(point.step, point.value) for point in accuracy] == [(1, 0.5), (2, 0.75)]
    began = folder.joinpath(record.STATUS).stat().st_mtime - 11.0  # its wall_s
    assert [point.wall_time - began for point in accuracy] == pytest.approx([7.5, 10.0], abs=1e-3)
    assert sorted(seen.Tags()["scalars"]) == sorted(event_files.TAGS.values())
    assert [point.value for point in seen.Scalars("seconds/train")] == [2.0, 4.0]


def test_settings_are_hyperparameters(tmp_path, read, export):
    from tensorboard.plugins.hparams import plugin_data_pb2

    make(tmp_path, "r", [0.5], "finished", lr=0.25, method={"accumulate": 2})
    export(tmp_path, tmp_path / "out")
    (content,) = read(tmp_path / "out" / "r").PluginTagToContent("hparams").values()
    settings = plugin_data_pb2.HParamsPluginData.FromString(content).session_start_info.hparams
    assert settings["lr"].number_value == 0.25
    assert settings["method"].string_value == '{"accumulate": 2}'


def test_following_appends_epochs_as_they_end(tmp_path, read, export, monkeypatch):
    results, out = tmp_path / "results", tmp_path / "out"
    folder = make(results, "r", [0.5])

    def next_epoch(_):
        if len(read(out / "r").Scalars("accuracy/test")) == 1:
            with (folder / record.EPOCHS).open("a") as file:
                file.write(",".join(map(str, epoch(2, 0.75).values())) + "\n")
        else:
            outcome = {"status": "finished", "reason": "", "wall_s": 11.0}
            record.write_json(folder / record.STATUS, outcome)

    monkeypatch.setattr(time, "sleep", next_epoch)
    export(results, out, "--follow")
    assert [point.value for point in read(out / "r").Scalars("accuracy/test")] == [0.5, 0.75]
    assert len(list((out / "r").iterdir())) == 1


def test_a_run_that_was_trained_again_replaces_its_events(tmp_path, read):
    written, out = {}, tmp_path / "out"
    for ago_s, accuracy in ((100, 0.5), (0, 0.75)):
        folder = make(tmp_path, "r", [accuracy], "finished", ago_s=ago_s)
        event_files.export([read_run(folder)], out, written)
    assert [point.value for point in read(out / "r").Scalars("accuracy/test")] == [0.75]


def test_the_same_command_again_writes_the_same_events(tmp_path, read, export):
    make(tmp_path, "r", [0.5, 0.75], "finished")
    for _ in range(2):
        export(tmp_path, tmp_path / "out")
    assert len(read(tmp_path / "out" / "r").Scalars("accuracy/test")) == 2


def test_what_can_not_be_done_is_one_sentence(tmp_path, export):
    with pytest.raises(SystemExit, match="no such folder"):
        export(tmp_path / "nowhere", tmp_path / "out")
    make(tmp_path, "r", [0.5], "finished")
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"file.*; name other folders"):
        export(tmp_path, tmp_path / "file")


def test_no_framework_is_imported():
    code = (
        "import sys, bench.event_files; sys.exit(str(sys.modules.keys() & {'torch', 'tensorflow'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "set()\n"
