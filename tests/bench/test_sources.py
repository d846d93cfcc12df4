import pytest

from bench.sources import digest, sources


def test_a_system_depends_on_its_own_files_and_on_what_it_shares():
    crossbow = sources("crossbow_impl")
    assert {"crossbow_impl/sma.py", "bench/runner.py", "data_prep/epoch_plan.py"} <= set(crossbow)
    assert not [path for path in crossbow if path.startswith(("baselines/", "plots/"))]


def test_systems_do_not_depend_on_each_other():
    for module in ("baselines.pytorch_ssgd", "baselines.tensorflow_ssgd"):
        assert not [path for path in sources(module) if path.startswith("crossbow_impl/")]


READERS = ("__init__", "estimates", "lost_runs", "metrics", "planned_end", "record", "refuse")
READERS += ("summary_columns", "summary_file", "whole_file")
OF_TABLES = {f"bench/{name}.py" for name in READERS}


def test_imports_point_one_way():
    """bench, models and data_prep know no system; plots knows what reads tables."""
    for path in sources("bench.runner", "bench.launch", "models", "data_prep"):
        assert not path.startswith(("crossbow_impl/", "baselines/", "plots/", "workflows/"))
    for path in sources("plots"):
        assert path.startswith("plots/") or path in OF_TABLES


def test_digest_changes_with_content(tmp_path, monkeypatch):
    monkeypatch.setattr("bench.sources.ROOT", tmp_path)
    (tmp_path / "a.py").write_text("a = 1")
    before = digest(["a.py"])
    (tmp_path / "a.py").write_text("a = 2")
    assert digest(["a.py"]) != before


def test_unknown_module_is_named():
    with pytest.raises(ModuleNotFoundError, match=r"baselines\.missing"):
        sources("baselines.missing")
