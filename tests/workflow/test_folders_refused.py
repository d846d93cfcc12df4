"""Results and records are never written among the suite's own files, nor into each other."""

import pytest
from suite import CELL, REPOSITORY, git

from workflows.plan import plan
from workflows.refused_folders import OWN
from workflows.validate import ConfigError

KEYS = ("results", "data")


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def planned(**folders):
    paths = {key: str(folder) for key, folder in folders.items()}
    return plan({"name": "folders", "matrix": [{"system": "pytorch", **CELL}], **paths})


def refusal(**folders):
    with pytest.raises(ConfigError) as refused:
        planned(**folders)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    "folder",
    [".", "..", "/", "workflows", "crossbow_impl/new", "results/../bench", ".git", "profiles/new"],
)
def test_the_suites_own_folders_are_refused(key, folder):
    said = refusal(**{key: folder})
    assert said.startswith(f"{key}: ")
    assert f"own files, or around them; name one for {key} alone, such as {key}" in said


@pytest.mark.parametrize("key", KEYS)
def test_a_link_to_them_is_refused_too(key, tmp_path):
    (tmp_path / "link").symlink_to(REPOSITORY / "models")
    assert f"{key}: {tmp_path / 'link'} is a folder of the suite's" in refusal(
        **{key: tmp_path / "link"}
    )


@pytest.mark.parametrize("folders", [{"results": "data"}, {"data": "results"}])
def test_one_folder_of_the_checkout_for_both_is_refused(folders):
    assert "is the folder of data too; name one for each" in refusal(**folders)


@pytest.mark.parametrize("key", KEYS)
def test_what_can_be_no_folder_is_refused(key, tmp_path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").touch()
    for name, words in {
        "file": " is a file; name a folder",
        "file/below": ": Not a directory; name another folder",
        "loop": ": Too many levels of symbolic links; name another folder",
        300 * "x": ": File name too long; name another folder",
    }.items():
        assert refusal(**{key: tmp_path / name}) == f"{key}: {tmp_path / name}{words}"


def test_others_are_fine(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    for folders in (
        {},
        {"results": "results-smoke"},
        {"results": "results/smoke", "data": "results/prepared data"},
        {"results": "out/a", "data": ".data"},
        {"results": REPOSITORY / "results"},
        {"results": tmp_path / "elsewhere/results", "data": tmp_path / "elsewhere"},
        {"results": tmp_path / "link", "data": tmp_path / "workflows"},
        {"results": tmp_path, "data": tmp_path},
    ):
        assert str(planned(**folders).results) == str(folders.get("results", "results"))


def test_elsewhere_the_folder_that_one_is_in_is_fine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert planned(results=".").runs


def test_all_folders_of_the_repository_are_known():
    listed = git(REPOSITORY, "ls-files").splitlines()
    assert {name.split("/")[0] for name in listed if "/" in name} - {"results"} == OWN - {".git"}
