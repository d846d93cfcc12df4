"""Whatever is changed between the records and a figure is found, and named where it is."""

import hashlib
import json
import shutil

import pandas as pd
import pytest
from made_results import join, judge_and_draw, repository, results_of

from bench import record
from bench.table_hashes import tables_sha256
from bench.verify import __main__ as verify
from bench.verify import code as verify_code
from bench.verify import figures as verify_figures
from bench.verify.columns import WRITTEN
from bench.verify.inputs import check_weights
from bench.verify.mismatch import Mismatch, Trail

PYTORCH = "pytorch-lenet-digits-cpu1-b16-s1-*"
CROSSBOW = "crossbow-lenet-digits-cpu1-m1-b16-s2-*"
FIGURE = "throughput"


@pytest.fixture(scope="module")
def commits(tmp_path_factory):
    """The repository that the runs' code is in, and its commits by name."""
    folder = tmp_path_factory.mktemp("code") / "repository"
    return folder, repository(folder)


@pytest.fixture(autouse=True)
def _code_of_the_runs(commits, monkeypatch):
    monkeypatch.setattr(verify_code, "ROOT", commits[0])


@pytest.fixture(scope="module")
def original(tmp_path_factory, digits, commits):
    """Results in which everything matches, beside the records of their runs."""
    folder = tmp_path_factory.mktemp("original")
    shutil.copytree(digits, folder / "prepared/digits")

    def code_of(system):
        sources = sources_sha256(f"{system}.py", "# 1\n" if system == "pytorch" else "")
        return {"commit": commits[1]["first"], "dirty": False, "sources_sha256": sources}

    results = results_of(folder / "results", folder / "prepared/digits", code_of)
    for path in results.glob("runs/*/run.json"):
        change_json(path, "inputs.records", "prepared/digits")
    judge_and_draw(results, FIGURE)
    return folder


def sources_sha256(name, text):
    return hashlib.sha256(name.encode() + b"\0" + text.encode() + b"\0").hexdigest()


@pytest.fixture
def results(original, tmp_path):
    shutil.copytree(original, tmp_path / "copy")
    return tmp_path / "copy/results"


@pytest.fixture
def drawn(original, monkeypatch):
    """Drawing again, which takes seconds, is done once and copied."""

    def again(module, arguments):
        out = next(word for word in arguments if word.startswith("--out=")).removeprefix("--out=")
        shutil.copytree(original / "results/figures", out, dirs_exist_ok=True)

    monkeypatch.setattr(verify_figures, "_run", again)
    monkeypatch.setattr(verify, "check_claims", lambda *_: None)


def change_json(path, where, value):
    content = json.loads(path.read_text())
    *keys, last = where.split(".")
    inner = content
    for key in keys:
        inner = inner[int(key)] if isinstance(inner, list) else inner[key]
    inner[last] = value
    record.write_json(path, content)


def drop_column(path, column):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.drop(columns=column).to_csv(path, index=False)


def change_cell(path, row, column, value):
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table.loc[row, column] = value
    table.to_csv(path, index=False)


def told(results, capsys, *more):
    """The exit code and what was said on standard error, or else on standard output."""
    code = verify.main([str(results), *more])
    said = capsys.readouterr()
    assert not (said.out and said.err) and len(said.err.splitlines()) < 2
    return code, said.err or said.out


def test_results_that_match_are_followed_to_their_sources(results, capsys):
    code, said = told(results, capsys)
    assert code == 0, said
    for part in (
        "4 runs and 24 epochs, joined again",
        "records: 4 files",
        "weights: 2 files",
        "seeds 1, 2",
        "4 runs, 4 of them of exactly its sources",
        "claims: judged again",
        "figures: 1, drawn again",
        "log.txt of runs\n",
    ):
        assert part in said
    assert said.splitlines()[-1].startswith("  PDF and PNG")


