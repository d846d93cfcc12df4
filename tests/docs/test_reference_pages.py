"""What pages beside measurements say of how those were made: whole commands."""

import re
import shlex
import subprocess
import sys
import tarfile

import pytest
from commands import INLINE, ROOT

PAGES = [
    ROOT / "benchmarks/README.md",
    ROOT / "docs/reading.md",
    ROOT / "docs/data.md",
    ROOT / "docs/scaling.md",
    *sorted((ROOT / "results/reference").rglob("README.md")),
]
FENCED = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACEHOLDER = re.compile(r"[A-Z]+(\.\w+)?(\.\.\.)?")
PYTHON = "python -m "
# Runs the module of the arguments as far as its parser, which says what is lacking.
PARSE = """
import argparse, runpy, sys
parse = argparse.ArgumentParser.parse_args
def parse_and_end(parser, *arguments):
    parse(parser, *arguments)
    sys.exit(0)
argparse.ArgumentParser.parse_args = parse_and_end
sys.path.insert(0, sys.argv[1])
sys.argv = sys.argv[2:]
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
"""


def commands():
    """Each command with arguments of its own, once: from its module on."""
    found = {}
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        lines = [line for block in FENCED.findall(text) for line in block.splitlines()]
        lines += [" ".join(command.split()) for command in INLINE.findall(text)]
        for line in lines:
            module, *words = shlex.split(line.partition(PYTHON)[2]) or [""]
            if module and words and not any(PLACEHOLDER.fullmatch(word) for word in words):
                found[(module, *words)] = None
    return list(found)


@pytest.mark.slow
@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_a_command_beside_measurements_lacks_nothing(command, tmp_path):
    """In a folder with the archive that commands name; nothing is measured."""
    with tarfile.open(tmp_path / "imagenet-sample.tar", "w") as tar:
        tar.addfile(tarfile.TarInfo("n01440764/0.JPEG"))
    done = subprocess.run(
        [sys.executable, "-c", PARSE, str(ROOT), *command],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
