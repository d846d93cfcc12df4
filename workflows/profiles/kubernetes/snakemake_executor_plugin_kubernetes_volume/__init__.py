"""The executor kubernetes-volume: Snakemake's for Kubernetes, where pods share a volume.

The plugin takes it that nothing is shared, and copies what a rule declares to and from a storage.
But checkpoints and locks are no declared outputs, and records are a folder behind one file. So here
all of them are on a persistent volume, at the same path in every pod, and nothing is copied.
"""

import shlex
from dataclasses import replace
from pathlib import Path

import snakemake_executor_plugin_kubernetes as plugin
from snakemake_executor_plugin_kubernetes import ExecutorSettings
from snakemake_interface_executor_plugins.jobs import JobExecutorInterface

__all__ = ["Executor", "ExecutorSettings", "common_settings"]

common_settings = replace(
    plugin.common_settings,
    implies_no_shared_fs=False,
    job_deploy_sources=False,
    auto_deploy_default_storage_provider=False,
)


class Executor(plugin.Executor):
    """As the plugin's, but that a pod works where the pipeline does."""

    def get_job_exec_prefix(self, job: JobExecutorInterface) -> str:
        """What comes before a job's command."""
        return f"cd {shlex.quote(str(Path.cwd()))}"
