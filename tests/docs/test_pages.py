"""The pages say what the code says: keys, defaults, columns, links, files."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml

import plots
from bench import claims, clock, record
from bench.claim_file import read_claims
from bench.summary_columns import SUMMARY_COLUMNS
from bench.systems import SYSTEMS
from bench.verdict import VERDICTS
from data_prep import datasets
from workflows.plan import plan
from workflows.validate import SCHEMA

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BESIDE = [ROOT / "benchmarks/README.md", *sorted((ROOT / "results/reference").rglob("README.md"))]
CONFIG = (ROOT / "docs/config.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs/results.md").read_text(encoding="utf-8")
NAMES = {
    "string": "text",
    "object": "mapping",
    "array": "list",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
}


def section(text, heading):
    """The lines under a heading, up to the next one."""
    return re.split(r"^#+ ", text.split(f"{heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def rows(text):
    """Type, default and meaning of each key of the page's tables."""
    cells = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$", text, re.MULTILINE)
    return {key: (kind, default) for key, kind, default, _ in cells}


def kind_of(schema):
    if "$ref" in schema:
        return "mapping"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "else" in schema:
        return f"{NAMES[schema['else']['type']]} or `{schema['then']['const']}`"
    return NAMES[schema["type"]]


@pytest.mark.parametrize(
    ("heading", "schema"), [("## The whole", SCHEMA), ("## A run", SCHEMA["$defs"]["cell"])]
)
def test_every_key_of_a_config_is_described_with_its_type(heading, schema):
    described = rows(section(CONFIG, heading))
    assert {key: kind for key, (kind, _) in described.items()} == {
        key: kind_of(value) for key, value in schema["properties"].items()
    }
    required = {key for key, (_, default) in described.items() if default == "required"}
    assert required == set(schema["required"])


def test_described_defaults_are_the_real_ones():
    given = {"system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 1, "seed": 0}
    given |= {"epochs": 1, "target": 0.5, "lr": 1.0}
    planned = plan({"name": "x", "matrix": [given]})
    (spec,) = planned.runs.values()
    real = spec.to_dict() | {"alpha": "1/k" if spec.alpha is None else spec.alpha}
    real |= {"results": str(planned.results), "data": str(planned.data)}
    real |= {"archives": planned.datasets["digits"].archives, "datasets": {}}
    real |= {"interpreters": planned.interpreters, "models": planned.models}
    real |= {"allow_unstable": False, "defaults": {}, "exports": planned.exports}
    described = rows(section(CONFIG, "## The whole")) | rows(section(CONFIG, "## A run"))
    for key, (_, default) in described.items():
        if default != "required":
            assert json.loads(default.strip("`")) == real[key], key


def test_schedules_are_described_with_their_keys():
    schedule = SCHEMA["$defs"]["schedule"]
    table = section(CONFIG, "## A schedule")
    described = set(re.findall(r"^\| `([\w-]+)` \|", table, re.MULTILINE)) - {"kind"}
    assert described == set(schedule["properties"]["kind"]["enum"])
    keys = schedule["then"]["properties"].keys() | schedule["else"]["properties"].keys()
    assert keys - {"kind"} <= set(re.findall(r"`(\w+)`", table))


def test_the_example_config_plans_the_runs_it_says():
    example = yaml.safe_load(re.search(r"```yaml\n(.*?)```", CONFIG, re.DOTALL)[1])
    systems = [spec.system for spec in plan(example).runs.values()]
    assert (systems.count("crossbow"), len(systems)) == (9, 21)
    assert "That is 9 + 12 runs." in CONFIG


def test_systems_and_datasets_are_listed():
    for name in SYSTEMS:
        assert f"`{name}`" in section(CONFIG, "## A run")
    for name in datasets.known():
        assert f"`{name}`" in section(CONFIG, "## A run")
        assert f"`{name}`" in section((ROOT / "docs/data.md").read_text(), "## Sources")


@pytest.mark.parametrize(
    ("start", "end", "columns"),
    [
        ("**epochs.csv**", "**phases.csv**", record.EPOCH_COLUMNS),
        ("**phases.csv**", "**telemetry.csv**", record.PHASE_COLUMNS),
        ("**telemetry.csv**", "**autotune.csv**", record.TELEMETRY_COLUMNS),
        ("**autotune.csv**", "**status.json**", record.AUTOTUNE_COLUMNS),
        ("## summary.csv", "## epochs.csv", SUMMARY_COLUMNS),
        ("## claims.csv", "## figures/", claims.COLUMNS),
    ],
)
def test_every_column_is_described(start, end, columns):
    table = RESULTS.split(start, 1)[1].split(end, 1)[0]
    heads = re.findall(r"^\| (`.*?`) \| ", table, re.MULTILINE)
    described = [name for head in heads for name in re.findall(r"`(\w+)`", head)]
    assert sorted(described) == sorted(columns)


def test_phases_statuses_files_and_figures_are_described():
    for phase in clock.PHASES:
        assert f"`{phase}`" in RESULTS
    statuses = record.REACHED, record.FINISHED, record.DIVERGED, record.OUT_OF_MEMORY, record.FAILED
    for status in statuses:
        assert f"`{status}`" in RESULTS
    for file in (*record.FILES, record.AUTOTUNE):
        assert f"**{file}**" in RESULTS
        assert f"`{file}`" in (ROOT / "README.md").read_text()
    described = re.findall(r"^\| `(\w+)` \|", section(RESULTS, "## figures/"), re.MULTILINE)
    assert sorted(described) == plots.known()


def test_verdicts_and_keys_of_claims_are_described(tmp_path):
    page = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `([\w ]+)` \|", section(page, "## Verdicts"), re.MULTILINE)
    assert sorted(described) == sorted(VERDICTS)
    (tmp_path / "example.yaml").write_text(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])
    (example,) = read_claims(tmp_path / "example.yaml")
    heads = re.findall(r"^\| (`.*?`) \|", section(page, "## The file of claims"), re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", "".join(heads))) == set(example)


@pytest.mark.parametrize("page", [*PAGES, *BESIDE], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if target.startswith("http"):
            continue
        path, _, anchor = target.partition("#")
        found = page.parent / path if path else page
        assert found.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", found.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", h).lower().replace(" ", "-") for h in headings]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_the_pages_name_are_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    made_by_examples = set(re.findall(r"^`(\S+)`:$", text, re.MULTILINE))
    rooms = "bench|baselines|crossbow_impl|data_prep|docs|models|plots|tests|workflows"
    for name in set(re.findall(rf"`((?:{rooms})/[\w./-]*)`", text)) - made_by_examples:
        assert (ROOT / name).exists(), name


