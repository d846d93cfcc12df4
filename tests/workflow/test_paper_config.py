"""The configs of the paper's claims: the whole matrix, its sources, and runs for every claim."""

import dataclasses
import re
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
import yaml
from suite import REPOSITORY

from bench import claims, environment, record, summary
from bench.claim_file import AT_LEAST, BEST, read_claims
from bench.summary_file import RESULTS
from bench.verdict import NOT_RUN
from workflows.plan import plan, refuse_what_is_not_here
from workflows.read_config import read_config
from workflows.validate import ConfigError

CONFIGS = REPOSITORY / "workflows/config"
PAPER = CONFIGS / "paper.yaml"
CLAIMS = read_claims(REPOSITORY / "bench/claims.yaml")
TARGETS = {"lenet": 0.99, "resnet32": 0.88, "vgg16": 0.69, "resnet50": 0.53}
DATASETS = {"lenet": "mnist", "resnet32": "cifar10", "vgg16": "cifar100", "resnet50": "imagenet"}
SOURCES = ("paper", "script", "program", "chosen")


@cache
def planned(name):
    return plan(read_config(CONFIGS / f"{name}.yaml"))


def specs(name="paper"):
    return list(planned(name).runs.values())


def selected(runs, **wanted):
    """The runs with one of the wanted values for every setting; 1/k is a spec's None."""
    return [
        spec
        for spec in runs
        if all(
            getattr(spec, key) in (value if isinstance(value, list) else [value])
            for key, value in wanted.items()
        )
    ]


@pytest.mark.parametrize("model", TARGETS)
def test_every_model_runs_to_its_target_on_all_numbers_of_gpus_with_all_systems(model):
    runs = selected(specs(), model=model)
    assert {(spec.target, spec.dataset) for spec in runs} == {(TARGETS[model], DATASETS[model])}
    places = {(spec.system, spec.devices) for spec in runs}
    systems = ("crossbow", "tensorflow", "pytorch")
    assert places == {(system, devices) for system in systems for devices in (1, 2, 4, 8)}
    crossbow = selected(runs, system="crossbow", tau=1)
    assert {spec.devices for spec in selected(crossbow, learners="auto")} == {1, 2, 4, 8}


@pytest.mark.parametrize("system", ["crossbow", "pytorch"])
def test_what_runs_on_several_gpus_runs_on_one_with_the_same_settings(system):
    runs = selected(specs(), system=system)
    alone = {dataclasses.replace(spec, devices=1).id for spec in runs}
    assert alone <= set(planned("paper").runs)


def test_all_that_the_paper_varies_is_there():
    runs = selected(specs(), model="resnet32", system="crossbow")
    assert {spec.tau for spec in runs} == {0, 1, 2, 3}
    assert {spec.variant for spec in runs} == {"released", "ea-sgd", "algorithm-1", "kungfu"}
    for batch in (16, 64, 256):
        of_batch = selected(runs, batch=batch, devices=1, tau=1, variant="released")
        assert {spec.learners for spec in of_batch} == {1, 2, 4, 8, 16, "auto"}


@pytest.mark.parametrize("name", ["paper", "gpu-2", "quickstart"])
def test_a_run_that_is_repeated_is_there_with_the_same_settings(name):
    runs = specs(name)
    first = {spec.id for spec in runs if spec.repeat == 1}
    again = [spec.id.replace("-r2-", "-") for spec in runs if spec.repeat == 2]
    assert again and set(again) <= first


def test_every_setting_of_a_model_says_where_it_comes_from():
    blocks = re.findall(r"<<: &\w+\n((?: {6}.*\n)+)", PAPER.read_text())
    assert len(blocks) == len(TARGETS)
    for block in blocks:
        above = ""
        for line in block.splitlines():
            said = line.partition("#")[2] or above
            setting, above = line.split()[0], said if line.strip().startswith("#") else ""
            if setting != "#":
                assert any(source in said for source in SOURCES), line


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["id"])
def test_every_claim_has_runs_in_the_papers_matrix(claim):
    for side in ("of", "against"):
        if side in claim:
            wanted = {k: v for k, v in claim[side].items() if k not in (BEST, AT_LEAST)}
            found = selected(specs(), **wanted)
            assert found, side
            for name, fewest in claim[side].get(AT_LEAST, {}).items():
                assert len({getattr(spec, name) for spec in found}) >= fewest, side


@cache
def made():
    """The summary of the paper's matrix, every run of it made and equally good."""
    results = dict.fromkeys(RESULTS, "1") | {"status": record.REACHED, "machine": "a"}
    rows = [
        summary.without_run({"run": name, "spec": spec.to_dict(), "status": "", "reason": ""})
        for name, spec in planned("paper").runs.items()
    ]
    return pd.DataFrame([row | results for row in rows], dtype=object).fillna("").astype(str)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim["id"])
def test_every_claim_is_judged_once_the_papers_matrix_is_made(claim):
    assert {row["verdict"] for row in claims.judge(claim, made())} - {NOT_RUN}


def test_claims_without_best_have_pairs_that_differ_in_what_they_name_alone():
    for claim in CLAIMS:
        if "against" in claim and not claim["of"].get(BEST):
            ours, theirs = (selected(specs(), **claim[side]) for side in ("of", "against"))
            named = {*claim["of"], *claim["against"]}
            settings = [
                {k: v for k, v in spec.to_dict().items() if k not in named} for spec in ours
            ]
            for spec in theirs:
                mine = {k: v for k, v in spec.to_dict().items() if k not in named}
                assert mine in settings, spec.id


def gpus(count):
    return lambda *_: [{"name": f"GPU {number}"} for number in range(count)]


@pytest.mark.parametrize(("name", "needed"), [("paper", 8), ("gpu-2", 2)])
def test_it_is_refused_for_its_gpus_alone(name, needed, monkeypatch):
    assert planned(name).not_available == []
    monkeypatch.setattr(environment, "gpus", gpus(needed - 1))
    with pytest.raises(ConfigError, match=rf"needs {needed} CUDA devices"):
        refuse_what_is_not_here(planned(name))
    monkeypatch.setattr(environment, "gpus", gpus(needed))
    refuse_what_is_not_here(planned(name))


def test_snakemake_reads_the_same_runs():
    """Anchors and merges are YAML, which Snakemake reads by a loader of its own."""
    plain = yaml.safe_load(Path(PAPER).read_text())
    assert plain == read_config(PAPER)
