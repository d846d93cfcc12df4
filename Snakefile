"""The whole job: `snakemake --cores all` [--configfile workflows/config/NAME.yaml]."""

import gc
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.0")
gc.freeze()  # Snakemake itself: to look through it for garbage takes a fifth of the start
sys.path.insert(0, workflow.basedir)

from workflows.plan import plan, refuse_what_is_not_here
from workflows.read_config import read_config
from workflows.validate import ConfigError

# A file that was given stands alone: one without a matrix must be refused, not completed.
if not workflow.overwrite_configfiles:

    configfile: Path(workflow.basedir) / "workflows/config/quickstart.yaml"


try:
    for given in workflow.overwrite_configfiles:
        read_config(
            Path(given)
        )  # Snakemake has read it too, but not whether a key is there twice
    PLAN = plan(config)
except ConfigError as error:
    sys.exit(f"Config error: {error}")


include: "workflows/rules/common.smk"
include: "workflows/rules/data.smk"
include: "workflows/rules/train.smk"
include: "workflows/rules/collect.smk"
include: "workflows/rules/claims.smk"
include: "workflows/rules/exports.smk"
include: "workflows/rules/figures.smk"
include: "workflows/rules/reference.smk"
include: "workflows/rules/pictures.smk"
include: "workflows/rules/report.smk"


rule all:
    default_target: True
    input:
        f"{RESULTS}/report.html",
        # All else too, or what is deleted behind a finished report would not be missed.
        expand(rules.train.output, run=PLAN.runs),
        expand(rules.figure.output, figure=FIGURES),
        rules.collect.output,
        rules.claims.output,
        expand(rules.export.output, export=PLAN.exports),
