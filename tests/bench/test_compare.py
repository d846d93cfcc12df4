"""Two results folders are compared run by run; what would mislead is refused or said."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
from made_results import join, results_of

from bench import record
from bench.compare import __main__ as compare
from bench.compare import pairs as compare_pairs
from bench.compare.pairs import BETTER, FEW, NOISE, NONE, WORSE, cells

CODE = {"commit": "c" * 40, "dirty": False, "sources_sha256": "c"}
SEEDS = (1, 2, 3)


@pytest.fixture
def two(tmp_path, digits):
    """Two folders of the same runs, the second slower by a factor."""

    def make(slower=1.0, seeds=SEEDS, code=CODE):
        a = results_of(tmp_path / "a", digits, lambda system: CODE, SEEDS)
        b = results_of(tmp_path / "b", digits, lambda system: code, seeds, slower=slower)
        return a, b

    return make


def compared(a, b, capsys, *more):
    """The exit code, what was said, and the table that was written."""
    table = a.parent / "table.csv"
    code = compare.main([str(a), str(b), "--csv", str(table), *more])
    said = capsys.readouterr()
    assert not (said.out and said.err)
    return code, said.out or said.err, pd.read_csv(table) if code == 0 else None


def change(folder, where, value):
    for path in folder.glob("runs/*/run.json"):
        job = json.loads(path.read_text())
        outer, inner = where
        job[outer] = job[outer] | {inner: value} if inner else value
        record.write_json(path, job)
    join(folder)


def test_a_slower_machine_is_slower_by_so_much_and_learns_as_before(two, capsys):
    code, said, table = compared(*two(1.5), capsys)
    assert code == 0
    rows = table.set_index(["metric", "configuration"])
    for name in ("pytorch", "crossbow"):
        rate, time = rows.loc[("images_per_s", name)], rows.loc[("median5_s", name)]
        assert rate["ratio"] == pytest.approx(1 / 1.5, rel=1e-4) and rate["says"] == WORSE
        assert (rate["pairs"], rate["a_n"], rate["b_n"]) == (3, 3, 3)
        assert time["a_reached"] == 3
    assert "Beware: the environments" not in said and "Beware: both" not in said
    assert "crossbow" in said and "B worse" in said


def test_the_same_runs_differ_in_nothing(two, capsys):
    code, said, table = compared(*two(), capsys)
    assert code == 0 and set(table["says"]) <= {NOISE, FEW}
    assert (table["ratio"] == 1).all() and "0 of 12 comparisons are beyond the noise" in said
    assert not said.count("Beware") and "Only in" not in said


def test_runs_of_one_side_are_named(two, capsys):
    a, b = two(seeds=(1, 2))
    path = next(b.glob("runs/pytorch-*-s2-*/status.json"))
    record.write_json(path, json.loads(path.read_text()) | {"status": "failed"})
    join(b)
    _, said, table = compared(a, b, capsys)
    assert "Only in A: 3 runs" in said and "Only in B" not in said
    assert f"{path.parent.name} (failed in the other)" in said
    assert table.set_index(["metric", "configuration"]).loc[("best_acc", "pytorch"), "pairs"] == 1


def summary(*rows):
    """A summary of throughput, and time to the target, by configuration and seed."""
    given = {"status": "reached", "repeat": "1", "system": "x", "train_s": "9", "epochs_run": "9"}
    columns = ("batch", "seed", "images_per_s", "median5_s")
    named = [given | dict(zip(columns, map(str, row), strict=False)) for row in rows]
    table = pd.DataFrame(named)
    table["run"] = table["batch"] + "-" + table["seed"] + "-" + table["repeat"]
    return table


def only(metric, a, b):
    return [(c.ratio and round(c.ratio.median, 3), c.says) for c in cells(metric, a, b)][:-1]


def test_a_difference_has_to_exceed_the_scatter_of_the_other_configurations():
    loud = [(16, seed, 100 * (1 + 0.2 * seed)) for seed in SEEDS]
    ours = summary(*[(8, s, 100) for s in SEEDS], *[(16, s, 100) for s in SEEDS], *[])
    for factor, says in ((1.1, NOISE), (1.6, BETTER), (0.5, WORSE)):
        theirs = summary(*[(8, seed, 100 * factor) for seed in SEEDS], *loud)
        assert only("images_per_s", ours, theirs)[0] == (factor, says)


def test_a_difference_has_to_exceed_that_between_repeats_of_a_run():
    ours = summary(*[(8, seed, 100) for seed in SEEDS], (8, 1, 130))
    ours.loc[3, ["repeat", "run"]] = ["2", "8-1-2"]
    for factor, says in ((1.2, NOISE), (1.4, BETTER)):
        theirs = summary(*[(8, seed, 100 * factor) for seed in SEEDS])
        assert only("images_per_s", ours, theirs) == [(factor, says)]


def test_pairs_that_disagree_or_are_few_say_nothing():
    ours, theirs = summary((8, 1, 100), (8, 2, 100)), summary((8, 1, 200), (8, 2, 200))
    assert only("images_per_s", ours, theirs) == [(2.0, FEW)]


def test_a_run_that_never_got_there_is_later_than_any():
    reached, never = [(8, seed, 1, 5) for seed in SEEDS], [(8, seed, 1, "") for seed in SEEDS]
    assert only("median5_s", summary(*reached), summary(*never)) == [(np.inf, WORSE)]
    assert only("median5_s", summary(*never), summary(*reached)) == [(0.0, BETTER)]
    assert next(cells("median5_s", summary(*never), summary(*never))).says == NONE


def test_all_configurations_together_need_enough_of_them():
    for count, says in ((compare_pairs.FEWEST_CELLS, BETTER), (3, FEW)):
        ours = summary(*[(batch, 1, 100) for batch in range(count)])
        theirs = summary(*[(batch, 1, 110 + batch) for batch in range(count)])
        assert list(cells("images_per_s", ours, theirs))[-1].says == says


def test_differences_that_mislead_are_said(two, capsys):
    a, b = two(code=CODE | {"commit": "d" * 40, "sources_sha256": "d", "dirty": True})
    change(b, ("machine", None), "8 x Another")
    change(b, ("environment", "packages"), {"torch": "3"})
    change(b, ("inputs", "weights_sha256"), "other")
    said = " ".join(compared(a, b, capsys)[1].split())
    assert "both machine and code differ" in said
    assert "the environments differ in packages.torch 2 | 3." in said
    assert "6 runs began with other weights" in said and "6 runs of" in said
    shutil.rmtree(b / "runs")
    assert "has not every run.json" in compared(a, b, capsys)[1]


@pytest.mark.parametrize("uuid", [{"uuid": "GPU-b"}, {}], ids=["another", "an earlier run's"])
def test_other_gpus_of_a_kind_are_no_other_environment(uuid, two, capsys):
    a, b = two()
    change(a, ("environment", "gpus"), [{"name": "X", "uuid": "GPU-a"}])
    change(b, ("environment", "gpus"), [{"name": "X"} | uuid])
    assert "the environments differ" not in compared(a, b, capsys)[1]
    change(b, ("environment", "gpus"), [{"name": "Y"} | uuid])
    assert "the environments differ in gpus.0.name X | Y" in compared(a, b, capsys)[1]


def test_commits_of_the_same_code_are_no_difference_in_code(two, capsys):
    a, b = two(code=CODE | {"commit": "d" * 40})
    change(b, ("machine", None), "8 x Another")
    said = compared(a, b, capsys)[1]
    assert "the commits differ, but not in the code of these runs" in said
    assert "both machine and code" not in said


def test_other_records_are_refused(two, capsys):
    a, b = two()
    change(b, ("inputs", "records_sha256"), {"train_images.npy": "other"})
    code, said, _ = compared(a, b, capsys)
    assert code == 1 and "had other records" in said and len(said.splitlines()) == 1


def test_what_is_no_pair_of_results_is_refused_in_one_line(two, capsys):
    a, b = two(seeds=(7,))
    (b / "broken").mkdir()
    shutil.copy2(a / "summary.csv", b / "broken")
    (b / "broken/machines.json").write_text("{")
    for other, why in (
        (b, "no run in common"),
        (a, "are one folder"),
        (b / "nowhere", "there is no such folder"),
        (b / "broken", "machines.json or a run.json is broken"),
    ):
        code, said, _ = compared(a, other, capsys)
        assert code == 1 and why in said and len(said.splitlines()) == 1, said
