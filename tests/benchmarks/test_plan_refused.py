"""A plan that can't be measured is one sentence, before anything is."""

import json
import sys
from pathlib import Path

import pytest

from bench.spec import RunSpec
from benchmarks import engine
from benchmarks.plan import points, read_plan, refuse_cell
from benchmarks.systems import spec_of

CELL = '"system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 16'
NORMED = Path(__file__).parents[1] / "baselines/normed.py"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "plan.json: no JSON, "),
        (b'[{"system":', "plan.json: no JSON, "),
        (b"\xff\xfe\x00", "plan.json: no JSON, "),
        (b"[" * 100_000, "plan.json: no JSON, "),
        (b"{}", "plan.json: no list; a plan is a list of cells"),
        (b"[]", "plan.json: the plan has no cells"),
        (b"[1, 2]", "plan.json[0]: 1 is not a mapping of keys to values"),
        (b'[{"model": "lenet", "dataset": "d", "batch": 1}]', "no value for 'system'; add it"),
        (f'[{{{CELL}}}, {{{CELL}, "batches": 1}}]', "plan.json[1]: unknown key 'batches'; known"),
        (f'[{{{CELL}, "learners": [1, 0]}}]', "plan.json[0].learners: 0 is out of range"),
        (f'[{{{CELL}, "learners": []}}]', "plan.json[0].learners: an empty list"),
        (f'[{{{CELL}, "learners": "auto"}}]', "plan.json[0].learners: 'auto'; give numbers"),
        (
            f'[{{{CELL}, "system": "pytorch", "learners": 4}}]',
            "[0].learners: pytorch averages no learners; remove",
        ),
        (f'[{{{CELL}}}, {{{CELL}, "tau": 3}}]', "plan.json[1]: with 1 learners its row would be"),
        (f"[{{{CELL}}}]", "all cells need more GPUs than the 0 here; for a CPU a cell says"),
        (f'[{{{CELL}, "lr": NaN}}]', "plan.json[0].lr: nan is not finite"),
        (f'[{{{CELL}, "system": "ones"}}]', "plan.json[0].system: unknown system 'ones'"),
        (f'[{{{CELL}, "model": "lenett"}}]', "plan.json[0].model: unknown model 'lenett'"),
        (f'[{{{CELL}, "dataset": "a/b"}}]', "plan.json[0].dataset: 'a/b' is no part of"),
        (f'[{{{CELL}, "model": "resnet50"}}]', "[0].model: on digits, resnet50 needs at least 32"),
        (f'[{{{CELL}, "batch": 2000}}]', "[0].batch: one iteration takes 2000 images and digits"),
        (f'[{{{CELL}, "learners": [1, 90]}}]', "[0].batch: one iteration takes 1440 images and"),
        (
            f'[{{{CELL}, "dataset": "synthetic-32-10", "batch": 55000}}]',
            "55000 images and synthetic-32-10 has 50000 to",
        ),
        (f'[{{{CELL}, "dataset": "synthetic-32"}}]', "[0].dataset: 'synthetic-32' is no synthetic"),
        (
            f'[{{{CELL}, "dataset": "synthetic-224-10", "batch": 15000}}]',
            "15000 images and synthetic-224-10 has 14266 to",
        ),
        (f'[{{{CELL}, "augmentation": "zoom"}}]', "[0].augmentation: unknown augmentation 'zoom'"),
        (f'[{{{CELL}, "alpha": "x"}}]', "[0].alpha: unknown value 'x'; use 1/k or"),
        (f'[{{{CELL}, "method": {{"rank": 1}}}}]', "[0].method"),
        (f'[{{{CELL}, "graph": true, "device_type": "cpu"}}]', "[0].graph: "),
        (f'[{{{CELL}, "unroll": 2}}]', "[0].unroll: "),
        (f'[{{{CELL}, "devices": 2, "nodes": 3}}]', "[0].nodes: 2 devices, those of all nodes"),
        (f'[{{{CELL}, "schedule": {{"kind": "stairs"}}}}]', "[0].schedule.kind: unknown value"),
        (f'[{{{CELL}, "dataset": "imagenet"}}]', "[0].augmentation: augmentation crop_flip is for"),
        (f'[{{{CELL}, "model_source": "/x.py"}}]', "[0].model: /x.py: no such file"),
        (
            f'[{{{CELL}, "system": "tensorflow", "model_source": "{NORMED}"}}]',
            "[0].model: lenet has no keras_model; tensorflow can't measure it",
        ),
    ],
)
def test_a_plan_that_is_none_is_one_sentence(content, sentence, tmp_path, monkeypatch):
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    plan.write_bytes(content if isinstance(content, bytes) else content.encode())
    monkeypatch.setattr(sys, "argv", ["engine", str(plan), "--out", str(out), "--call", "one"])
    with pytest.raises(SystemExit) as refused:
        engine.main()
    assert sentence in str(refused.value) and "\n" not in str(refused.value)
    assert not out.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["none.json", "--call", "one"], "none.json: no such plan"),
        (["none.json", "--call", "a/b"], "--call: 'a/b' names a file; use letters"),
        (["none.json", "--call", "one", "--interpreters", "[]"], "--interpreters: no JSON object"),
        (["none.json", "--call", "one", "--interpreters", '{"x": "y"}'], "'x' is none of"),
        (["none.json", "--call", "one", "--interpreters", '{"tensorflow": 3}'], "there is no 3"),
        *(
            (["none.json", "--call", "one", "--budget", text], f"--budget: '{text}' is no number")
            for text in ("nan", "-5", "0", "soon")
        ),
    ],
)
def test_an_option_that_does_not_do_is_one_sentence(
    options, sentence, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(sys, "argv", ["engine", *options, "--out", str(tmp_path)])
    with pytest.raises(SystemExit) as refused:
        engine.main()
    assert sentence in f"{refused.value}{capsys.readouterr().err}"


@pytest.mark.parametrize(
    "file",
    ["nvidia-h200/overhead", "nvidia-h200/overlap", "nvidia-h200/tuning", "2-core-epyc/tf_data"],
)
def test_the_run_that_a_result_names_is_a_cell(file):
    results = Path(__file__).parents[2] / "results/reference"
    cell = json.loads((results / f"{file}.json").read_text())["run"]
    refuse_cell(cell, "CELL")
    assert spec_of(cell) == RunSpec(**cell)


def test_a_share_of_learners_by_name_is_that_of_none():
    cell = json.loads(f"{{{CELL}}}")
    refuse_cell(cell | {"alpha": "1/k"}, "CELL")
    assert spec_of(cell | {"alpha": "1/k"}) == spec_of(cell)


def test_points_have_one_number_of_learners_and_the_defaults(tmp_path):
    plan = tmp_path / "plan.json"
    plan.write_text(f'[{{{CELL}, "learners": [1, 2]}}, {{{CELL}, "learners": "auto"}}]')
    assert [point["learners"] for point in points(read_plan(plan))] == [1, 2, "auto"]
    assert {point["devices"] for point in points(read_plan(plan))} == {1}