@pytest.mark.parametrize(
    ("file", "column", "expected"),
    [
        (
            "summary.csv",
            "best_acc",
            ["summary.csv and ", "/runs/", "differ: best_acc of", "is 0.123 in the one, 0."],
        ),
        ("summary.csv", "seed", ["summary.csv and ", "differ: seed of run"]),
        ("epochs.csv", "test_acc", ["results/epochs.csv and ", "epoch 2 is 0.123 in the one, 0."]),
        (
            f"runs/{PYTORCH}/epochs.csv",
            "test_acc",
            ["/epochs.csv: was changed after the run, by tables_sha256 of status.json"],
        ),
        (f"runs/{PYTORCH}/epochs.csv", "train_s", ["epochs.csv: images_per_s of epoch 2"]),
        (f"runs/{PYTORCH}/phases.csv", "seconds", ["phases.csv: seconds of all phases"]),
    ],
)
def test_an_edited_number_is_found(results, capsys, file, column, expected):
    (path,) = results.glob(file)
    change_cell(path, 1, column, "9" if column == "seed" else "0.123")
    code, said = told(results, capsys)
    assert code == 1 and all(part in said for part in expected), said


@pytest.mark.parametrize("file", ["epochs.csv", f"runs/{PYTORCH}/epochs.csv"])
def test_of_a_table_and_a_run_that_differ_both_are_named(results, capsys, file):
    (own,) = results.glob(f"runs/{PYTORCH}/epochs.csv")
    (path,) = results.glob(file)
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    row = table.index[table["run"] == own.parent.name][1]
    change_cell(path, row, "test_acc", "0.123")
    change_json(own.with_name(record.STATUS), "tables_sha256", {})  # as in older versions
    code, said = told(results, capsys)
    place = f"differ: test_acc of run {own.parent.name}, epoch 2 is "
    assert code == 1 and f"{results / 'epochs.csv'} and {own} {place}" in said, said


@pytest.mark.parametrize(("file", "columns"), list(WRITTEN.items()))
def test_a_column_that_joining_writes_is_missed_by_name(results, capsys, file, columns):
    path = results / file
    whole = path.read_bytes()
    for column in columns:
        drop_column(path, column)
        code, said = told(results, capsys)
        missed = f"{path}: has no column {column}, which joining writes; join the runs again"
        # The reader of each summary has its own words for those that none may lack.
        needed = f"{path} lacks the columns {column}"
        assert code == 1 and said in (f"Does not match: {it}.\n" for it in (missed, needed)), said
        path.write_bytes(whole)


@pytest.mark.parametrize(("file", "columns"), list(WRITTEN.items()))
def test_a_column_that_a_table_alone_lacks_is_not_followed(
    results, capsys, drawn, monkeypatch, file, columns
):
    """Those of older versions may lack it; what is needed to follow the others is missed."""
    monkeypatch.setattr(verify, "check_code", lambda *_: None)
    monkeypatch.setattr(verify, "check_figures", lambda *_: None)
    shutil.rmtree(results / "runs")
    path = results / file
    whole = path.read_bytes()
    listed = 0
    for column in columns:
        drop_column(path, column)
        code, said = told(results, capsys)
        if code:
            assert "Does not match" in said and str(path) in said and f" {column}" in said, said
        else:
            listed += 1
            assert f"{file} has no column {column}\n" in said.split("Not followed:")[1], said
        path.write_bytes(whole)
    assert listed >= {"summary.csv": 35, "epochs.csv": 6, "autotune.csv": 7}[file]


@pytest.mark.parametrize("has_runs", [True, False])
def test_a_column_that_joining_does_not_write_is_not_followed(results, capsys, drawn, has_runs):
    if not has_runs:
        shutil.rmtree(results / "runs")
    change_cell(results / "summary.csv", 0, "best", "1")
    code, said = told(results, capsys)
    assert code == 0 and "summary.csv: best, which joining does not write" in said


@pytest.mark.parametrize("column", ["commit", "dirty"])
def test_a_table_that_does_not_tell_the_code_is_followed(results, capsys, drawn, column):
    shutil.rmtree(results / "runs")
    drop_column(results / "summary.csv", column)
    code, said = told(results, capsys)
    assert code == 0 and f"summary.csv has no column {column}" in said, said
    assert ("code of the runs" in said) == (column == "commit")


@pytest.mark.parametrize("column", ["run", "images", "train_s", "learners", "images_per_s"])
def test_a_column_that_a_run_lacks_is_named(results, capsys, column):
    (path,) = results.glob(f"runs/{PYTORCH}/epochs.csv")
    drop_column(path, column)
    code, said = told(results, capsys)
    assert code == 1 and said == f"Does not match: {path}: has no column {column}.\n"


