"""Commands that are not run would be taken: targets, modules, flags and configs are there."""

import argparse
import importlib.util
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT, fenced, inline
from not_run import NOT_RUN
from snakemake.cli import get_argument_parser

from bench.sources import sources
from workflows.plan import plan
from workflows.read_config import read_config

LISTED = [command for command in fenced() if command.text in NOT_RUN]


def test_no_command_is_listed_that_is_on_no_page():
    assert {command.text for command in LISTED} == set(NOT_RUN)


@pytest.mark.parametrize("command", [*LISTED, *inline()], ids=lambda command: command.text)
def test_command_would_be_taken(command, monkeypatch):
    program, *words = shlex.split(command.text)
    if program == "make":
        done = subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    elif program == "snakemake":
        snakemake_takes(words)
    elif program == "python" and command in LISTED:
        module_takes(words[1], words[2:], monkeypatch)
    elif program == "python":
        module_has_flags(words[1], [word for word in words if word.startswith("--")])
    else:
        assert command.text.startswith(". .venv/bin/activate")


def snakemake_takes(words):
    """Its own parser does; rules and configs are there, and a config plans runs."""
    given = get_argument_parser().parse_args(words)
    rules = "".join(path.read_text() for path in ROOT.glob("workflows/rules/*.smk"))
    for target in given.targets:
        assert f"rule {target}:" in rules
    for config in given.configfile or []:
        if str(config) != "FILE":
            assert plan(read_config(ROOT / config)).runs


def module_takes(module, words, monkeypatch):
    """The module's own parser takes the words as they are; nothing more of it runs."""
    parse = argparse.ArgumentParser.parse_args

    def parse_and_end(parser, *arguments):
        parse(parser, *arguments)
        raise SystemExit(0)

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_and_end)
    monkeypatch.setattr(sys, "argv", [module, *words])
    with pytest.raises(SystemExit) as end:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    assert end.value.code == 0


def module_has_flags(module, flags):
    """Words may be placeholders, but the module is there, and has flags of these names."""
    if module.isupper():
        return
    found = importlib.util.find_spec(module)
    assert found
    own = [ROOT / path for path in sources(module)] if ROOT in Path(found.origin).parents else []
    text = "".join(path.read_text() for path in own or [Path(found.origin)])
    for flag in flags:
        assert re.search(rf"['\"]{flag}['\"]", text), flag
