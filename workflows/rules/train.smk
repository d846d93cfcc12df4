"""One rule trains every run of every system, alone on the machine: its numbers are timings."""

from bench.systems import KERAS


rule train:
    input:
        sources=lambda wc: system_sources(spec(wc)),
        manifest=lambda wc: f"{DATA}/{spec(wc).dataset}/manifest.json",
        weights=lambda wc: (
            f"{RESULTS}/weights/{spec(wc).model}/{spec(wc).dataset}/seed-{spec(wc).seed}.npz"
        ),
        # To compare the Keras model by; its time is the weights', which counts already.
        logits=lambda wc: [
            ancient(
                f"{RESULTS}/weights/{run.model}/{run.dataset}/logits-seed-{run.seed}.npz"
            )
            for run in [spec(wc)]
            if run.system in KERAS
        ],
    output:
        [
            f"{RESULTS}/runs/{{run}}/{name}"
            for name in record.FILES
            if name != record.LOG
        ],
    log:
        f"{RESULTS}/runs/{{run}}/{record.LOG}",
    # The plan's order, in which the systems take turns.
    priority: lambda wc: -list(PLAN.runs).index(wc.run)
    conda:
        environment
    threads: lambda wc: cluster.threads(spec(wc), whole_machine())
    resources:
        gpu=asked("gpu"),
        gres=asked("gres"),
        nodes=asked("nodes"),
        tasks=asked("tasks"),
        tasks_per_gpu=asked("tasks_per_gpu"),
        mpi=asked("mpi"),
    params:
        spec=lambda wc: json.dumps(spec(wc).to_dict()),
        python=lambda wc: PLAN.interpreters.get(spec(wc).system, "python"),
        records=subpath(input.manifest, parent=True),
        out=subpath(output[0], parent=True),
        state=f"{RESULTS}/state/{{run}}",
        # A run that failed (was killed, say) is due again; one that diverged is a result.
        failures=lambda wc: failures(Path(RESULTS, "state", wc.run)),
    shell:
        # exec, so that no shell is between Snakemake and a launcher that has to hear a SIGTERM.
        "exec python -m bench.launch {params.spec:q} --python {params.python:q} --records {params.records:q}"
        " --weights {input.weights:q} --state {params.state:q} --out {params.out:q} --owner $PPID"
