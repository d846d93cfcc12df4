"""Figures and claims of the committed results, without training: `snakemake figures --forceall`.

That is, of results/reference: all figures of plots/ and the claims where a machine has a summary.csv,
those of benchmarks.draw where its tables are, and those of a question beside that question's runs.
"""

REFERENCE = "results/reference"
TRAINED = sorted(path.parent.name for path in Path(REFERENCE).glob("*/summary.csv"))
DRAWN = (
    "engine",
    "timeline",
    "tuning",
    "tuning-b64",
    "scaling_prediction",
    "cost_curves",
)
# In a folder of a machine's own, a table without a caption beside it is only another's input.
MEASURED = [
    {"folder": path.parent.relative_to(REFERENCE), "measured": path.stem}
    for path in sorted(Path(REFERENCE).rglob("*.csv"))
    if path.stem in DRAWN
    and (path.parent.parent == Path(REFERENCE) or path.with_suffix(".txt").exists())
]
# Runs of one question: their figures lie beside their tables.
ASKED = [
    {"folder": path.parent.relative_to(REFERENCE), "figure": path.stem}
    for path in sorted(Path(REFERENCE).glob("*/*/*.csv"))
    if path.stem in FIGURES and path.with_name("summary.csv").exists()
]


rule reference_figures:
    """All of a machine in one process: most of one figure's time is that of the imports."""
    input:
        summary=f"{REFERENCE}/{{machine}}/summary.csv",
        epochs=f"{REFERENCE}/{{machine}}/epochs.csv",
        autotune=f"{REFERENCE}/{{machine}}/autotune.csv",
        published=PUBLISHED,
        sources=lambda wc: sources("plots", *(f"plots.{name}" for name in FIGURES)),
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


rule figure_of_a_question:
    """There is no autotune.csv where no learners were tuned."""
    input:
        summary=f"{REFERENCE}/{{folder}}/summary.csv",
        epochs=f"{REFERENCE}/{{folder}}/epochs.csv",
        published=PUBLISHED,
        sources=lambda wc: sources("plots", f"plots.{wc.figure}"),
    output:
        multiext(f"{REFERENCE}/{{folder}}/{{figure}}", *FIGURE_FILES),
    log:
        f"{RESULTS}/logs/reference/{{folder}}/{{figure}}.txt",
    wildcard_constraints:
        folder="[^/]+/(?!figures/)[^/]+",
    conda:
        "../envs/plots.yaml"
    params:
        folder=subpath(output[0], parent=True),
        samples=",".join(record.AUTOTUNE_COLUMNS),
    shell:
        "python -m plots {wildcards.figure:q} --summary {input.summary:q} --epochs {input.epochs:q}"
        " --autotune <(echo {params.samples:q}) --out {params.folder:q} 2>&1 | tee {log:q}"


rule benchmark_figure:
    input:
        table=f"{REFERENCE}/{{folder}}/{{measured}}.csv",
        sources=lambda wc: sources("benchmarks.draw"),
    output:
        multiext(f"{REFERENCE}/{{folder}}/{{measured}}", ".svg", ".pdf", ".png", ".txt"),
    log:
        f"{RESULTS}/logs/reference/{{folder}}/{{measured}}.txt",
    wildcard_constraints:
        folder="[^/]+(/(?!figures/)[^/]+)?",
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
        [expand(rules.figure_of_a_question.output, **one) for one in ASKED],
