"""Datasets as records, and the weights that every system starts from."""

import shlex

from data_prep import datasets


rule records:
    input:
        lambda wc: sources(
            "data_prep", datasets.module_name(PLAN.datasets[wc.dataset].name)
        ),
    output:
        f"{DATA}/{{dataset}}/manifest.json",
    log:
        f"{RESULTS}/logs/records/{{dataset}}.txt",
    conda:
        "../envs/torch.yaml"
    params:
        folder=subpath(output[0], parent=True),
        name=lambda wc: PLAN.datasets[wc.dataset].name,
        archives=lambda wc: (
            f"--archives {shlex.quote(archives)}"
            if (archives := PLAN.datasets[wc.dataset].archives)
            else ""
        ),
    shell:
        "python -m data_prep {params.name:q} {params.folder:q} {params.archives}"
        " 2>&1 | tee {log:q}"


rule weights:
    input:
        sources=lambda wc: model_sources(wc.model, PLAN.models.get(wc.model)),
        manifest=f"{DATA}/{{dataset}}/manifest.json",
    output:
        weights=f"{RESULTS}/weights/{{model}}/{{dataset}}/seed-{{seed}}.npz",
        logits=f"{RESULTS}/weights/{{model}}/{{dataset}}/logits-seed-{{seed}}.npz",
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
        "python -m models {wildcards.model:q} {params.source} --records {params.records:q}"
        " --seed {wildcards.seed:q} {output.weights:q} 2>&1 | tee {log:q}"