def test_make_targets_and_configs_in_commands_are_there():
    makefile = (ROOT / "Makefile").read_text()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
        for config in set(re.findall(r"workflows/config/(\w+)\.yaml", text)) - {"parity"}:
            assert (ROOT / f"workflows/config/{config}.yaml").exists()


def test_readme_figure_comes_with_its_provenance(tmp_path):
    from docs import readme_figure

    figures = tmp_path / "results/figures"
    figures.mkdir(parents=True)
    (figures / "time_to_accuracy.svg").write_text("<svg/>")
    (figures / "time_to_accuracy.csv").write_text("x,y\n")
    for name in ("summary", "epochs", "claims"):
        (tmp_path / f"results/{name}.csv").write_text(f"{name}\n")
    (figures / "time_to_accuracy.txt").write_text("A title\n=======\n\ntext\n\nn = 3 seeds.\n")
    machine = {"machine": "m", "environment": {"packages": {"torch": "9.9"}}, "runs": ["a"]}
    (tmp_path / "results/machines.json").write_text(json.dumps([machine]))
    shutil.copy(ROOT / "README.md", tmp_path)
    readme_figure.main(Path("kept"), tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert (tmp_path / "docs/images/time_to_accuracy.svg").read_text() == "<svg/>"
    assert "n = 3 seeds. Torch 9.9.*\n\n[Its runs, as tables](kept)\n<!-- end" in text
    kept = sorted(path.name for path in (tmp_path / "kept").rglob("*.*"))
    drawn = ["time_to_accuracy.csv", "time_to_accuracy.svg", "time_to_accuracy.txt"]
    assert kept == ["claims.csv", "epochs.csv", "machines.json", "summary.csv", *drawn]
    assert (tmp_path / "kept/claims.csv").read_text() == "claims\n"
    before = re.split("<!-- .*? -->", (ROOT / "README.md").read_text())
    after = re.split("<!-- .*? -->", text)
    assert (before[0], before[2]) == (after[0], after[2])
