import os
from pathlib import Path

import pytest
from canonical_files import mnist_files, write_mnist

from data_prep import mnist

SHARED_DATA = Path(__file__).parents[3] / "shared" / "data"


@pytest.fixture
def real_archives():
    """Finds real source files, which are too large for the project; skips without them."""

    def find(name: str) -> Path:
        folder = Path(os.environ.get("DATA_MIRROR", SHARED_DATA))
        if not (folder / name).exists():
            pytest.skip(f"the real {name} is not in {folder}; set DATA_MIRROR to its folder")
        return folder

    return find


@pytest.fixture
def tiny_mnist(tmp_path, monkeypatch):
    """Writes a tiny MNIST and makes it the one that is expected."""

    def write(seed: int = 0, zipped: bool = True, folder: str = "archives") -> Path:
        monkeypatch.setattr(mnist, "COUNTS", {"train": 6, "test": 4})
        origin = write_mnist(tmp_path / folder, mnist_files(seed), zipped)
        monkeypatch.setattr(mnist, "ORIGINS", [origin])
        return tmp_path / folder

    return write
