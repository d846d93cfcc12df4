"""One set of versions and one set of checks, wherever they are written down."""

import ast
import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import models
from bench.sources import ROOT, sources
from bench.systems import SYSTEMS
from data_prep import datasets

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
WANTED = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
MAKEFILE = (ROOT / "Makefile").read_text()
ENVIRONMENTS = sorted((ROOT / "workflows/envs").glob("*.yaml"))
# Modules whose name is not their package's.
PACKAGES = {"PIL": "pillow", "pynvml": "nvidia-ml-py", "sklearn": "scikit-learn", "yaml": "pyyaml"}
PACKAGES |= {"tensorflow": "tensorflow-cpu", "mlperf_logging": "mlperf-logging"}


def pins(lines):
    """Versions by package; every line must be an exact pin."""
    found = {}
    for line in lines:
        name, _, version = line.partition("==")
        assert re.fullmatch(r"[\w.]+", version), f"{line!r} is not an exact, public version"
        found[canonicalize_name(name)] = version
    return found


LOCK = pins((ROOT / "requirements.lock").read_text().split())


def conda_pins(path):
    """The pip pins of a conda environment."""
    (pip,) = (d["pip"] for d in yaml.safe_load(path.read_text())["dependencies"] if type(d) is dict)
    return pins(line for line in pip if not line.startswith("--"))


def packages_imported(modules):
    """The packages that modules, and what they import of this repository, import at any place."""
    found = set()
    for file in sources(*modules):
        for node in ast.walk(ast.parse((ROOT / file).read_bytes())):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                names = [node.module] if isinstance(node, ast.ImportFrom) else []
            found |= {name.partition(".")[0] for name in names}
    outside = {name for name in found if not (ROOT / name).is_dir()} - sys.stdlib_module_names
    return {PACKAGES.get(name, name) for name in outside}


def modules_in(*folders):
    files = [file for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))]
    return [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]


def test_every_dependency_is_locked_at_a_version_it_allows():
    for text in WANTED:
        wanted = Requirement(text)
        if wanted.marker and not wanted.marker.evaluate({"sys_platform": "linux"}):
            continue
        assert LOCK[canonicalize_name(wanted.name)] in wanted.specifier, text


def test_the_lock_has_no_cuda_packages_and_no_deprecated_shim():
    assert "pynvml" not in LOCK
    assert [name for name in LOCK if name.startswith("nvidia-")] == ["nvidia-ml-py"]


def test_dependencies_are_what_the_code_imports():
    rooms = ("bench", "baselines", "crossbow_impl", "data_prep", "models", "plots", "workflows")
    imported = packages_imported([m for m in modules_in(*rooms) if not m.endswith("__init__")])
    declared = {Requirement(text).name for text in PROJECT["dependencies"]} - {"tensorflow"}
    # Snakemake is run, and imported by the Snakefile alone.
    assert imported | {"snakemake"} == declared


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=lambda path: path.stem)
def test_conda_environments_have_the_locked_versions(path):
    own = conda_pins(path)
    assert own == {name: LOCK.get(name) for name in own}


TORCH = [module for name, module in SYSTEMS.items() if name != "tensorflow"]
DATA = [f"data_prep.{name.replace('-', '_')}" for name in datasets.known()]
MODELS = sorted({models.module_of(name) for name in models.known()})
KERAS = {"keras", "tensorflow-cpu"}


@pytest.mark.parametrize(
    ("name", "modules", "elsewhere"),
    [
        ("torch", ["bench.launch", "data_prep", "models", *DATA, *MODELS, *TORCH], KERAS),
        ("tensorflow", ["bench.launch", SYSTEMS["tensorflow"], *MODELS], set()),
        ("exports", ["bench.event_files", "bench.mlperf_log"], set()),
        ("plots", ["bench.claims", "plots", "workflows.report", *modules_in("plots")], set()),
    ],
)
def test_conda_environments_have_all_that_their_steps_import(name, modules, elsewhere):
    """`elsewhere`: what a model file imports for the other framework, inside a function."""
    assert set(conda_pins(ROOT / f"workflows/envs/{name}.yaml")) == (
        packages_imported([m for m in modules if not m.endswith("__init__")]) - elsewhere
    )