@pytest.mark.parametrize("file", record.FILES)
def test_a_file_that_every_run_leaves_is_missed(results, capsys, file):
    (path,) = results.glob(f"runs/{PYTORCH}/{file}")
    path.unlink()
    code, said = told(results, capsys)
    expected = f"Does not match: {path}: is not there, and every run leaves one.\n"
    assert code == 1 and said == expected


@pytest.mark.parametrize("place", [1, 23])
def test_a_row_left_out_is_found(results, capsys, place):
    path = results / "epochs.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    run = table["run"][place]
    table.drop(index=place).to_csv(path, index=False)
    code, said = told(results, capsys)
    expected = f"the number of rows of run {run} is 5 in the one, 6 in the other"
    assert code == 1 and f"{path} and {path.parent / 'runs' / run}/epochs.csv differ: " in said
    assert expected in said, said


@pytest.mark.parametrize(
    ("place", "source", "what"),
    [(0, "{}/epochs.csv", "line 2 is of run"), (-1, "", "the number of rows is 18 in the one, 24")],
)
def test_rows_of_a_whole_run_left_out_are_found(results, capsys, place, source, what):
    path = results / "epochs.csv"
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    run = table["run"].iloc[place]
    table[table["run"] != run].to_csv(path, index=False)
    code, said = told(results, capsys)
    assert (
        code == 1 and f"{path} and {results / 'runs' / source.format(run)} differ: {what}" in said
    )


def test_samples_of_a_run_whose_own_are_gone_are_found(results, capsys):
    (folder,) = results.glob(f"runs/{CROSSBOW}")
    row = dict.fromkeys(record.AUTOTUNE_COLUMNS, 1) | {"run": folder.name}
    record.write_table(results / "autotune.csv", record.AUTOTUNE_COLUMNS, [row])
    code, said = told(results, capsys)
    expected = f"{results / 'autotune.csv'} and {folder / 'autotune.csv'}, which is not there, "
    assert code == 1 and f"{expected}differ: the number of rows of run {folder.name} is 1" in said


@pytest.mark.parametrize(
    ("where", "value", "expected"),
    [
        ("spec.seed", 7, "run.json: spec, its seed 7 included, is of run"),
        ("spec.lr", 0.2, "run.json: spec"),
        ("run", "another", "run.json: run is another"),
        ("machine", "8 x NVIDIA H200", "run.json: machine is 8 x NVIDIA H200, expected 2 x A CPU"),
        ("environment.packages.torch", "3", "run.json differ: environment.packages.torch"),
        ("code.commit", "a" * 40, "differ: commit of run"),
        ("code.dirty", True, "differ: dirty of run"),
        ("code.sources_sha256", "b" * 64, "code.sources_sha256 is bbbb"),
        ("inputs.weights_sha256", "c" * 64, "run.json: weights_sha256 is"),
        ("inputs.records_sha256.train_images.npy", None, "run.json: sha256 of train_images.npy"),
    ],
)
def test_a_changed_run_json_is_found(results, capsys, where, value, expected):
    (path,) = results.glob(f"runs/{PYTORCH}/run.json")
    if where.endswith(".npy"):  # whose name has a dot
        content = json.loads(path.read_text())
        content["inputs"]["records_sha256"]["train_images.npy"] = "d" * 64
        record.write_json(path, content)
    else:
        change_json(path, where, value)
    code, said = told(results, capsys)
    assert code == 1 and expected in said and path.parent.name in said, said


def test_a_deleted_run_is_found(results, capsys):
    (folder,) = results.glob(f"runs/{CROSSBOW}")
    shutil.rmtree(folder)
    code, said = told(results, capsys)
    assert code == 1 and f"{folder}: is not there, expected by the row of summary.csv" in said


def test_a_run_deleted_with_its_rows_is_found(results, capsys):
    (folder,) = results.glob(f"runs/{CROSSBOW}")
    planned = (results / "state/matrix.txt").read_text()
    shutil.rmtree(folder)
    join(results)
    (results / "state/matrix.txt").write_text(planned)
    code, said = told(results, capsys)
    assert code == 1 and f"has no row of run {folder.name}, expected by" in said


def test_a_status_that_the_epochs_contradict_is_found(results, capsys):
    (path,) = results.glob(f"runs/{PYTORCH}/status.json")
    change_json(path, "status", "finished")
    code, said = told(results, capsys)
    assert code == 1 and f"{path} and {path.parent / 'epochs.csv'} differ: " in said
    assert "status is finished in the one, reached by the other" in said


