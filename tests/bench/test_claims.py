"""Claims are judged by the written rule, on runs of one machine and the same work alone."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from bench import claims
from bench.claim_file import ClaimsError, read_claims
from bench.estimates import Estimate
from bench.summary_file import NEEDED
from bench.verdict import NOT_REPRODUCED, NOT_RUN, PARTLY, REPRODUCED, VERDICTS, verdict

REAL = Path(__file__).resolve().parents[2] / "bench/claims.yaml"
SOONER = {
    "id": "sooner",
    "text": "Crossbow reaches the target sooner",
    "source": "Section 5.2",
    "value": "time_to_target",
    "of": {"system": "crossbow", "best": True},
    "against": {"system": "pytorch", "best": True},
    "direction": "lower",
    "paper": {"ratio": [1.3, 4]},
}
FASTER = SOONER | {"id": "faster", "value": "images_per_s", "direction": "higher"}
SETTINGS = {"model": "lenet", "dataset": "digits", "target": "0.9", "devices": "1", "batch": "16"}
SETTINGS |= {"device_type": "cpu"}


def runs(system, times, **settings):
    """Runs of one configuration with seeds 1, 2, ...; a time of None never reached in 60 s."""
    rows = []
    for seed, time in enumerate(times, start=1):
        row = SETTINGS | {"system": system, "seed": f"{seed}", "machine": "a", "status": "reached"}
        row |= {"variant": "released" if system == "crossbow" else "", "learners": "1"}
        row |= {"train_s": "60", "epochs_run": "30"} | settings
        row |= {"median5_s": f"{time}"} if time else {"median5_s": "", "status": "finished"}
        row["run"] = "-".join(row.values())
        rows.append(row | {name: settings[name] for name in ("status",) if name in settings})
    return rows


def judged(claim, *groups):
    return claims.judge(claim, pd.DataFrame([row for group in groups for row in group]).fillna(""))


def test_a_gain_above_the_papers_in_the_whole_interval_is_reproduced():
    (row,) = judged(SOONER, runs("crossbow", [10, 20, 30]), runs("pytorch", [20, 30, 90]))
    assert row["verdict"] == REPRODUCED and row["paper"] == "1.3 to 4 times"
    assert (row["gain"], row["gain_low"], row["gain_high"]) == (2, 1.5, 3)
    assert (row["pairs"], row["won"], row["machine"], row["model"]) == (3, 3, "a", "lenet")
    assert (row["ours_median"], row["theirs_median"], row["ours_reached"]) == (20, 30, 3)


def test_runs_are_paired_by_seed_and_not_by_rank():
    (row,) = judged(SOONER, runs("crossbow", [10, 20, 40]), runs("pytorch", [80, 20, 20]))
    assert (row["gain"], row["gain_low"], row["gain_high"], row["won"]) == (1, 0.5, 8, 1)
    assert row["verdict"] == NOT_REPRODUCED


@pytest.mark.parametrize(
    ("gain", "paper", "expected"),
    [
        (None, 1, NOT_RUN),
        (Estimate(2, 1.1, 3, 3), 1, REPRODUCED),
        (Estimate(2, 1.1, 3, 3), 2, REPRODUCED),
        (Estimate(2, 1.1, 3, 3), 2.1, PARTLY),  # smaller than the paper's
        (Estimate(2, 1.0, 3, 3), 1, PARTLY),  # the interval reaches 1
        (Estimate(2, 2, 2, 2), 1, NOT_RUN),  # two seeds settle nothing, either way
        (Estimate(0.5, 0.5, 0.5, 2), 1, NOT_RUN),
        (Estimate(1, 0.5, 3, 3), 1, NOT_REPRODUCED),
        (Estimate(0.8, 0.5, 3, 9), 1, NOT_REPRODUCED),
        (Estimate(0.96, 0.95, 0.97, 3), 0.9, REPRODUCED),  # at most a tenth slower
        (Estimate(0.96, 0.89, 0.97, 3), 0.9, PARTLY),
        (Estimate(0.89, 0.8, 0.97, 3), 0.9, NOT_REPRODUCED),
    ],
)
def test_the_rule(gain, paper, expected):
    outcome, why = verdict(gain, paper)
    assert outcome == expected and why


def test_a_claim_without_runs_of_a_side_is_not_run():
    (row,) = judged(SOONER, runs("crossbow", [10, 20, 30]))
    assert (row["verdict"], row["pairs"]) == (NOT_RUN, 0) and "machine" not in row
    other_seeds = [run | {"seed": "7"} for run in runs("pytorch", [20])]
    (row,) = judged(SOONER, runs("crossbow", [10]), other_seeds)
    assert (row["verdict"], row["machine"]) == (NOT_RUN, "a")
    assert row["why"] == "no two runs with the same seed and settings"


@pytest.mark.parametrize(
    "other", [{"machine": "b"}, {"dataset": "mnist"}, {"target": "0.8"}, {"precision": "bf16"}]
)
def test_machines_and_workloads_are_never_mixed(other):
    fast, slow = runs("crossbow", [10, 10, 10], **other), runs("pytorch", [90, 90, 90])
    (row,) = judged(SOONER, fast, slow)
    assert row["verdict"] == NOT_RUN
    both = judged(SOONER, fast, slow, runs("crossbow", [99] * 3), runs("pytorch", [5] * 3, **other))
    assert [row["verdict"] for row in both] == [NOT_REPRODUCED] * 2
    (key,) = other
    assert {row[key] for row in both} == {other[key], (runs("x", [1])[0] | {"precision": ""})[key]}


def test_what_the_claim_names_may_differ():
    scaling = SOONER | {"of": {"devices": 8, "best": True}, "against": {"devices": 1, "best": True}}
    (row,) = judged(scaling, runs("crossbow", [10] * 3, devices="8"), runs("crossbow", [50] * 3))
    assert row["gain"] == 5 and "devices" not in row
    assert (row["ours"], row["theirs"]) == ("crossbow, devices 8", "crossbow, devices 1")


def test_the_best_configuration_is_that_with_the_best_median():
    one_lucky = runs("crossbow", [1, 50, 50], batch="64")
    good = runs("crossbow", [20, 20, 20], batch="32")
    (row,) = judged(SOONER, one_lucky, good, runs("pytorch", [40, 40, 40]))
    assert (row["ours"], row["gain"]) == ("crossbow, batch 32", 2)
    (row,) = judged(
        FASTER,
        *(
            [run | {"images_per_s": rate} for run in runs(system, [9] * 3, batch=batch)]
            for system, batch, rate in [
                ("crossbow", "1", "10"),
                ("crossbow", "2", "30"),
                ("pytorch", "4", "20"),
            ]
        ),
    )
    assert (row["ours"], row["gain"], row["ours_median"]) == ("crossbow, batch 2", 1.5, 30)


def test_without_best_a_run_meets_those_of_its_own_settings():
    claim = SOONER | {"of": {"variant": "released"}, "against": {"variant": "ea-sgd"}}
    ours = [*runs("crossbow", [10, 10], batch="16"), *runs("crossbow", [20, 20], batch="64")]
    theirs = [*runs("crossbow", [40, 40], batch="16"), *runs("crossbow", [20, 20], batch="64")]
    alone = runs("crossbow", [1, 1], batch="128")
    (row,) = judged(claim, ours, [run | {"variant": "ea-sgd"} for run in theirs], alone)
    assert (row["pairs"], row["gain"], row["won"]) == (2, 2, 2)  # between 4 and 1 for each seed
    assert row["ours_n"] == 4 and row["ours"] == "crossbow: 2 configurations"


EVERY = SOONER | {"of": {"tau": 1}, "against": {"tau": [2, 3]}, "paper": {"wins": True}}


@pytest.mark.parametrize(("seeds", "expected"), [(1, NOT_RUN), (2, NOT_RUN), (3, REPRODUCED)])
def test_a_seed_counts_once_however_many_settings_it_was_run_with(seeds, expected):
    ours = runs("crossbow", [10, 20, 30][:seeds], tau="1")
    theirs = [runs("crossbow", [12, 26, 42][:seeds], tau=tau) for tau in ("2", "3")]
    (row,) = judged(EVERY, ours, *theirs)
    assert (row["verdict"], row["pairs"], row["won"]) == (expected, seeds, seeds)
    assert row["theirs_n"] == 2 * seeds and row["gain_low"] == 1.2
    if expected == NOT_RUN:
        assert row["why"].startswith(f"{seeds} of at least 3 seeds, with a gain of 1.2")


def test_what_one_setting_of_a_seed_leaves_unknown_counts_against():
    ours, lost = runs("crossbow", [10] * 3, tau="1"), runs("crossbow", [5] * 3, tau="2")
    diverged = runs("crossbow", [None] * 3, tau="3", status="diverged")
    (row,) = judged(EVERY, ours, lost, diverged)
    assert (row["verdict"], row["gain"]) == (NOT_REPRODUCED, 0.5)


def test_a_claim_and_its_reverse_are_not_both_won():
    turned = EVERY | {"of": EVERY["against"], "against": EVERY["of"]}
    groups = [runs("crossbow", [t] * 3, tau=tau) for tau, t in (("1", 31), ("2", 15.5), ("3", 62))]
    (one,), (other,) = judged(EVERY, *groups), judged(turned, *groups)
    assert one["gain"] == other["gain"] == 1
    assert one["verdict"] == other["verdict"] == NOT_REPRODUCED


def test_a_claim_about_one_side_counts_seeds_too():
    claim = SOONER | {"value": "best_acc", "direction": "higher", "paper": {"value": 0.9}}
    claim = {key: value for key, value in claim.items() if key != "against"} | {"of": {"tau": 1}}
    ours = [runs("crossbow", [9] * 2, batch=batch, tau="1", best_acc="0.95") for batch in "48"]
    (row,) = judged(claim, *ours)
    assert (row["verdict"], row["pairs"], row["ours_n"]) == (NOT_RUN, 2, 4)


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        (["1234567"] * 3, ["1234567" + "89" * 16] * 3, ""),
        (["1234567", "a234567", "1234567"], ["1234567", "a234567", "1234567"], ""),  # seed by seed
        (["1234567"] * 3, ["1234567", "1234567", ""], ""),
        (["1234567"] * 3, ["1234567", "a234567", "b234567"], "; runs of 3 commits"),
        (["1234567"] * 3, ["a234567" + "89" * 16] * 3, "; runs of 2 commits"),
    ],
)
def test_the_reason_says_where_a_pair_is_of_two_commits(ours, theirs, said):
    sides = [
        [run | {"commit": commit} for run, commit in zip(side, commits, strict=True)]
        for side, commits in (
            (runs("crossbow", [10] * 3), ours),
            (runs("pytorch", [20] * 3), theirs),
        )
    ]
    (row,) = judged(SOONER, *sides)
    assert row["why"] == f"the whole interval is above 1, the median at least 1.3{said}"


LITTLE = "; says little: accuracy rises most near"
EPOCHS = SOONER | {"value": "epochs_to_target", "paper": {"wins": True}}


@pytest.mark.parametrize(
    ("ours", "theirs", "said"),
    [
        ("constant", "step(at=[20], factor=0.1)", ""),
        ("cosine(warmup=0.1)", "constant", f"{LITTLE} a cosine schedule's end, epoch 50"),
        ("cosine", "one-cycle", f"{LITTLE} a cosine or one-cycle schedule's end, epoch 50"),
    ],
)
def test_the_reason_says_where_the_epochs_are_those_of_the_plan(ours, theirs, said):
    plan = {"epochs": "50", "median5_epochs": "48"}
    groups = [
        runs("crossbow", [10] * 3, schedule=ours, **plan),
        runs("pytorch", [20] * 3, schedule=theirs, **plan | {"median5_epochs": "50"}),
    ]
    (row,) = judged(EPOCHS, *groups)
    assert row["why"] == f"the whole interval is above 1{said}"
    groups[1] = [run | {"median5_epochs": "", "epochs_run": "50"} for run in groups[1]]
    (row,) = judged(EPOCHS, *groups)
    assert row["why"].endswith("epoch 50, and never counts as that" if said else "above 1")
    (row,) = judged(SOONER, *groups)
    assert "says little" not in row["why"]  # of seconds


def test_settings_of_one_system_alone_do_not_keep_runs_apart():
    claim = SOONER | {"of": {"system": "crossbow"}, "against": {"system": "pytorch"}}
    (row,) = judged(claim, runs("crossbow", [10] * 3), runs("pytorch", [30] * 3))
    assert (row["pairs"], row["gain"]) == (3, 3)
    (row,) = judged(claim, runs("crossbow", [10] * 3), runs("pytorch", [30] * 3, batch="99"))
    assert row["verdict"] == NOT_RUN


def test_runs_that_never_reached_the_target_count():
    (row,) = judged(SOONER, runs("crossbow", [10, 10, None]), runs("pytorch", [20, 20, 20]))
    assert (row["verdict"], row["gain"], row["gain_low"], row["ours_reached"]) == (PARTLY, 2, 0, 2)
    (row,) = judged(SOONER, runs("crossbow", [10, 10, 10]), runs("pytorch", [20, None, None]))
    assert (row["gain"], row["gain_high"], row["theirs_median"]) == (6, 6, float("inf"))
    diverged = runs("pytorch", [None] * 3, status="diverged", train_s="1")
    (row,) = judged(SOONER, runs("crossbow", [10, 10, 10]), diverged)
    assert (row["verdict"], row["gain"]) == (REPRODUCED, float("inf"))
    (row,) = judged(SOONER, runs("crossbow", [None] * 3), runs("pytorch", [None] * 3))
    assert (row["verdict"], row["gain"], row["won"]) == (NOT_REPRODUCED, 0, 0)


def test_where_nobody_gets_there_nothing_is_reproduced_though_a_tenth_slower_would_do():
    claim = SOONER | {"paper": {"ratio": 0.9}}
    (row,) = judged(claim, runs("crossbow", [None] * 3), runs("pytorch", [None] * 3))
    assert row["verdict"] == NOT_REPRODUCED
    (row,) = judged(claim, runs("crossbow", [21] * 3), runs("pytorch", [20] * 3))
    assert (row["verdict"], row["won"]) == (REPRODUCED, 3)  # by the number that judges it


def test_the_best_of_too_few_is_no_bar_to_come_up_to():
    fixed = {"system": "crossbow", "learners": [1, 2, 4], "best": True, "at_least": {"learners": 3}}
    claim = SOONER | {"of": {"learners": "auto", "best": True}, "paper": {"ratio": 0.9}}
    claim["against"] = fixed
    tuned = runs("crossbow", [10] * 3, learners="auto")
    two = [*runs("crossbow", [10] * 3, batch="64"), *runs("crossbow", [10] * 3, learners="2")]
    (row,) = judged(claim, tuned, two)
    assert row["verdict"] == NOT_RUN and "gain" not in row
    assert row["why"] == "2 of at least 3 values of learners to choose from"
    (row,) = judged(claim, tuned, two, runs("crossbow", [10] * 3, learners="4"))
    assert row["verdict"] == REPRODUCED


def test_out_of_memory_is_the_worst_throughput_and_a_failed_run_says_nothing():
    ours = [run | {"images_per_s": "10"} for run in runs("crossbow", [9] * 3)]
    lost = [run | {"images_per_s": ""} for run in runs("pytorch", [9] * 3, status="out_of_memory")]
    (row,) = judged(FASTER, ours, lost)
    assert (row["verdict"], row["gain"], row["theirs_median"]) == (REPRODUCED, float("inf"), 0)
    (row,) = judged(FASTER, ours, [r | {"status": "failed", "images_per_s": "1"} for r in lost])
    assert row["verdict"] == NOT_RUN
    for status in ("not_available", "not_run"):
        (row,) = judged(SOONER, ours, [run | {"status": status, "seed": "1"} for run in lost])
        assert row["verdict"] == NOT_RUN


def test_a_repeat_of_a_run_is_no_further_seed():
    again = [run | {"repeat": "2", "run": "again"} for run in runs("crossbow", [10, 10])]
    first = [run | {"repeat": "1"} for run in runs("crossbow", [10, 10])]
    (row,) = judged(SOONER, first, again, runs("pytorch", [20, 20], repeat="1"))
    assert row["pairs"] == row["ours_n"] == 2


@pytest.mark.parametrize(
    ("paper", "expected"),
    [(0.85, REPRODUCED), ([0.86, 0.99], REPRODUCED), (0.88, PARTLY), (0.9, NOT_REPRODUCED)],
)
def test_a_claim_about_one_side_is_judged_by_the_papers_value(paper, expected):
    claim = SOONER | {"value": "best_acc", "direction": "higher", "paper": {"value": paper}}
    del claim["against"]
    ours = [
        run | {"best_acc": accuracy}
        for run, accuracy in zip(runs("crossbow", [9] * 3), ("0.86", "0.88", "0.95"), strict=True)
    ]
    (row,) = judged(claim, ours)
    assert row["verdict"] == expected and "theirs_n" not in row
    assert (row["ours_median"], row["ours_low"], row["ours_high"]) == (0.88, 0.86, 0.95)


def test_settings_are_the_same_however_they_are_spelled():
    claim = SOONER | {"of": {"batch": 16, "lr": 0.1, "compile": True, "learners": [1, "auto"]}}
    ours = runs("crossbow", [10], lr="1e-1", compile="True", learners="auto", batch="16.0")
    (row,) = judged(claim, ours, runs("pytorch", [20]))
    assert row["pairs"] == 1
    (row,) = judged(claim, [run | {"compile": "False"} for run in ours], runs("pytorch", [20]))
    assert row["verdict"] == NOT_RUN


@pytest.fixture
def command(tmp_path):
    def run(given, *groups):
        (tmp_path / "claims.yaml").write_text(yaml.safe_dump(given))
        table = pd.DataFrame([r for g in groups for r in g])
        table = table.reindex(columns=list(dict.fromkeys([*table, *NEEDED])))
        table.to_csv(tmp_path / "summary.csv", index=False)
        names = ["summary.csv", "--claims", "claims.yaml", "--out", "out/claims.csv"]
        return claims.main([n if n[0] == "-" else str(tmp_path / n) for n in names])

    return run


def test_the_table_has_one_row_a_claim_and_the_same_bytes_again(command, tmp_path):
    given = [SOONER, FASTER]
    groups = runs("crossbow", [10, 20, 30, 40, 50]), runs("pytorch", [20, 30, 90, 20, None])
    assert command(given, *groups) == 0
    written = (tmp_path / "out/claims.csv").read_bytes()
    table = pd.read_csv(tmp_path / "out/claims.csv")
    assert list(table.columns) == claims.COLUMNS and list(table["id"]) == ["sooner", "faster"]
    assert set(table["verdict"]) <= set(VERDICTS)
    assert table["machine"][0] == "a" and table["theirs_reached"][0] == 4
    assert command(given, *reversed(groups)) == 0
    assert (tmp_path / "out/claims.csv").read_bytes() == written


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"value": "beauty"}, "[1].value: 'beauty' is not one of"),
        ({"of": {"sytem": "crossbow"}}, "[1].of: Additional properties are not allowed"),
        ({"of": {"repeat": 2}}, "[1].of: Additional properties are not allowed"),
        ({"direction": "up"}, "[1].direction: 'up' is not one of"),
        ({"direction": "higher"}, "[1].direction: less time is better"),
        ({"paper": {}}, "[1].paper: "),
        ({"paper": {"ratio": -1}}, "[1].paper.ratio: "),
        ({"paper": {"value": 1}}, "[1].paper: with `against`"),
        ({"against": None}, "[1].against: None is not of type 'object'"),
        ({"id": "first"}, "[1].id: 'first' is there twice"),
        ({"of": {"system": "crosbow"}}, "[1].of.system: 'crosbow' is not one of ['crossbow', "),
        ({"of": {"system": ["pytorch", "torch"]}}, "[1].of.system[1]: 'torch' is not one of"),
        ({"of": {"model": "renset32"}}, "[1].of.model: there is no 'renset32'; known are "),
        ({"against": {"model": ["lenet", "lent"]}}, "[1].against.model: there is no 'lent'"),
        ({"of": {"variant": "relesed"}}, "[1].of.variant: 'relesed' is not one of"),
        ({"of": {"precision": "bf61"}}, "[1].of.precision: 'bf61' is not one of"),
        ({"of": {"batch": "many"}}, "[1].of.batch: 'many' is not of type 'integer'"),
        ({"of": {"learners": "all"}}, "[1].of.learners: 'all' is not "),
        ({"of": {"best": True, "at_least": {"seeds": 3}}}, "[1].of.at_least: "),
        ({"paper": {"ratio": [4, 1.3]}}, "[1].paper: [4, 1.3] is no range; write its lower end"),
        ({"paper": {"ratio": float("nan")}}, "[1].paper: nan is no number; write the paper's"),
        ({"paper": {"ratio": [1, float("inf")]}}, "[1].paper: [1, inf] is no number; write"),
    ],
)
def test_a_bad_claim_is_refused_by_file_and_key(change, said, command, tmp_path, capsys):
    assert command([SOONER | {"id": "first"}, SOONER | change], runs("crossbow", [1])) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{tmp_path / 'claims.yaml'}: {said}") and error.count("\n") == 1


def test_a_model_of_the_users_own_is_named_with_its_source(command):
    own = {"model": "wide", "model_source": "nets/wide.py", "best": True}
    assert command([SOONER | {"of": own}], runs("crossbow", [1], model_source="")) == 0


def test_a_claim_of_what_the_summary_lacks_is_refused(command, tmp_path, capsys):
    tuned = {"of": {"graph": True}, "against": {"best": True, "at_least": {"tau": 2}}}
    assert command([SOONER, FASTER | tuned], runs("crossbow", [1])) == 1
    error = capsys.readouterr().err
    assert "summary.csv lacks graph, tau, which claim faster names; join the runs" in error
    assert command([SOONER | {"value": "final_acc"} | {"direction": "higher"}], []) == 1
    assert "lacks final_acc, which claim sooner names" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("out", ["claims.yaml", "."])
def test_a_table_that_cannot_be_written_is_refused(out, command, tmp_path, capsys):
    command([SOONER], runs("crossbow", [1]))
    given = [str(tmp_path / "summary.csv"), "--claims", str(tmp_path / "claims.yaml")]
    place = tmp_path / out if out == "." else tmp_path / out / "claims.csv"
    assert claims.main([*given, "--out", str(place)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"{place}: ") and "give --out a file" in error
    assert error.count("\n") == 1


def test_a_claim_of_one_side_needs_a_value(command, capsys):
    alone = {key: value for key, value in SOONER.items() if key != "against"}
    assert command([alone], runs("crossbow", [1])) == 1
    assert "[0].paper: without `against` give the paper's `value`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("- [", ": no YAML, "),
        ("just text", ": the whole: 'just text' is not of type 'array'; docs/statistics.md has"),
        ("[]", ": the whole: .*; docs/statistics.md has the keys"),
        ("- 3", r": \[0\]: 3 is not of type 'object'; docs/statistics.md has the keys"),
        ("", ": is empty; docs/statistics.md has a claim's keys"),
        ("- id: a\n  id: b", ", line 2: 'id' is there twice; remove one"),
    ],
)
def test_what_is_no_list_of_claims_is_refused(content, said, tmp_path):
    (tmp_path / "claims.yaml").write_text(content)
    with pytest.raises(ClaimsError, match=rf"claims\.yaml{said}"):
        read_claims(tmp_path / "claims.yaml")


def test_missing_files_are_named(command, tmp_path, capsys):
    command([SOONER], runs("crossbow", [1]))
    (tmp_path / "summary.csv").unlink()
    given = [str(tmp_path / "summary.csv"), "--claims", str(tmp_path / "claims.yaml")]
    assert claims.main(given) == 1
    assert "summary.csv; join the runs first" in capsys.readouterr().err
    (tmp_path / "claims.yaml").unlink()
    assert claims.main(given) == 1
    assert "claims.yaml: No such file or directory; name a file" in capsys.readouterr().err
    (tmp_path / "claims.yaml").mkdir()
    assert claims.main(given) == 1
    assert "claims.yaml: Is a directory; name a file" in capsys.readouterr().err


def test_a_summary_that_would_mislead_is_refused(command, tmp_path, capsys):
    command([SOONER], [runs("crossbow", [10])[0] | {"images_per_s": "abc"}])
    error = capsys.readouterr().err
    assert error.startswith("Cannot read the runs: ") and error.count("\n") == 1
    assert "summary.csv: images_per_s of " in error and "is 'abc', no number" in error
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(not REAL.exists(), reason="has no claims yet")
def test_the_papers_claims_can_be_judged():
    papers = read_claims(REAL)
    nothing = pd.DataFrame(runs("nothing", [1]))
    assert {row["verdict"] for claim in papers for row in claims.judge(claim, nothing)} == {NOT_RUN}
