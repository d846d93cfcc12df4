import functools
import http.server
import threading

import pooch
import pytest
from canonical_files import checksum, mnist_files, write_mnist

from data_prep import mnist
from data_prep.archives import Archive, download
from data_prep.records import RecordsError


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / "cache" / project)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder, and the address at which a web server shows it."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    folder = tmp_path / "site"
    folder.mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield folder, f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


def test_downloads_from_the_first_mirror_that_has_it_and_once_only(site):
    folder, address = site
    (folder / "file.gz").write_bytes(b"contents")
    urls = (f"{address}nowhere/file.gz", f"{address}file.gz")
    archive = Archive("file.gz", checksum(b"contents"), urls)
    assert download(archive).read_bytes() == b"contents"
    (folder / "file.gz").unlink()
    assert download(archive).read_bytes() == b"contents"


def test_a_download_with_the_wrong_checksum_is_refused_and_not_kept(site, tmp_path):
    folder, address = site
    (folder / "file.gz").write_bytes(b"something else")
    archive = Archive("file.gz", checksum(b"contents"), (f"{address}file.gz",))
    with pytest.raises(RecordsError, match=f"file.gz: download failed from {address}file.gz"):
        download(archive)
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_a_failed_download_names_file_address_and_the_way_out(site):
    _, address = site
    archive = Archive("file.gz", checksum(b""), (f"{address}file.gz",))
    with pytest.raises(RecordsError) as caught:
        download(archive)
    for part in ("file.gz: ", f"{address}file.gz (404", "--archives"):
        assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_mnist_is_downloaded_without_an_archives_folder(site, monkeypatch):
    folder, address = site
    files = mnist_files()
    origin = write_mnist(folder, files)
    monkeypatch.setattr(mnist, "ORIGINS", [origin])
    monkeypatch.setattr(mnist, "COUNTS", {"train": 6, "test": 4})
    monkeypatch.setattr(mnist, "_MIRRORS", (address,))
    zipped = {name: checksum((folder / f"{name}.gz").read_bytes()) for name in files}
    monkeypatch.setattr(mnist, "_GZIPPED", zipped)
    images, labels = mnist.read_split("train", mnist.find_sources(None))
    assert images.shape == (6, 28, 28, 1) and labels.tolist() == [0, 1, 2, 3, 4, 5]
