"""A config of someone else's is plain values, and can neither run code nor fill the memory."""

import pytest
from suite import CELL, REPOSITORY, snakemake

from bench.claim_file import read_claims
from workflows.plan import plan
from workflows.read_config import read_config
from workflows.validate import ConfigError

TAGS = ("!!python/object/apply:os.mkdir [{}]", "!!python/name:os.system", "!other {{a: 1}}")
BOMB = ", ".join(["&a0 [1]", *(f"&a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))])


@pytest.mark.parametrize("tag", TAGS)
def test_a_tag_is_refused_with_file_and_line_and_nothing_runs(tag, tmp_path):
    path, trace = tmp_path / "config.yaml", tmp_path / "trace"
    path.write_text(f"name: x\nresults: {tag.format(trace)}\n")
    with pytest.raises(ConfigError, match=r"line 2: the tag .* asks for more") as refusal:
        read_config(path)
    assert str(path) in str(refusal.value) and not trace.exists()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (f"name: [{BOMB}]".encode(), "more than 100,000 values"),
        (b"name: &a [*a]", "more than 100,000 values"),
        (b"[" * 5000 + b"]" * 5000, "no YAML"),
        (b"name: \xff\xfe", "no YAML"),
        (b"name: \x00", "no YAML"),
    ],
)
def test_what_would_fill_the_memory_or_is_no_text_is_refused(content, why, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=why) as refusal:
        read_config(path)
    assert str(path) in str(refusal.value) and "\n" not in str(refusal.value)


@pytest.mark.parametrize("value", ["1" + 5000 * "0", "2026-13-45"])
def test_what_python_can_not_read_is_refused_by_its_line(value, tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(f"name: x\nmatrix: [{{lr: {value}}}]\n")
    with pytest.raises(
        ConfigError, match=r"config\.yaml, line 2: .* can be read; write"
    ) as refusal:
        read_config(path)
    assert f": {value[:20]} ... is no number or date" in str(refusal.value)
    assert len(str(refusal.value)) < 250


def test_an_alias_is_fine(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text("one: &one {a: 1}\ntwo: {<<: *one, b: 2}\n")
    assert read_config(path) == {"one": {"a": 1}, "two": {"a": 1, "b": 2}}


def test_a_matrix_without_end_is_refused_before_it_is_made():
    many = list(range(1, 200))
    group = {"system": "pytorch", "seed": many, "epochs": many, "repeat": many}
    content = {"name": "x", "defaults": CELL, "matrix": [group]}
    with pytest.raises(ConfigError, match=r"matrix\[0\]: 7,880,599 combinations, where 100,000"):
        plan(content)


def test_the_pipeline_runs_no_tag(tmp_path):
    path, trace = tmp_path / "config.yaml", tmp_path / "trace"
    path.write_text(f"name: x\nresults: {TAGS[0].format(trace)}\n")
    done = snakemake(REPOSITORY, "-n", "--configfile", str(path))
    assert done.returncode and not trace.exists() and "Traceback" not in done.stdout


def test_claims_are_read_likewise(tmp_path):
    path, trace = tmp_path / "claims.yaml", tmp_path / "trace"
    path.write_text(TAGS[0].format(trace))
    with pytest.raises(ValueError, match=str(path)):
        read_claims(path)
    assert not trace.exists()
