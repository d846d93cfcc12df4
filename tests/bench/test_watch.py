"""What a person sees of a results folder: on a terminal, in a file, at a moment."""

import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest
from run_folders import make, plan, sample

from bench import record
from bench.sources import ROOT
from bench.watch import __main__ as watch
from bench.watch.table import ASCII_BARS, shortened, sparkline


@pytest.fixture
def results(tmp_path):
    """One run in each state."""
    plan(tmp_path, "early", "late", "runs", "broke", "diverged", "next")
    make(tmp_path, "early", [0.2, 0.95, 0.96, 0.97], "reached", ago_s=20)
    make(tmp_path, "late", [0.2, 0.3, 0.4, 0.5], "finished", ago_s=10)
    sample(make(tmp_path, "runs", [0.2, 0.55]), 1.0, 1.0, 1.0)
    make(tmp_path, "broke", [], "failed", "killed by SIGKILL", ago_s=5)
    make(tmp_path, "diverged", [0.1], "diverged", "train_loss became nan in epoch 1", ago_s=15)
    return tmp_path


@pytest.fixture
def once(monkeypatch, capsys):
    """A function that prints one table of some width, and returns its lines."""

    def run(results, width=150, *options):
        monkeypatch.setenv("COLUMNS", str(width))
        monkeypatch.setattr(sys, "argv", ["watch", str(results), "--once", *options])
        watch.main()
        return capsys.readouterr().out.splitlines()

    return run


def first_words(lines):
    """The first word of the table's lines."""
    start = next(i for i, line in enumerate(lines) if line.startswith("run "))
    return [line.split()[0] for line in lines[start + 1 :] if line.strip()]


def test_the_table_has_what_runs_first_then_what_failed_then_the_latest(results, once):
    lines = once(results)
    assert first_words(lines)[:6] == ["runs", "broke", "diverged", "late", "early", "next"]
    assert "4 of 6 runs ended" in lines[0]
    assert "75% done" in lines[1] and "left" in lines[1]
    (running,) = [line for line in lines if line.startswith("runs ")]
    assert re.search(r"running +2/4 +0\.5500 +▁█ +702 +CPU 1\.0 +0:00:10 +0:00:0[45]", running)
    assert "failed broke: killed by SIGKILL" in lines
    assert "diverged diverged: train_loss became nan in epoch 1" in lines


def test_a_narrow_table_keeps_status_and_epoch(results, once):
    lines = once(results, 60)
    assert max(map(len, lines)) <= 60
    assert re.search(r"^runs .*running +2/4", "\n".join(lines), re.M)


def test_a_matrix_larger_than_the_screen_is_cut_and_counted(tmp_path):
    plan(tmp_path, *(f"run-{i:03d}" for i in range(300)))
    for i in range(20):
        make(tmp_path, f"run-{i:03d}", status="failed", reason="no memory")
    make(tmp_path, "run-020", [0.5])
    shown = on_terminal(tmp_path, rows=24, columns=90)
    last = shown.split("\x1b[?1049l")[-1].splitlines()
    assert len(last) <= 24
    assert any(re.search(r"and \d+ more failed, 279 more planned", line) for line in last)
    assert any("and 16 more that went wrong" in line for line in last)
    assert any(line.startswith("run-020") for line in last)
    assert "of 300 runs ended" in last[0]  # however long the path before it


