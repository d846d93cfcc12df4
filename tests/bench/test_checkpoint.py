import numpy as np

from bench import checkpoint


def save(folder, epoch, rank=0, fingerprint="f"):
    checkpoint.save(folder, epoch, rank, fingerprint, {"w": np.full(3, epoch)})


def test_newest_epoch_that_every_rank_has(tmp_path):
    for epoch in (1, 2):
        for rank in (0, 1):
            save(tmp_path, epoch, rank)
    save(tmp_path, 3, rank=0)  # killed before rank 1 got there
    epoch, state = checkpoint.load(tmp_path, 1, 2, "f")
    assert epoch == 2
    assert list(state) == ["w"]
    assert state["w"].tolist() == [2, 2, 2]


def test_a_truncated_file_falls_back_to_the_epoch_before(tmp_path):
    save(tmp_path, 1)
    save(tmp_path, 2)
    newest = tmp_path / "epoch-000002-rank-0.npz"
    newest.write_bytes(newest.read_bytes()[:-40])
    assert checkpoint.load(tmp_path, 0, 1, "f")[0] == 1


def test_other_code_or_data_does_not_count(tmp_path):
    save(tmp_path, 1, fingerprint="before")
    assert checkpoint.load(tmp_path, 0, 1, "after") is None


def test_only_the_last_ones_are_kept_and_clear_removes_them(tmp_path):
    for epoch in range(1, 6):
        save(tmp_path, epoch)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["epoch-000004-rank-0.npz", "epoch-000005-rank-0.npz"]
    checkpoint.clear(tmp_path)
    assert checkpoint.load(tmp_path, 0, 1, "f") is None
