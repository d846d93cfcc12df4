"""Checkpoints and weights are arrays alone: what could run code ends the run with a message."""

import json
import os
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest

from bench import checkpoint, record
from bench.job import describe
from models import weights as files


class MakesAFolder:
    """Unpickled, it makes a folder: so it is seen whether code ran."""

    def __init__(self, path):
        self.path = str(path)

    def __reduce__(self):
        return os.mkdir, (self.path,)


def hostile(trace):
    return np.array([MakesAFolder(trace)], dtype=object)


def newest(folder):
    return folder / "epoch-000002-rank-0.npz"


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_a_checkpoint_of_objects_or_compressed_is_refused_and_named(save, tmp_path):
    checkpoint.save(tmp_path, 1, 0, "f", {"w": np.ones(3)})
    harm = hostile(tmp_path / "trace") if save is np.savez else np.zeros(10_000_000)
    save(newest(tmp_path), fingerprint=np.array("f"), w=harm)
    with pytest.raises(ValueError, match=r"epoch-000002-rank-0\.npz: pickled .* remove the file"):
        checkpoint.load(tmp_path, 0, 1, "f")
    assert not (tmp_path / "trace").exists()


def test_what_is_no_archive_of_arrays_falls_back_to_the_epoch_before(tmp_path):
    checkpoint.save(tmp_path, 1, 0, "f", {"w": np.ones(3)})
    with newest(tmp_path).open("wb") as file:
        np.save(file, np.ones(3))  # by itself it can be loaded
    assert checkpoint.load(tmp_path, 0, 1, "f")[0] == 1
    newest(tmp_path).write_bytes(pickle.dumps(MakesAFolder(tmp_path / "trace")))
    assert checkpoint.load(tmp_path, 0, 1, "f")[0] == 1 and not (tmp_path / "trace").exists()
    with zipfile.ZipFile(newest(tmp_path), "w") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (1 << 50,)}
        with file.open("w.npy", "w") as member:
            np.lib.format.write_array_header_1_0(member, header)
    assert checkpoint.load(tmp_path, 0, 1, "f")[0] == 1


def test_weights_of_objects_are_refused_and_named(tmp_path):
    path = tmp_path / "weights.npz"
    np.savez(path, w=hostile(tmp_path / "trace"))
    with pytest.raises(
        ValueError, match=r"weights\.npz: not weights .*; remove it, and it is made"
    ):
        files.read(path)
    assert not (tmp_path / "trace").exists()
    np.load(path, allow_pickle=True)["w"]  # the attack is a real one
    assert (tmp_path / "trace").exists()


def test_a_run_ends_with_a_message_and_runs_nothing(digits, weights, spec, tmp_path):
    state, out = tmp_path / "state", tmp_path / "out"
    state.mkdir()
    out.mkdir()
    one = spec("pytorch")
    request = describe(
        one, digits, weights("logistic"), state, {"cores": 1, "cpu": "x", "gpus": []}
    )
    record.write_json(out / record.RUN, request)
    np.savez(newest(state), w=hostile(tmp_path / "trace"))
    command = [sys.executable, "-m", "baselines.pytorch_ssgd", str(out / record.RUN), str(out)]
    done = subprocess.run(command, capture_output=True, text=True)
    outcome = json.loads((out / record.STATUS).read_text())
    assert done.returncode and outcome["status"] == record.FAILED
    assert outcome["reason"].startswith(f"ValueError: {newest(state)}: pickled objects")
    assert not (tmp_path / "trace").exists()
