"""The runs in formats that other tools read, where the config asks for them."""

EXPORTS = {"tensorboard": "bench.event_files", "mlperf": "bench.mlperf_log"}


rule export:
    input:
        statuses=rules.collect.input.statuses,
        sources=lambda wc: sources(EXPORTS[wc.export]),
    output:
        directory(f"{RESULTS}/{{export}}"),
    log:
        f"{RESULTS}/logs/exports/{{export}}.txt",
    wildcard_constraints:
        export="|".join(EXPORTS),
    conda:
        "../envs/exports.yaml"
    params:
        module=lambda wc: EXPORTS[wc.export],
        results=subpath(output[0], parent=True),
    shell:
        "python -m {params.module:q} {params.results:q} {output:q} 2>&1 | tee {log:q}"
