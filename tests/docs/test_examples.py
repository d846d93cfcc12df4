"""The examples of the pages are complete and keep to the style; test_commands_run.py runs them."""

import re
import subprocess
import sys

import pytest
from commands import ROOT, files, lines_of_systems, pages, read

NEW = {"models/small.py", "models/two_layers.py", "data_prep/parity.py"}
NEW |= {"baselines/pytorch_adam.py", "plots/loss_by_epoch.py"}
NEW |= {"workflows/config/parity.yaml"}
WITH_EXAMPLES = [page for page in pages() if re.search(r"adding\.md|tutorial/add-", page)]


def test_there_is_an_example_of_each_kind_and_no_block_is_left_out():
    text = "".join(map(read, WITH_EXAMPLES))
    assert files().keys() >= NEW
    blocks = re.findall(r"^```(?:python|yaml)$", text, re.MULTILINE)
    assert len(blocks) == len(files()) + len(lines_of_systems())


@pytest.mark.parametrize("name", [name for name in files() if name.endswith(".py")])
@pytest.mark.parametrize("check", [["check"], ["format", "--check"]], ids=" ".join)
def test_examples_keep_to_the_style(check, name):
    command = [sys.executable, "-m", "ruff", *check, "--stdin-filename", name, "-"]
    done = subprocess.run(command, cwd=ROOT, input=files()[name], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
