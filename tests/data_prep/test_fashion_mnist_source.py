import pytest
from canonical_files import mnist_files, write_mnist

from data_prep import fashion_mnist
from data_prep.prepare import prepare
from data_prep.records import RecordsError, open_records


@pytest.mark.parametrize("zipped", [True, False])
def test_reads_gzipped_and_plain_files_and_passes_over_mnist(tmp_path, monkeypatch, zipped):
    monkeypatch.setattr(fashion_mnist, "COUNTS", {"train": 6, "test": 4})
    origin = write_mnist(tmp_path / "archives/fashion-mnist", mnist_files(seed=3), zipped)
    monkeypatch.setattr(fashion_mnist, "ORIGINS", [origin])
    write_mnist(tmp_path / "archives", mnist_files(seed=4), zipped)
    prepare("fashion-mnist", tmp_path / "records", tmp_path / "archives")
    records = open_records(tmp_path / "records", verify=True)
    assert records.train_labels.tolist() == [3, 4, 5, 6, 7, 8]
    assert records.name == "fashion-mnist"
    with pytest.raises(RecordsError, match="checksum is md5:"):
        fashion_mnist.find_sources(write_only_mnist(tmp_path / "others"))


def write_only_mnist(folder):
    write_mnist(folder, mnist_files(seed=4))
    return folder
