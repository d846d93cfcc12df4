"""What is measured for minutes is not lost to an `--out` that can be no folder."""

import subprocess
import sys
from pathlib import Path

import pytest

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
