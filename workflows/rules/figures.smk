"""One rule draws every figure; a figure's name is its file's in plots/."""

PUBLISHED = sorted(map(str, Path("plots/published").glob("*.csv")))
FIGURE_FILES = (".svg", ".pdf", ".png", ".csv", ".txt")


rule figure:
    input:
        summary=rules.collect.output.summary,
        epochs=rules.collect.output.epochs,
        autotune=rules.collect.output.autotune,
        published=PUBLISHED,
        sources=lambda wc: sources("plots", f"plots.{wc.figure}"),
    output:
        multiext(f"{RESULTS}/figures/{{figure}}", *FIGURE_FILES),
    log:
        f"{RESULTS}/logs/figures/{{figure}}.txt",
    conda:
        "../envs/plots.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m plots {wildcards.figure:q} --summary {input.summary:q} --epochs {input.epochs:q}"
        " --autotune {input.autotune:q} --out {params.folder:q} 2>&1 | tee {log:q}"