def test_every_conda_environment_is_used_by_a_rule():
    rules = "".join(path.read_text() for path in (ROOT / "workflows/rules").glob("*.smk"))
    used = set(re.findall(r"envs/(\w+|\{framework\})\.yaml", rules))
    assert used - {"{framework}"} | {"torch", "tensorflow"} == {p.stem for p in ENVIRONMENTS}


def test_environment_yml_installs_the_lock():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    (pip,) = (d["pip"] for d in environment["dependencies"] if type(d) is dict)
    assert "-r requirements.lock" in pip
    index = re.search(r"^TORCH_INDEX \?= (\S+)$", MAKEFILE, re.MULTILINE)[1]
    assert f"--extra-index-url {index}" in pip
    assert "python=3.11" in environment["dependencies"]


def test_pre_commit_runs_the_checks_of_make_lint():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    recipe = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1].replace("\\\n", "")
    commands = [command.split() for command in recipe.split("&&")[1:]]
    flags = {"--check", "--force-exclude"}

    def check(words):
        """The tool and its subcommand, without what says which files and whether to write."""
        return tuple(w for w in words if w not in flags and not re.match(r"\.|Snakefile|work", w))

    assert sorted(check(c) for c in commands) == sorted(check(h["entry"].split()) for h in hooks)


def test_ci_and_readme_have_one_test_command():
    assert "make test\n" in (ROOT / ".ci/run").read_text()
    assert "make test\n" in (ROOT / "README.md").read_text()


def make(folder, *arguments):
    return subprocess.run(["make", "-C", folder, *arguments], capture_output=True, text=True)


@pytest.fixture
def fresh(tmp_path):
    """A checkout in which `make` can plan, with a python that only notes how it was called."""
    for name in ("Makefile", "requirements.lock"):
        (tmp_path / name).write_text((ROOT / name).read_text())
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$1" in -c) exec {sys.executable} "$@";; esac\necho "$@" >> calls\n'
        'case "$*" in *"venv --clear"*) rm -rf .venv;; esac\n'
        'case "$*" in *"-m venv"*) mkdir -p .venv/bin; cp python .venv/bin;; '
        '*"pip install"*) test ! -e broken;; esac\n'
    )
    python.chmod(0o755)
    return tmp_path


def test_an_interrupted_installation_is_made_again_and_a_whole_one_is_kept(fresh):
    install = (".venv/installed", f"PYTHON={fresh / 'python'}")
    (fresh / "broken").touch()
    assert make(fresh, *install).returncode != 0
    assert not (fresh / ".venv/installed").exists()
    (fresh / "broken").unlink()
    for _ in range(2):
        done = make(fresh, *install)
        assert done.returncode == 0, done.stderr
    assert (fresh / "calls").read_text().count("pip install") == 2


def test_a_changed_lock_installs_again_from_nothing(fresh):
    install = (".venv/installed", f"PYTHON={fresh / 'python'}")
    make(fresh, *install)
    (fresh / ".venv/left over").touch()
    stamp = (fresh / ".venv/installed").stat().st_mtime
    lock = fresh / "requirements.lock"
    lock.write_text(lock.read_text() + "more==1\n")
    os.utime(lock, (stamp + 5, stamp + 5))
    assert make(fresh, *install).returncode == 0
    assert (fresh / "calls").read_text().count("pip install") == 2
    assert not (fresh / ".venv/left over").exists()


@pytest.mark.parametrize("version", ["3, 10", "3, 14"])
def test_an_unsupported_python_is_refused_in_a_sentence(fresh, version):
    python = fresh / "python"
    old = f"import sys; sys.version_info = ({version}, 0); exec(sys.argv[1])"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{old}' \"$2\"\n")
    done = make(fresh, ".venv/installed", f"PYTHON={python}")
    assert done.returncode != 0 and not (fresh / ".venv").exists()
    assert f"Python 3.11 to 3.13 is needed and {python} is {version.replace(', ', '.')};" in (
        done.stderr
    )


def test_the_makefile_and_the_metadata_ask_for_the_same_python():
    assert PROJECT["requires-python"] == ">=3.11,<3.14"
    assert "(3, 11) <= v < (3, 14)" in MAKEFILE
