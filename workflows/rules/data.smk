"""Datasets as records, and the weights that every system starts from."""

import shlex


rule records:
    input:
        lambda wc: sources("data_prep", f"data_prep.{wc.dataset.replace('-', '_')}"),
    output:
        f"{DATA}/{{dataset}}/manifest.json",
    log:
        f"{RESULTS}/logs/records/{{dataset}}.txt",
    conda:
        "../envs/torch.yaml"
    params:
        folder=subpath(output[0], parent=True),
        archives=f"--archives {shlex.quote(PLAN.archives)}" if PLAN.archives else "",
    shell:
        "python -m data_prep {wildcards.dataset} {params.folder:q} {params.archives}"
        " 2>&1 | tee {log:q}"


rule weights:
    input:
        sources=lambda wc: model_sources(wc.model, PLAN.models.get(wc.model)),
        manifest=f"{DATA}/{{dataset}}/manifest.json",
    output:
        f"{RESULTS}/weights/{{model}}/{{dataset}}/seed-{{seed}}.npz",
    log:
        f"{RESULTS}/logs/weights/{{model}}-{{dataset}}-{{seed}}.txt",
    conda:
        "../envs/torch.yaml"
    params:
        records=subpath(input.manifest, parent=True),
        source=lambda wc: (
            f"--source {shlex.quote(PLAN.models[wc.model])}"
            if wc.model in PLAN.models
            else ""
        ),
    shell:
        "python -m models {wildcards.model} {params.source} --records {params.records:q}"
        " --seed {wildcards.seed} {output:q} 2>&1 | tee {log:q}"
