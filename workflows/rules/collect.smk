"""The tables that figures and report read."""

import json


rule collect:
    input:
        statuses=[f"{RESULTS}/runs/{run}/{record.STATUS}" for run in PLAN.runs],
        sources=sources("bench.summary"),
    output:
        summary=f"{RESULTS}/summary.csv",
        epochs=f"{RESULTS}/epochs.csv",
        autotune=f"{RESULTS}/autotune.csv",
        machines=f"{RESULTS}/machines.json",
    log:
        f"{RESULTS}/logs/collect.txt",
    conda:
        "../envs/plots.yaml"
    params:
        runs=list(PLAN.runs),
        not_available=json.dumps(PLAN.not_available),
        results=subpath(output.summary, parent=True),
    shell:
        "python -m bench.summary {params.results:q} --not-available {params.not_available:q}"
        " 2>&1 | tee {log:q}"
