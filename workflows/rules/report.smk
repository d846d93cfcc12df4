"""The page that a person reads."""


rule report:
    input:
        summary=rules.collect.output.summary,
        machines=rules.collect.output.machines,
        claims=rules.claims.output,
        figures=expand(f"{RESULTS}/figures/{{figure}}.svg", figure=FIGURES),
        sources=sources("workflows.report"),
        page=sorted(map(str, Path("workflows/report").glob("page.*"))),
    output:
        f"{RESULTS}/report.html",
    log:
        f"{RESULTS}/logs/report.txt",
    conda:
        "../envs/plots.yaml"
    params:
        figures=lambda wc, input: Path(input.figures[0]).parent,
        rerun=rerun,
    shell:
        "python -m workflows.report --summary {input.summary:q} --machines {input.machines:q}"
        " --claims {input.claims:q} --figures {params.figures:q} --out {output:q}"
        " --rerun {params.rerun:q} 2>&1 | tee {log:q}"
