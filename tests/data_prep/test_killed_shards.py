"""Encoded images, killed in the middle: finished shards are kept, and nothing looks finished."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from image_files import encoded, good_folder

from data_prep.options import Options
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records

ROOT = Path(__file__).parents[2]
SHARD_MB = 0.3


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """Enough images to catch a preparation in the middle of."""
    folder = good_folder(tmp_path_factory.mktemp("photos"), train=1)
    data = encoded(size=(1600, 1200), quality=95)
    for number in range(120):
        (folder / f"train/cat/{number:03}.jpg").write_bytes(data + bytes([number]))
    return folder


def start(source, folder, workers=2):
    command = [sys.executable, "-m", "data_prep", "imagefolder", folder, "--archives", source]
    return subprocess.Popen(
        [*command, "--workers", str(workers), "--shard-mb", str(SHARD_MB)],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.PIPE,
        text=True,
    )


def shards(folder):
    """The shards finished so far: what is known of each, and when its bytes were written."""
    facts = sorted((folder / ".partial").glob("train-??????.json"))
    return {path: path.with_suffix(".tar").stat().st_mtime_ns for path in facts}


def wait_for_shards(folder, count):
    deadline = time.monotonic() + 60
    while len(found := shards(folder)) < count:
        assert time.monotonic() < deadline, "no shard ever came"
        time.sleep(0.005)
    return found


def finished_shards(folder):
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("train-*.tar")}


@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 1)])
def test_a_rerun_after_a_kill_keeps_the_finished_shards(source, tmp_path, how, code):
    folder = tmp_path / "records"
    with start(source, folder) as process:
        wait_for_shards(folder, 2)
        children = psutil.Process(process.pid).children(recursive=True)
        assert children
        if how == signal.SIGINT:  # which a terminal sends to all of a command's processes
            os.killpg(process.pid, how)
        else:
            process.send_signal(how)
        said = process.stderr.read()
    assert process.returncode == code
    assert "Traceback" not in said
    _, alive = psutil.wait_procs(children, timeout=10)
    assert not alive  # a kill leaves no process behind that goes on writing
    with pytest.raises(RecordsError, match="no finished records"):
        open_records(folder)
    kept = shards(folder)

    lines = []
    options = Options(workers=1, shard_mb=SHARD_MB)
    prepare("imagefolder", folder, source, report=lines.append, options=options)
    total = len(finished_shards(folder))
    assert 2 <= len(kept) < total
    assert any(f" of {total + 1} shards were finished before" in line for line in lines), lines
    for path, written in kept.items():
        assert finished_shards(folder)[path.with_suffix(".tar").name] == written
    open_records(folder, verify=True)

    whole = tmp_path / "whole"
    prepare("imagefolder", whole, source, options=options)
    assert open_records(whole).hashes == open_records(folder).hashes
    assert not (folder / ".partial").exists()


def test_a_shard_that_was_cut_short_is_made_again(source, tmp_path):
    folder, options = tmp_path / "records", Options(workers=1, shard_mb=SHARD_MB, strict=True)
    (source / "train/dog/bad.jpg").write_bytes(b"")
    with pytest.raises(RecordsError, match="--strict"):
        prepare("imagefolder", folder, source, options=options)
    (first, _), *others = sorted(shards(folder).items())
    first.with_suffix(".tar").write_bytes(b"short")
    for path, _ in others:
        os.utime(path.with_suffix(".tar"), (1, 1))
    prepare("imagefolder", folder, source, options=Options(workers=1, shard_mb=SHARD_MB))
    (source / "train/dog/bad.jpg").unlink()
    again = sorted(finished_shards(folder).items())
    assert again[0][1] > 10**10
    assert {written for _, written in again[1:]} == {10**9}
    open_records(folder, verify=True)


@pytest.mark.parametrize("ending", [".tar", ".npy"])
def test_a_finished_shard_of_other_bytes_is_made_again(source, tmp_path, ending):
    folder, options = tmp_path / "records", Options(workers=1, shard_mb=SHARD_MB)
    with start(source, folder) as process:
        wait_for_shards(folder, 2)
        process.kill()
    kept = shards(folder)
    damaged = min(kept).with_suffix(ending)
    data = bytearray(damaged.read_bytes())
    data[-1] ^= 1
    damaged.write_bytes(data)
    said = []
    prepare("imagefolder", folder, source, report=said.append, options=options)
    assert f"{damaged}: contents differ from what was written; it is made again" in said
    open_records(folder, verify=True)
    written = finished_shards(folder)
    for path, time_written in sorted(kept.items())[1:]:
        assert written[path.with_suffix(".tar").name] == time_written
    whole = tmp_path / "whole"
    prepare("imagefolder", whole, source, options=options)
    assert open_records(whole).hashes == open_records(folder).hashes


def test_a_worker_that_is_killed_is_one_sentence(source, tmp_path):
    folder = tmp_path / "records"
    with start(source, folder) as process:
        wait_for_shards(folder, 1)
        for child in psutil.Process(process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # ended meanwhile
                if not child.children() and "forkserver" in " ".join(child.cmdline()):
                    child.kill()
        said = process.stderr.read()
    assert process.returncode == 1
    assert said.splitlines()[-1].startswith("a worker process was killed") and "Trace" not in said
