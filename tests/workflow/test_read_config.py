import pytest
from suite import REPOSITORY, snakemake

from workflows.read_config import read_config
from workflows.validate import ConfigError


def test_a_config_is_read_as_yaml_reads_it(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("x: &base {a: 1, b: [1, 2]}\ny: {a: 1}\n")
    assert read_config(path) == {"x": {"a": 1, "b": [1, 2]}, "y": {"a": 1}}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("name: a\nmatrix: []\nname: b\n", "line 3: 'name' is there twice"),
        ("matrix:\n  - {lr: 1, lr: 2}\n", "line 2: 'lr' is there twice"),
        ("a: [1", "no YAML"),
        ("# a comment alone\n", "empty; copy one of workflows/config"),
        ("", "empty; copy one of workflows/config"),
        (None, "No such file"),
    ],
)
def test_what_can_not_be_meant_is_refused(content, expected, tmp_path):
    path = tmp_path / "a.yaml"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError) as refusal:
        read_config(path)
    assert expected in str(refusal.value) and str(path) in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_the_pipeline_refuses_a_key_that_is_there_twice(tmp_path):
    path = tmp_path / "twice.yaml"
    smoke = (REPOSITORY / "workflows/config/smoke.yaml").read_text()
    path.write_text(f"{smoke}\nname: again\n")
    done = snakemake(REPOSITORY, "-n", "--configfile", str(path))
    assert done.returncode and "'name' is there twice" in done.stdout
    assert "Traceback" not in done.stdout