@pytest.mark.parametrize(
    "file", ["prepared/digits/train_images.npy", "results/weights/*/*/seed-2.npz"]
)
def test_changed_records_and_weights_are_found(results, capsys, file):
    (path,) = results.parent.glob(file)
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    code, said = told(results, capsys)
    assert code == 1 and str(path) in said and "sha256" in said


def test_records_that_are_not_here_are_not_followed_and_may_be_named(results, capsys, drawn):
    shutil.move(results.parent / "prepared", results.parent / "moved")
    assert "records of digits: prepared/digits is not here" in told(results, capsys)[1]
    code, said = told(results, capsys, "--data", str(results.parent / "moved"))
    assert code == 0 and "records: 4 files" in said
    code, said = told(results, capsys, "--data", "nowhere")
    assert code == 1 and "--data nowhere: is no folder" in said


def test_what_is_missing_is_said_not_to_be_followed(results, capsys):
    code, said = told(results, capsys)
    lost = said.partition("Not followed:")[2]
    assert code == 0 and "figures that are not there: accuracy_over_time, " in lost
    assert "style" not in lost
    assert "log.txt" in lost and "state/matrix.txt" not in lost
    (results / "state" / "matrix.txt").unlink()
    assert "which runs were planned: there is no state/matrix.txt" in told(results, capsys)[1]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("nowhere", "there is no such folder"),
        ("summary.csv", "is no folder"),
        ("figures", "has no summary.csv; the pipeline makes it"),
    ],
)
def test_a_path_that_has_no_results_is_said_to_be_one(results, capsys, name, why):
    code, said = told(results / name, capsys)
    assert code == 1 and f"Cannot be followed: {results / name}: {why}" in said


def test_a_seed_that_was_used_twice_is_found(results, capsys):
    """The second seed's run is a copy of the first's, under its own name."""
    first, second = sorted(results.glob("runs/pytorch-*"))
    table = pd.read_csv(first / "epochs.csv").assign(run=second.name)
    table.to_csv(second / "epochs.csv", index=False)
    change_json(second / record.STATUS, "tables_sha256", tables_sha256(second))
    join(results)
    code, said = told(results, capsys)
    assert code == 1 and "one seed counts twice" in said and f"run {second.name} of seed 2" in said


def test_weights_of_another_seed_are_found(results, capsys):
    given = {}
    for path in sorted(results.glob("runs/*/run.json")):
        job = json.loads(path.read_text())
        given.setdefault("weights_sha256", job["inputs"]["weights_sha256"])
        change_json(path, "inputs.weights_sha256", given["weights_sha256"])
    code, said = told(results, capsys)
    assert code == 1 and "lenet on digits, seed 2 is not seed 1" in said


def test_two_models_may_draw_the_same_weights(tmp_path):
    """Each with a file of its own, which is hashed as well."""
    sha256 = hashlib.sha256(b"drawn").hexdigest()
    jobs = {}
    for model in ("relu", "tanh"):
        weights = tmp_path / "weights" / model / "seed-1.npz"
        weights.parent.mkdir(parents=True)
        weights.write_bytes(b"drawn")
        spec = {"model": model, "model_source": f"{model}.py", "dataset": "digits", "seed": 1}
        inputs = {"weights": str(weights), "weights_sha256": sha256}
        jobs[model] = {"spec": spec, "inputs": inputs}
    check_weights(tmp_path, jobs, trail := Trail())
    assert trail.followed == ["weights: 2 files, hashed"] and not trail.lost
    weights.write_bytes(b"changed")
    with pytest.raises(Mismatch, match=r"tanh/seed-1\.npz: sha256 is .* by run tanh"):
        check_weights(tmp_path, jobs, Trail())


def test_a_table_that_was_changed_after_its_run_is_found_also_where_it_was_joined(results, capsys):
    path = sorted(results.glob("runs/*/epochs.csv"))[0]
    change_cell(path, 0, "test_loss", "0.001")
    join(results)
    shutil.rmtree(results / "figures")
    (results / "claims.csv").unlink()
    code, said = told(results, capsys)
    assert code == 1 and f"{path}: was changed after the run, by tables_sha256 of status" in said
    change_json(path.with_name(record.STATUS), "tables_sha256", {})
    code, said = told(results, capsys)
    assert code == 0 and "log.txt of runs, and of telemetry.csv all but" in said


