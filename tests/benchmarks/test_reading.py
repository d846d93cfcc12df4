"""The benchmark of reading, with too few images to mean anything."""

import io
import json
import subprocess
import sys
import tarfile

import numpy as np
import pytest
from photos import photo

from bench import record
from benchmarks import reading
from benchmarks.readers import READERS


@pytest.fixture
def archive(tmp_path):
    """Twelve photos in two classes, laid out as imagenet-sample.tar is."""
    path = tmp_path / "sample.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
        for number in range(12):
            data = photo("444", 60 + number, 80, number)
            member = tarfile.TarInfo(f"n{number % 2}/n{number % 2}_{number}.JPEG")
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def test_readers_take_turns_and_leave_a_table(archive, tmp_path):
    readers = ["decode alone", "this suite"]
    command = [sys.executable, "-m", "benchmarks.reading", str(archive), "--out", str(tmp_path)]
    command += ["--images", "24", "--batch", "8", "--rounds", "1", "--workers", "1"]
    done = subprocess.run(
        [*command, "--readers", *readers],
        cwd=reading.ROOT, capture_output=True, text=True, timeout=240,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    rows = record.read_table(tmp_path / "reading.csv")
    assert [row["reader"] for row in rows] == readers
    assert all(float(row[rate]) > 0 for row in rows for rate in reading.RATES)
    result = json.loads((tmp_path / "reading.json").read_text())
    assert result["images"] == 24 and result["environment"]["cpu"]


def test_the_table_has_medians_and_shares_of_the_pure_rate():
    rows = reading.table(
        {
            ("decode alone", 2): [(100.0, 50.0), (300.0, 60.0), (200.0, 40.0)],
            ("this suite", 2): [(90.0, 45.0), (150.0, 40.0), (160.0, 35.0)],
            ("this suite", 1): [(80.0, 45.0)],
        }
    )
    assert rows[1]["images_per_s"] == 150.0 and rows[1]["images_per_cpu_s"] == 40.0
    assert rows[1]["images_per_s_of_decode_alone"] == 0.75
    assert (rows[1]["images_per_s_least"], rows[1]["images_per_s_most"]) == (90.0, 160.0)
    assert "images_per_s_of_decode_alone" not in rows[2]


def test_every_reader_sees_every_image(monkeypatch):
    """What is counted are images, whatever form a batch has."""
    forms = [np.empty((4, 2)), (np.empty((4, 2)), np.empty(4)), [np.empty((4, 2)), np.empty(4)]]
    counted = {}
    for number, form in enumerate(forms):
        monkeypatch.setitem(READERS, f"form {number}", lambda *_, f=form: lambda epoch: [f] * 50)
        monkeypatch.setattr(reading.time, "monotonic", iter([0, 1, 0, 2]).__next__)
        counted[number] = reading.timed(f"form {number}", None, 4, 1)[0]
    assert counted == {0: 100.0, 1: 100.0, 2: 100.0}
