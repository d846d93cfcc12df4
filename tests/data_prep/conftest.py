from pathlib import Path

import pytest
from canonical_files import mnist_files, write_mnist

from data_prep import mnist


@pytest.fixture
def tiny_mnist(tmp_path, monkeypatch):
    """Writes a tiny MNIST and makes it the one that is expected."""

    def write(seed: int = 0, zipped: bool = True, folder: str = "archives") -> Path:
        monkeypatch.setattr(mnist, "COUNTS", {"train": 6, "test": 4})
        origin = write_mnist(tmp_path / folder, mnist_files(seed), zipped)
        monkeypatch.setattr(mnist, "ORIGINS", [origin])
        return tmp_path / folder

    return write