def test_a_configuration_with_a_seed_twice_is_found(results, capsys):
    shutil.rmtree(results / "runs")
    change_cell(results / "summary.csv", 1, "seed", "1")
    code, said = told(results, capsys)
    assert code == 1 and "has the settings and the seed 1 of run" in said


def without_figures(results, name, commits):
    """The second run is of another commit; no figures, which would take their time."""
    path = sorted(results.glob("runs/crossbow*/run.json"))[1]
    change_json(path, "code.commit", commits[1][name])
    if name == "other":
        change_json(path, "code.sources_sha256", sources_sha256("crossbow.py", "# 3\n"))
    join(results)
    shutil.rmtree(results / "figures")
    (results / "claims.csv").unlink()


def test_mixed_commits_are_found_and_may_be_meant(results, capsys, commits):
    without_figures(results, "other", commits)
    code, said = told(results, capsys)
    assert code == 1 and f"is {commits[1]['other'][:10]}, expected" in said
    code, said = told(results, capsys, "--mixed-commits")
    assert code == 0 and "1 run, 1 of them of exactly its sources" in said


def test_commits_with_the_same_code_are_not_mixed(results, capsys, commits):
    without_figures(results, "again", commits)
    code, said = told(results, capsys)
    assert code == 0 and said.count("of exactly its sources") == 2, said


def test_code_that_can_not_be_followed_is_said(results, capsys, commits):
    for path in results.glob("runs/*/run.json"):
        change_json(path, "code.commit", "e" * 40)
        change_json(path, "code.dirty", True)
    join(results)
    shutil.rmtree(results / "figures")
    (results / "claims.csv").unlink()
    code, said = told(results, capsys)
    lost = said.split("Not followed:")[1]
    assert code == 0 and "4 runs, whose code is not in this repository" in lost
    assert "4 runs of changed code that no commit holds" in lost


def test_tables_of_benchmarks_are_said_not_to_be_followed(results, capsys, drawn):
    assert "no check follows these tables" not in told(results, capsys)[1]
    (results / "engine.csv").write_text("call\n")
    (results / "all_reduce.csv").write_text("call\n")
    lost = told(results, capsys)[1].split("Not followed:")[1]
    assert "all_reduce.csv, engine.csv: no check follows these tables\n" in lost


@pytest.mark.parametrize("end", ["csv", "txt", "svg"])
def test_an_edited_figure_is_found(results, capsys, drawn, end):
    path = results / f"figures/{FIGURE}.{end}"
    path.write_text(path.read_text()[::-1].replace("2", "7", 1)[::-1])
    code, said = told(results, capsys)
    assert code == 1 and str(path) in said, said


def test_an_edited_verdict_is_found(results, capsys):
    change_cell(results / "claims.csv", 0, "verdict", "reproduced")
    code, said = told(results, capsys)
    assert code == 1 and "claims.csv: verdict of line 2 is reproduced, expected not run" in said


@pytest.mark.parametrize("column", ["best_acc", "median5_s", "images_per_s", "epochs_run"])
def test_joined_tables_alone_are_followed_as_far_as_they_go(results, capsys, drawn, column):
    shutil.rmtree(results / "runs")
    code, said = told(results, capsys)
    lost = said.split("Not followed:")[1]
    assert code == 0 and "there is no runs/" in lost and "wall_s" in lost, said
    change_cell(results / "summary.csv", 1, column, "1")
    code, said = told(results, capsys)
    assert code == 1 and f"summary.csv: {column} of run" in said and "by epochs.csv" in said


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("summary.csv", None),
        ("summary.csv", '"'),
        ("summary.csv", "a,b\n1,2\n"),
        ("machines.json", "{"),
        ("epochs.csv", None),
        (f"runs/{PYTORCH}/run.json", "[]"),
        (f"runs/{PYTORCH}/run.json", "{"),
        (f"runs/{PYTORCH}/status.json", "{}"),
        (f"runs/{PYTORCH}/epochs.csv", "run,epoch\na,b\n"),
        (f"runs/{PYTORCH}/epochs.csv", b"run\n\xff\n"),
        ("ro-crate-metadata.json", "{"),
    ],
)
def test_broken_files_are_named_in_one_line(results, capsys, file, content):
    path = next(results.glob(file), results / file)
    path.unlink(missing_ok=True)
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, said = told(results, capsys)
    assert code == 1 and path.name in said and len(said.splitlines()) == 1, said
