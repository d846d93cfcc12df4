"""What a results folder says of its runs, whatever state they are in."""

import pytest
from run_folders import make, plan, sample

from bench import record
from bench.watch.device_use import use
from bench.watch.observe import look, problem, read_run
from bench.watch.remaining import all_left_s, left_s, used_s


def states(results, **options):
    return {run.id: run.state for run in look(results, {}, **options)}


def test_every_state_that_a_run_can_be_in(tmp_path):
    plan(tmp_path, "ended", "trains", "killed", "planned", "bad")
    make(tmp_path, "ended", [0.5, 0.9], "reached")
    make(tmp_path, "trains", [0.5])
    make(tmp_path, "killed", [0.5], ago_s=120)
    (make(tmp_path, "bad") / record.RUN).write_text('{"spec": ')
    expected = {"ended": "reached", "trains": "running", "killed": "stopped"}
    assert states(tmp_path) == expected | {"planned": "planned", "bad": "unreadable"}


def test_runs_of_an_earlier_experiment_are_asked_for(tmp_path):
    plan(tmp_path, "b", "a")
    make(tmp_path, "earlier", [0.5], "finished")
    assert list(states(tmp_path)) == ["b", "a"]
    assert list(states(tmp_path, everything=True)) == ["b", "a", "earlier"]


def test_runs_are_there_without_a_plan(tmp_path):
    make(tmp_path, "copied", [0.5], "finished")
    assert states(tmp_path) == {"copied": "finished"}


@pytest.mark.parametrize("end", ["r,4,1,1,8.0,2.", "r,4,1,1,8.0,2.0,15,1,1,1,1,0.9,1,70", "r,4\n"])
def test_a_row_that_is_being_written_does_not_count(tmp_path, end):
    folder = make(tmp_path, "r", [0.5, 0.6, 0.7])
    with (folder / record.EPOCHS).open("a") as file:
        file.write(end)
    assert [row["test_acc"] for row in read_run(folder).epochs] == [0.5, 0.6, 0.7]


def test_an_ended_run_is_read_once_and_again_when_it_was_trained_again(tmp_path):
    known = {}
    folder = make(tmp_path, "r", [0.5], "failed", ago_s=30)
    (first,) = look(tmp_path, known)
    (second,) = look(tmp_path, known)
    assert second is first
    (folder / record.STATUS).unlink()
    make(tmp_path, "r")
    assert states(tmp_path) == {"r": "running"}
    assert [run.state for run in look(tmp_path, known)] == ["running"]
    make(tmp_path, "r", [0.95], "reached")
    assert [run.state for run in look(tmp_path, known)] == ["reached"]


def test_a_damaged_status_is_named(tmp_path):
    folder = make(tmp_path, "r", [0.5], "reached")
    (folder / record.STATUS).write_text("")
    assert read_run(folder).reason.startswith("status.json is damaged")


def test_what_is_no_results_folder_is_named(tmp_path):
    assert "no such folder" in problem(tmp_path / "nowhere")
    assert "no run was planned" in problem(tmp_path)
    (tmp_path / "file").touch()
    assert "a file" in problem(tmp_path / "file")
    make(tmp_path, "r")
    assert not problem(tmp_path)


def test_time_left_is_that_of_the_epochs_to_come(tmp_path):
    run = read_run(make(tmp_path, "r", [0.5, 0.6]))
    assert used_s(run, run.epoch_at) == pytest.approx(10.0)
    assert left_s(run, run.epoch_at) == pytest.approx(2 * 2.5)
    assert left_s(run, run.epoch_at + 1) == pytest.approx(4.0)
    only_one = read_run(make(tmp_path, "s", [0.5]))
    assert left_s(only_one, only_one.epoch_at) == pytest.approx(3 * 2.5)


def test_time_left_of_all_takes_runs_alike_and_those_that_train_at_once(tmp_path):
    ids = [f"pytorch-m-d-cpu1-b16-s{seed}-{seed:08x}" for seed in (1, 2, 3)]
    other = "crossbow-m-d-cpu1-m2-b16-s1-aaaaaaaa"
    plan(tmp_path, *ids, other)
    assert all_left_s(list(look(tmp_path, {})), 0.0) is None
    make(tmp_path, ids[0], [0.5] * 4, "finished")  # 16 s
    make(tmp_path, other, [], "failed")  # says nothing of how long others take
    runs = list(look(tmp_path, {}))
    assert all_left_s(runs, 0.0) == pytest.approx(2 * 16.0)
    make(tmp_path, ids[1], [0.5] * 2)
    make(tmp_path, ids[2], [0.5] * 2)
    runs = list(look(tmp_path, {}))
    assert all_left_s(runs, runs[1].epoch_at) == pytest.approx(5.0, abs=0.1)


def test_use_of_a_running_run_is_that_of_the_last_seconds(tmp_path):
    folder = make(tmp_path, "r", [0.5])
    sample(folder, *[0.0] * 20, *[1.0] * 11)
    with (folder / record.TELEMETRY).open("a") as file:
        file.write("r,15.5,cpu,0.")
    assert use(read_run(folder)) == 1.0


def test_use_of_an_ended_run_is_that_of_its_epochs_on_its_own_gpus(tmp_path):
    folder = make(tmp_path, "r", [0.5] * 4, "finished", device_type="cuda", devices=1)
    sample(folder, *[0.1] * 10, *[0.8] * 21, *[0.0] * 4, device="cuda:0")
    assert use(read_run(folder)) == pytest.approx(0.8)
    sample(folder, 0.3, device="cuda:1")
    assert use(read_run(make(tmp_path, "s", [0.5], "finished"))) is None
