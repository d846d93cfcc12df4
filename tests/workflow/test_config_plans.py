"""Every config that the suite ships can be planned, on any machine."""

import pytest
from suite import REPOSITORY

CONFIGS = sorted(path.name for path in (REPOSITORY / "workflows/config").glob("*.yaml"))


@pytest.mark.parametrize("name", CONFIGS)
def test_dry_run(matrix, name):
    # In a folder without results, so that every run is due.
    arguments = ("--configfile", f"workflows/config/{name}", "--config", "results=results/none")
    assert "report" in matrix.suite.planned(*arguments)


def test_default_is_the_quickstart_also_where_one_key_is_overridden(matrix):
    planned = matrix.suite.planned("--config", "results=results/none")
    runs = matrix.suite.runs(REPOSITORY / "workflows/config/quickstart.yaml")
    assert len(runs) > 10
    assert runs.keys() <= set(planned)