def on_terminal(results, rows, columns, seconds=1.5, **variables):
    """What `bench.watch` writes to a terminal of this size until it is interrupted."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    variables = (
        os.environ | {"TERM": "xterm", "LINES": str(rows), "COLUMNS": str(columns)} | variables
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.watch", str(results), "--interval", "0.1"],
        cwd=ROOT, env=variables, stdin=theirs, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    seen, interrupt_at = b"", None
    try:
        while True:
            try:
                chunk = os.read(ours, 65536)
            except BlockingIOError:
                chunk = None
            except OSError:  # the other side is closed
                break
            if chunk == b"":
                break
            seen += chunk or b""
            if interrupt_at is None and seen.count(b"\n") > 5:  # drawn once
                interrupt_at = time.monotonic() + seconds
            elif interrupt_at and time.monotonic() > interrupt_at:
                process.send_signal(signal.SIGINT)
                interrupt_at = float("inf")
            time.sleep(0.02)
        assert process.wait() == 0
    finally:
        process.kill()
        os.close(ours)
    return seen.decode()


def test_a_terminal_is_redrawn_and_given_back_when_interrupted(results):
    shown = on_terminal(results, rows=30, columns=120)
    assert shown.count("6 runs ended") > 2
    assert shown.count("\x1b[?1049h") == shown.count("\x1b[?1049l") == 1
    assert "Traceback" not in shown
    assert "\x1b[32mreached" in shown


def test_no_color_is_heeded(results):
    shown = on_terminal(results, rows=30, columns=120, seconds=0, NO_COLOR="1")
    assert not re.search(r"\x1b\[[0-9;]*3\d", shown)


@pytest.fixture
def tell(monkeypatch, capsys):
    """A function that watches without a terminal while `steps` happen between two looks."""

    def run(results, *steps):
        to_come = iter(steps)

        def next_step(_):
            try:
                next(to_come)()
            except StopIteration:
                raise KeyboardInterrupt from None

        monkeypatch.setattr(time, "sleep", next_step)
        monkeypatch.setattr(sys, "argv", ["watch", str(results)])
        watch.main()
        return capsys.readouterr().out.splitlines()

    return run


def test_without_a_terminal_each_change_is_a_line_until_all_have_ended(tmp_path, tell):
    results = tmp_path / "results"
    lines = tell(
        results,
        lambda: results.mkdir(),
        lambda: plan(results, "a", "b"),
        lambda: make(results, "a", [0.5]),
        lambda: None,
        lambda: make(results, "a", [0.5] * 4, "finished", "all epochs done"),
        lambda: make(results, "b", [], "failed", "killed"),
    )
    assert "no such folder; waiting" in lines[0]
    assert "no run was planned" in lines[1]
    assert lines[2].endswith("0 of 2 runs ended: 2 planned")
    told = [line.split(maxsplit=1)[1] for line in lines[3:6]]
    assert told[0].startswith("running  a  epoch 1/4  accuracy 0.5000  701 images/s")
    assert told[1].startswith("finished  a  epoch 4/4") and told[1].endswith("all epochs done")
    assert told[2] == "failed  b  killed"
    assert lines[6].endswith("2 of 2 runs ended: 1 failed, 1 finished")
    assert len(lines) == 7


def test_nothing_is_written_into_the_results(results, once, tell):
    def everything():
        return {
            path: (s := path.stat()) and (s.st_mtime_ns, s.st_size) for path in results.rglob("*")
        }

    before = everything()
    once(results, 150, "--all")
    tell(results, lambda: None)
    assert everything() == before


@pytest.mark.parametrize("name", ["nowhere", ".", "file"])
def test_one_look_at_no_results_ends_with_a_sentence(tmp_path, once, name):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=r"^Error: .*(no such folder|no run was planned|a file)"):
        once(tmp_path / name)


def test_a_folder_of_which_only_a_part_was_copied(tmp_path, once):
    folder = make(tmp_path, "r", [0.5, 0.6], "finished")
    (folder / record.RUN).unlink()
    make(tmp_path, "s", [0.5], "a status of a later version")
    assert first_words(once(tmp_path)) == ["s", "r", "a"]


@pytest.mark.parametrize("text", ["0", "-1", "nan", "inf", "x"])
def test_an_interval_must_be_some_time(monkeypatch, capsys, text):
    monkeypatch.setattr(sys, "argv", ["watch", "results", "--interval", text])
    with pytest.raises(SystemExit):
        watch.main()
    assert "--interval" in capsys.readouterr().err


def test_sparkline():
    assert sparkline([0.0, 0.5, 1.0], 12, ASCII_BARS) == "_=#"
    assert sparkline([float("nan")], 12) == ""
    assert sparkline([0.3, 0.3], 12, ASCII_BARS) == "~~"
    assert len(sparkline(range(100), 12)) == 12
    assert sparkline(range(100), 12)[-1] == "█"


def test_an_id_keeps_both_ends():
    assert shortened("crossbow-lenet-m2-s1-0123abcd", 16) == "crossbo..123abcd"
    assert shortened("short", 16) == "short"
