"""What is measured for minutes is not lost to an `--out` that can be no folder."""

import argparse
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.results import folder

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "preparing": ["sample.tar"],
    "reading": ["sample.tar"],
    "record_formats": ["sample.tar"],
    "suite_scale": [],
    "queue_check forecast": ["summary.csv"],
    "queue_check timeline": ["results", "--slots", "1", "--call", "one"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_is_refused_first(command, tmp_path):
    out = tmp_path / "file"
    out.touch()
    module, *subcommand = command.split()
    begin = [sys.executable, "-m", f"benchmarks.{module}", *subcommand, "--out", out]
    done = subprocess.run([*begin, *COMMANDS[command]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.endswith(f"argument --out: {out} is a file; name a folder\n")


def test_what_can_not_be_written_to_is_refused_in_a_sentence(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    long = tmp_path / "new" / (300 * "x")
    for out, words in {
        tmp_path / "link": f"{tmp_path}/link is a link to nothing; name a folder",
        tmp_path / "link/below": f"{tmp_path}/link is a link to nothing; name a folder",
        long: f"{long}: File name too long; name another folder",
        # Of the kernel's own: nobody makes a file or folder there.
        Path("/proc"): "/proc: No such file or directory; name another folder",
        Path("/proc/new"): "/proc/new: No such file or directory; name another folder",
    }.items():
        with pytest.raises(argparse.ArgumentTypeError) as refused:
            folder(str(out))
        assert str(refused.value) == words
    assert [path.name for path in tmp_path.iterdir()] == ["link"]


def test_asking_for_a_folder_does_not_make_it(tmp_path):
    (tmp_path / "there").mkdir()
    for out in (tmp_path / "there", tmp_path / "new/one"):
        assert folder(str(out)) == out
    assert [path.name for path in tmp_path.rglob("*")] == ["there"]
