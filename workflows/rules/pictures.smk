"""Pictures of the pages' explanations, drawn again: `snakemake pictures`."""

EXPLAINED = sorted(path.stem for path in Path("docs/pictures").glob("[!_]*.py"))


rule picture:
    input:
        tables=expand(
            f"{REFERENCE}/nvidia-h200/{{table}}.csv", table=["epochs", "phases"]
        ),
        sources=lambda wc: sources("docs.pictures", f"docs.pictures.{wc.picture}"),
    output:
        "docs/images/{picture}.svg",
    log:
        f"{RESULTS}/logs/pictures/{{picture}}.txt",
    wildcard_constraints:
        picture="|".join(EXPLAINED) or "none",
    conda:
        "../envs/pictures.yaml"
    shell:
        "python -m docs.pictures {wildcards.picture:q} 2>&1 | tee {log:q}"


rule pictures:
    input:
        expand(rules.picture.output, picture=EXPLAINED),
