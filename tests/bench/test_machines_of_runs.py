"""Two GPU machines of a kind are two machines; those recorded without UUIDs stay readable."""

import shutil

import pandas as pd
from made_results import results_of

from bench import earlier, record, summary
from bench.verify.machines import check_machines_of, check_same_machines, read_machines

CODE = {"commit": "c" * 40, "dirty": False, "sources_sha256": "c"}
UUIDS = [{"uuid": "GPU-a"}, {"uuid": "GPU-b"}, {"uuid": "GPU-b"}, {}]


def test_runs_are_told_apart_by_uuids_where_they_have_them(tmp_path, digits):
    results = results_of(tmp_path / "results", digits, lambda _: CODE)
    runs = sorted(path.parent for path in results.glob("runs/*/run.json"))
    for run, own in zip(runs, UUIDS, strict=True):
        job = record.read_json(run / record.RUN)
        job["environment"] |= {"gpus": [{"name": "NVIDIA H200"} | own]}
        record.write_json(run / record.RUN, job)
    names = [run.name for run in runs]
    summary.join(results, names, [])
    apart = [[names[0]], names[1:3], [names[3]]]
    assert [one["runs"] for one in read_machines(results / "machines.json")] == apart
    # Of the first and the last run only what was joined is left.
    before = tmp_path / "before"
    shutil.copytree(results, before)
    specs = {run.name: record.read_json(run / record.RUN)["spec"] for run in (runs[0], runs[3])}
    left = {"status": record.NOT_RUN, "reason": ""}
    gone = [{"run": name, "spec": spec} | left for name, spec in specs.items()]
    summary.join(results, names[1:3], gone)
    assert earlier.add(results, before, names) == [names[0], names[3]]
    machines = read_machines(results / "machines.json")
    assert sorted(one["runs"] for one in machines) == apart
    check_same_machines(results / "machines.json", machines)
    rows = pd.read_csv(results / "summary.csv", dtype=str, keep_default_na=False)
    check_machines_of(results / "machines.json", rows)
