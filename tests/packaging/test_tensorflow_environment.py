"""What `make gpu` installs for TensorFlow is enough for the benchmarks of its cells."""

import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["cell", "tf_data", "records_cost", "overhead", "timeline"]
CHECK = """
import json, sys
absent, command, cells = json.loads(sys.argv[1])
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
__import__(f"benchmarks.{command}")
if command != "cell":  # whose cells have been checked
    from benchmarks.plan import one_spec
    for cell in cells:
        one_spec(cell)
"""
CELL = {"system": "tensorflow", "batch": 16, "device_type": "cpu", "augmentation": "none"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def with_what_they_need(names):
    """These distributions, and all that they require here."""
    found, left = set(), {normal(name) for name in names}
    while left:
        found.add(name := left.pop())
        try:
            needs = [Requirement(text) for text in requires(name) or ()]
        except PackageNotFoundError:
            continue
        here = [one for one in needs if not one.marker or one.marker.evaluate({"extra": ""})]
        left |= {normal(one.name) for one in here} - found
    return found


@pytest.mark.parametrize("command", COMMANDS)
def test_a_benchmark_of_tensorflow_needs_no_more(command):
    pins = re.findall(r"- ([\w-]+)==", (ROOT / "workflows/envs/tensorflow.yaml").read_text())
    (added,) = re.findall(r"grep -E '\^\(([\w|]+)\)=='", (ROOT / "Makefile").read_text())
    there = with_what_they_need([*pins, *added.split("|")])
    absent = [
        module
        for module, names in packages_distributions().items()
        if not there & set(map(normal, names))
    ]
    assert "pandas" in absent and "yaml" in absent
    cells = [
        json.dumps(CELL | {"model": model, "dataset": dataset})
        for model, dataset in (
            ("lenet", "mnist"), ("resnet32", "cifar10-jpeg"), ("resnet50", "synthetic-224-1000"),
        )
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", CHECK, json.dumps([absent, command, cells])],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
