"""Names that the rules share, and what has to hold before anything runs."""

import json
from pathlib import Path

import plots
from bench import record
from bench.file_times import bring_to_now
from bench.job import model_sources, system_sources
from bench.launch import failures
from bench.sources import sources
from bench.stop import GOES_ON, RESUME
from bench.systems import SYSTEMS
from workflows import cluster
from workflows.pipeline import (
    ResultsRefused,
    failed_runs,
    hold_results,
    prefer_this_python,
    rerun_command,
    stop_runs_on_sigterm,
    stopping,
)

RESULTS = str(PLAN.results)
DATA = str(PLAN.data)
FIGURES = plots.known()

prefer_this_python()


# Seconds each: on a cluster they run where Snakemake does. Records and runs are jobs.
localrules:
    weights,
    collect,
    claims,
    figure,
    report,


wildcard_constraints:
    run="[^/]+",
    dataset="[^/]+",
    machine="[^/]+",
    figure="|".join(FIGURES),


def spec(wildcards):
    return PLAN.runs[wildcards.run]


def environment(wildcards):
    framework = (
        "tensorflow" if "tensorflow" in SYSTEMS[spec(wildcards).system] else "torch"
    )
    return f"{workflow.basedir}/workflows/envs/{framework}.yaml"


def whole_machine():
    """The cores of this machine where it is the one that trains; else a scheduler hands them out."""
    here = workflow.local_exec and not workflow.remote_exec
    return workflow.resource_settings.cores if here else None


def asked(resource):
    return lambda wildcards: cluster.request(spec(wildcards)).get(resource)


def rerun(wildcards):
    files, values = workflow.overwrite_configfiles, workflow.config_settings.config
    return rerun_command(RESULTS, files, values)


onsuccess:
    if failed := failed_runs(PLAN.results, list(PLAN.runs)):
        print(
            f"{len(failed)} of {len(PLAN.runs)} runs failed; the same command tries them again:"
        )
        print(*(f"  {line}" for line in failed), sep="\n")


onerror:
    if stopping():
        print(GOES_ON, file=sys.stderr)
        sys.exit(RESUME)


onstart:
    try:
        if workflow.local_exec:
            refuse_what_is_not_here(PLAN)
        else:
            cluster.refuse_nodes(PLAN.runs.values(), workflow.executor_plugin.name)
        hold_results(PLAN.results, list(PLAN.runs))
        stop_runs_on_sigterm()
        due = {job.rule.name for job in workflow.dag.needrun_jobs()}
        if due & {"claims", "figure", "report"} and "collect" not in due:
            # Here, as nothing else of this process needs pandas.
            from workflows.changed_tables import refuse_changed_tables

            refuse_changed_tables(PLAN.results)
        files = {
            file for job in workflow.dag.jobs for file in [*job.input, *job.output]
        }
        bring_to_now(map(Path, files))
    except (ConfigError, ResultsRefused) as error:
        sys.exit(f"Error: {error}")
