"""What the runs say of the paper's claims."""


rule claims:
    input:
        summary=rules.collect.output.summary,
        claims="bench/claims.yaml",
        sources=sources("bench.claims"),
    output:
        f"{RESULTS}/claims.csv",
    log:
        f"{RESULTS}/logs/claims.txt",
    conda:
        "../envs/plots.yaml"
    shell:
        "python -m bench.claims {input.summary:q} --claims {input.claims:q} --out {output:q}"
        " 2>&1 | tee {log:q}"
