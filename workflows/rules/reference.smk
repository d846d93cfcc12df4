"""Figures and claims of the committed results, without training: `snakemake figures --forceall`."""

REFERENCE = "results/reference"
TRAINED = sorted(path.parent.name for path in Path(REFERENCE).glob("*/summary.csv"))
DRAWN = ("engine", "timeline", "tuning", "scaling_prediction", "cost_curves")
MEASURED = [
    {"machine": path.parent.name, "measured": path.stem}
    for path in sorted(Path(REFERENCE).glob("*/*.csv"))
    if path.stem in DRAWN
]


rule reference_figures:
    """All of a machine in one process: most of one figure's time is that of the imports."""
    input:
        summary=f"{REFERENCE}/{{machine}}/summary.csv",
        epochs=f"{REFERENCE}/{{machine}}/epochs.csv",
        autotune=f"{REFERENCE}/{{machine}}/autotune.csv",
        published=PUBLISHED,
        sources=sources("plots", *(f"plots.{figure}" for figure in FIGURES)),
    output:
        expand(
            f"{REFERENCE}/{{{{machine}}}}/figures/{{figure}}{{end}}",
            figure=FIGURES,
            end=FIGURE_FILES,
        ),
    log:
        f"{RESULTS}/logs/reference/{{machine}}/figures.txt",
    conda:
        "../envs/plots.yaml"
    params:
        names=FIGURES,
        folder=subpath(output[0], parent=True),
    shell:
        "python -m plots {params.names:q} --summary {input.summary:q} --epochs {input.epochs:q}"
        " --autotune {input.autotune:q} --out {params.folder:q} 2>&1 | tee {log:q}"


use rule claims as reference_claims with:
    input:
        summary=f"{REFERENCE}/{{machine}}/summary.csv",
        claims="bench/claims.yaml",
        sources=sources("bench.claims"),
    output:
        f"{REFERENCE}/{{machine}}/claims.csv",
    log:
        f"{RESULTS}/logs/reference/{{machine}}/claims.txt",


rule benchmark_figure:
    input:
        table=f"{REFERENCE}/{{machine}}/{{measured}}.csv",
        sources=sources("benchmarks.draw"),
    output:
        multiext(
            f"{REFERENCE}/{{machine}}/{{measured}}", ".svg", ".pdf", ".png", ".txt"
        ),
    log:
        f"{RESULTS}/logs/reference/{{machine}}/{{measured}}.txt",
    wildcard_constraints:
        measured="|".join(DRAWN),
    conda:
        "../envs/plots.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m benchmarks.draw {params.folder:q} {wildcards.measured:q} 2>&1 | tee {log:q}"


rule figures:
    input:
        expand(rules.reference_figures.output, machine=TRAINED),
        expand(rules.reference_claims.output, machine=TRAINED),
        [expand(rules.benchmark_figure.output, **one) for one in MEASURED],
