import os
import subprocess
import sys
from pathlib import Path

import pytest
from image_files import encoded, good_folder, write_files

from data_prep import prepare as prepare_module
from data_prep.__main__ import main
from data_prep.datasets import known
from data_prep.records import open_records, read_manifest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def command(monkeypatch, capfd):
    """Runs the command line in this process: exit code and lines on stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["data_prep", *map(str, arguments)])
        code = main()
        out, err = capfd.readouterr()
        assert out == ""
        return code, err.splitlines()

    return run


def test_prepares_and_says_so_and_does_nothing_the_second_time(command, tiny_mnist, tmp_path):
    code, lines = command("mnist", tmp_path / "mnist", "--archives", tiny_mnist())
    assert code == 0 and lines[-1] == f"{tmp_path / 'mnist'}: finished"
    assert open_records(tmp_path / "mnist", verify=True).name == "mnist"
    code, lines = command("mnist", tmp_path / "mnist", "--verify")
    assert code == 0 and lines == [f"{tmp_path / 'mnist'}: already finished"]


def test_the_archives_folder_can_come_from_the_environment(
    command, tiny_mnist, tmp_path, monkeypatch
):
    monkeypatch.setenv("DATA_MIRROR", str(tiny_mnist()))
    assert command("mnist", tmp_path / "mnist")[0] == 0


def test_errors_are_one_sentence(command, tiny_mnist, tmp_path):
    archives = tiny_mnist()
    (tmp_path / "file").write_text("")
    for arguments, words in [
        (("nope", tmp_path / "x"), "unknown dataset 'nope'"),
        (("mnist", tmp_path / "x", "--archives", tmp_path / "no"), "no: not a folder"),
        (("mnist", tmp_path / "file", "--archives", archives), "file: "),
        (("mnist", tmp_path / "file" / "x", "--archives", archives), "file/x: "),
    ]:
        code, lines = command(*arguments)
        assert code == 1 and words in lines[-1], lines
        assert all(line.startswith("mnist: looking") for line in lines[:-1])


@pytest.mark.parametrize("option", ["--strict", "--side 32", "--workers 1", "--test-fraction 0.5"])
def test_an_option_that_would_do_nothing_is_refused(command, tiny_mnist, tmp_path, option):
    arguments = ("mnist", tmp_path / "mnist", "--archives", tiny_mnist(), *option.split())
    code, lines = command(*arguments)
    assert code == 1 and len(lines) == 1
    assert lines[0].startswith(f"{option.split()[0]}: mnist has no encoded images")


def test_a_full_disk_is_one_sentence(command, tiny_mnist, tmp_path, monkeypatch):
    def full(*arguments):
        raise OSError(28, "No space left on device", str(tmp_path / "mnist"))

    monkeypatch.setattr(prepare_module.PartialRecords, "write", full)
    code, lines = command("mnist", tmp_path / "mnist", "--archives", tiny_mnist())
    assert code == 1 and lines[-1].startswith(f"{tmp_path / 'mnist'}: No space left on device; ")


def test_as_a_process_it_ends_with_code_1_and_no_traceback(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "data_prep", "nope", tmp_path / "x"],
        cwd=ROOT,
        env=os.environ,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1 and done.stdout == ""
    names = ", ".join(known())
    assert done.stderr.splitlines() == [f"unknown dataset 'nope'; use one of {names}"]


def test_options_of_encoded_images_reach_the_records(command, tmp_path):
    source = good_folder(tmp_path / "photos")
    write_files(source, {"train/cat/png.png": encoded(kind="PNG")})
    options = "--workers 1 --side 96 --shard-mb 0.002 --quality 50 --test-fraction 0.3".split()
    code, lines = command("imagefolder", tmp_path / "x", "--archives", source, *options)
    assert code == 0 and "1 converted" in lines[-1]
    assert not any("images," in line for line in lines[:-1] if "/s" in line)
    records = open_records(tmp_path / "x", verify=True)
    assert records.shape == (96, 96, 3) and len(records.hashes) > 6
    settings = read_manifest(tmp_path / "x")["settings"]
    assert settings == {"side": 96, "shard_mb": 0.002, "quality": 50, "test_fraction": 0.3}
    code, lines = command("imagefolder", tmp_path / "y", "--archives", source, "--strict")
    assert code == 1 and lines[-1].startswith("train/cat/png.png: PNG; --strict was asked for")
