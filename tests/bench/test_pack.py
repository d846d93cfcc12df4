"""A packed results folder is a sound RO-Crate, and a results folder again once it is unpacked."""

import json
import subprocess
import zipfile

import pandas as pd
import pytest
from made_results import results_of
from rocrate.rocrate import ROCrate

from bench import pack
from bench.environment import ROOT, code
from bench.verify import __main__ as verify
from bench.verify.crate import METADATA


@pytest.fixture(scope="module")
def results(tmp_path_factory, digits):
    """Runs of the commit that is checked out, with a figure and what does not belong to them."""
    folder = tmp_path_factory.mktemp("packed") / "results"
    of = {"commit": code()["commit"], "dirty": False, "sources_sha256": ""}
    results_of(folder, digits, lambda system: of | {"dirty": system == "crossbow"})
    (folder / "figures").mkdir()
    for name in ("a.csv", "a.svg", ".draft"):
        (folder / "figures" / name).write_text("a\n1\n")
    (folder / "runs/of-another-experiment").mkdir()
    (folder / "runs/of-another-experiment/run.json").write_text("{}")
    (folder / METADATA).write_text("of an earlier packing")
    return folder


@pytest.fixture(scope="module")
def unpacked(results):
    archive = results.parent / "out.zip"
    assert pack.main([str(results), str(archive)]) == 0
    folder = results.parent / "unpacked"
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(folder)
    return folder


def test_all_that_belongs_to_the_results_is_in_it_and_described(results, unpacked):
    runs = pd.read_csv(results / "summary.csv")["run"]
    expected = {"summary.csv", "epochs.csv", "autotune.csv", "machines.json"}
    expected |= {"figures/a.csv", "figures/a.svg", "CITATION.cff", "LICENSE", "requirements.lock"}
    names = ("run.json", "epochs.csv", "telemetry.csv", "phases.csv", "status.json", "log.txt")
    expected |= {f"runs/{run}/{name}" for run in runs for name in names}
    crate = ROCrate(unpacked)
    assert {entity.id for entity in crate.data_entities} == expected
    there = {str(p.relative_to(unpacked)) for p in unpacked.rglob("*") if p.is_file()}
    assert there == expected | {METADATA}
    lock = ["git", "-C", str(ROOT), "show", "HEAD:requirements.lock"]
    assert (unpacked / "requirements.lock").read_bytes() == subprocess.check_output(lock)


def test_of_several_commits_the_lock_file_is_that_of_the_checkout():
    here = (ROOT / "requirements.lock").read_bytes()
    assert pack.lock({"a", "b"}) == pack.lock({"no commit"}) == pack.lock(set()) == here


def test_it_names_authors_licence_code_and_what_each_run_did(unpacked):
    crate = ROCrate(unpacked)
    (author,) = crate.root_dataset["author"]
    assert (author.type, author["name"]) == ("Organization", "Crossbow suite maintainers")
    assert crate.license.id == "https://spdx.org/licenses/Apache-2.0"
    assert "4 runs of lenet on digits. Machine: 2 x A CPU." in crate.description
    (source,) = crate.get_by_type("SoftwareSourceCode")
    assert source["version"] == code()["commit"]
    actions = crate.get_by_type("CreateAction")
    assert len(actions) == len(crate.root_dataset["mentions"]) == 4
    for action in actions:
        run = action["name"]
        assert action["instrument"].id == source.id
        assert [one.id for one in action["object"]] == [f"runs/{run}/run.json"]
        assert f"runs/{run}/epochs.csv" in {one.id for one in action["result"]}
        is_dirty = action.get("disambiguatingDescription", "") != ""
        assert is_dirty == run.startswith("crossbow")
    based_on = {one.id for one in crate.dereference("figures/a.svg")["isBasedOn"]}
    assert based_on == {"summary.csv", "epochs.csv", "autotune.csv"}


@pytest.mark.parametrize("file", ["figures/a.svg", "summary.csv"])
def test_a_change_after_packing_is_found(unpacked, capsys, file):
    content = (unpacked / file).read_text()
    (unpacked / file).write_text(content.replace("1", "2", 1))
    assert verify.main([str(unpacked)]) == 1
    (unpacked / file).write_text(content)
    assert f"{unpacked / file}: sha256 is" in capsys.readouterr().err


def test_an_unpacked_folder_is_verified_like_any_other(unpacked, capsys):
    assert verify.main([str(unpacked)]) == 1  # these runs were of no sources
    assert "run.json: code.sources_sha256 is" in capsys.readouterr().err
    metadata = json.loads((unpacked / METADATA).read_text())
    assert sum("sha256" in entity for entity in metadata["@graph"]) == 33


def test_what_is_not_packed_as_it_is_does_not_count(results, monkeypatch, capsys):
    archive = results.parent / "bad.zip"
    monkeypatch.setattr(pack, "ROCrate", lambda folder: ROCrate())
    assert pack.main([str(results), str(archive)]) == 1
    assert "autotune.csv was not packed as it is; pack again" in capsys.readouterr().err
    assert not archive.exists()


@pytest.mark.parametrize(
    ("results_folder", "out", "why"),
    [
        ("nowhere", "out.zip", "there is no such folder"),
        ("results", "out.tar", "name it OUT.zip"),
        ("results", "results/summary.csv/out.zip", "there is no folder"),
        ("results", "nowhere/out.zip", "make it first"),
    ],
)
def test_what_can_not_be_packed_is_refused_in_one_line(results, capsys, results_folder, out, why):
    assert pack.main([str(results.parent / results_folder), str(results.parent / out)]) == 1
    said = capsys.readouterr().err
    assert why in said and len(said.splitlines()) == 1
