"""Figures of the committed results, drawn without training: `snakemake figures --forceall`."""

REFERENCE = "results/reference"
TRAINED = sorted(path.parent.name for path in Path(REFERENCE).glob("*/summary.csv"))
MEASURED = sorted(path.parent.name for path in Path(REFERENCE).glob("*/engine.csv"))


use rule figure as reference_figure with:
    input:
        summary=f"{REFERENCE}/{{machine}}/summary.csv",
        epochs=f"{REFERENCE}/{{machine}}/epochs.csv",
        autotune=f"{REFERENCE}/{{machine}}/autotune.csv",
        sources=lambda wc: sources("plots", f"plots.{wc.figure}"),
    output:
        multiext(
            f"{REFERENCE}/{{machine}}/figures/{{figure}}",
            ".svg",
            ".png",
            ".csv",
            ".txt",
        ),
    log:
        f"{RESULTS}/logs/reference/{{machine}}/{{figure}}.txt",


rule benchmark_figures:
    input:
        engine=f"{REFERENCE}/{{machine}}/engine.csv",
        sources=sources("benchmarks.draw"),
    output:
        multiext(f"{REFERENCE}/{{machine}}/engine", ".svg", ".png", ".txt"),
    log:
        f"{RESULTS}/logs/reference/{{machine}}/benchmarks.txt",
    conda:
        "../envs/plots.yaml"
    params:
        folder=subpath(output[0], parent=True),
    shell:
        "python -m benchmarks.draw {params.folder:q} 2>&1 | tee {log:q}"


rule figures:
    input:
        expand(rules.reference_figure.output, machine=TRAINED, figure=FIGURES),
        expand(rules.benchmark_figures.output, machine=MEASURED),
