"""Every column of a benchmark's table is described, in the table's own section of the page."""

import re
from pathlib import Path

import pytest

import plots
from benchmarks import (
    all_reduce,
    cost_curves,
    engine_table,
    queue_check,
    reading,
    records_cost,
    scaling_check,
    scaling_prediction,
    timeline,
    tuning,
)

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "benchmarks/README.md").read_text(encoding="utf-8").split("## Columns\n", 1)[1]
TABLES = {
    "engine": engine_table.COLUMNS,
    "tuning": tuning.COLUMNS,
    "timeline": timeline.COLUMNS,
    "reading": reading.COLUMNS,
    "all_reduce": all_reduce.COLUMNS,
    "records_cost": records_cost.COLUMNS,
    "cost_curves": cost_curves.COLUMNS,
    "scaling_prediction": scaling_prediction.PREDICTION,
    "scaling_fit": scaling_prediction.FIT,
    "scaling_check": scaling_check.CHECK,
    "queue": queue_check.QUEUE,
    "queue_check": queue_check.CHECK,
    "queue_forecast": queue_check.FORECAST,
}
SAME_AS = {"tuning-b64": "tuning", "cudnn-benchmark": "engine"}
# Described in docs/results.md, where other tests look.
OF_RUNS = ["summary", "epochs", "phases", "claims", *plots.known()]
KEPT = [
    path
    for path in sorted((ROOT / "results/reference").rglob("*.csv"))
    if path.parent.name != "figures" and path.stem not in OF_RUNS
]


def described(name):
    section = re.split(r"^\*\*", PAGE.split(f"**{name}.csv**", 1)[1], maxsplit=1, flags=re.M)[0]
    heads = re.findall(r"^\| (`.*?`) \| ", section, re.MULTILINE)
    return [column for head in heads for column in re.findall(r"`(\w+)`", head)]


@pytest.mark.parametrize("name", TABLES)
def test_every_column_of_a_benchmark_is_described(name):
    assert sorted(described(name)) == sorted(TABLES[name])


def test_no_other_table_is_described():
    assert re.findall(r"^\*\*(\w+)\.csv\*\*", PAGE, re.MULTILINE) == list(TABLES)


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_column_of_what_is_kept_is_described(path):
    columns = path.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert sorted(columns) == sorted(described(SAME_AS.get(path.stem, path.stem)))
