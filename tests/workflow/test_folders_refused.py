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
    [
        *(".", "..", "/", "workflows", "crossbow_impl/new", "results/../bench", ".git"),
        *("profiles/new", "results/reference", "results/reference/nvidia-h200/new"),
    ],
)
def test_the_suites_own_folders_are_refused(key, folder):
    said = refusal(**{key: folder})
    assert said.startswith(f"{key}: ")
    assert f"the suite's own files; name one for {key} alone, such as {key}" in said


@pytest.mark.parametrize("key", KEYS)
def test_a_link_to_them_is_refused_too(key, tmp_path):
    (tmp_path / "link").symlink_to(REPOSITORY / "models")
    assert f"{key}: {tmp_path / 'link'} holds or lies among the suite's" in refusal(
        **{key: tmp_path / "link"}
    )


@pytest.mark.parametrize("folders", [{"results": "data"}, {"data": "results"}])
def test_one_folder_of_the_checkout_for_both_is_refused(folders):
    assert "is the folder of data too; name one for each" in refusal(**folders)


@pytest.mark.parametrize("folder", ["runs", "state", "weights"])
def test_a_table_without_its_runs_is_not_overwritten(tmp_path, folder):
    """Someone's own, or joined from runs that are elsewhere."""
    (tmp_path / "summary.csv").touch()
    said = refusal(results=tmp_path)
    assert said.startswith(f"results: {tmp_path / 'summary.csv'} is of runs that are not there")
    (tmp_path / folder).mkdir()
    planned(results=tmp_path)


def test_results_among_the_records_of_a_dataset_are_refused(tmp_path):
    (tmp_path / "link").symlink_to(tmp_path)
    for data, results in (
        ("data", "data/digits"),
        ("data", "data/digits/below"),
        (tmp_path / "elsewhere", tmp_path / "elsewhere/digits"),
        (tmp_path / "elsewhere", tmp_path / "link/elsewhere/digits"),
    ):
        assert refusal(results=results, data=data) == (
            f"results: {results} lies among the records in {data}/digits; name one outside"
        )


@pytest.mark.parametrize("of_runs", ["runs", "state", "weights"])
@pytest.mark.parametrize("place", ["", "/elsewhere/"])
def test_records_among_the_files_of_runs_are_refused(place, of_runs, tmp_path):
    results = f"{tmp_path}{place}results" if place else "results"
    for data in (f"{results}/{of_runs}", f"{results}/{of_runs}/below"):
        assert refusal(results=results, data=data) == (
            f"data: {data}/digits lies among the files of runs in {results}/{of_runs}; "
            "name one outside"
        )


@pytest.mark.parametrize("key", KEYS)
def test_what_is_no_name_of_a_file_is_refused(key):
    for name, words in {
        "a\0b": r"'a\x00b': embedded null byte; name another folder",
        "a\ud800": r"'a\ud800': 'utf-8' codec can't encode",
    }.items():
        assert refusal(**{key: name}).startswith(f"{key}: {words}")


@pytest.mark.parametrize("key", KEYS)
def test_a_link_to_nothing_is_refused(key, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    said = f"{key}: {tmp_path / 'link'} is a link to nothing; name another folder"
    for folder in ("link", "link/below"):
        assert refusal(**{key: tmp_path / folder}) == said


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
        {"results": "data/mnist", "data": "data"},  # which no run is on
        {"results": "results", "data": "results/data"},
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
