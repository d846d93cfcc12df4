"""Figures and claims of committed results: made again by one command, without training."""

import re
import shutil
import subprocess
import sys

from suite import REPOSITORY

import plots


def figures_of(folder, *options):
    """As the README has it: the cores are the profile's."""
    command = [sys.executable, "-m", "snakemake", "figures", "--forceall", *options]
    return subprocess.run(
        command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def test_every_committed_figure_is_one_that_the_command_draws():
    planned = figures_of(REPOSITORY, "--dry-run", "--quiet", "host").stdout
    drawn = set(re.findall(r"results/reference/\S+\.svg", planned))
    listed = ["git", "ls-files", "results/reference/**.svg"]
    committed = subprocess.run(listed, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert drawn == set(committed.stdout.split())


def test_figures_of_committed_results_are_drawn_without_training(matrix, suite):
    folder = suite.folder / "results/reference/somewhere"
    folder.mkdir(parents=True)
    for name in ("summary.csv", "epochs.csv", "autotune.csv"):
        shutil.copy2(matrix.results / name, folder)
    claims_of_the_same_runs = (matrix.results / "claims.csv").read_bytes()
    shutil.rmtree(suite.folder / "results/small matrix")
    shutil.copytree(REPOSITORY / "plots", suite.folder / "plots", dirs_exist_ok=True)
    measured = suite.folder / "results/reference/nvidia-h200"
    (measured / "summary.csv").unlink()  # its figures would take another minute
    for image in measured.glob("*.pdf"):
        image.unlink()
    done = figures_of(suite.folder)
    assert done.returncode == 0, done.stdout
    for form in ("svg", "pdf", "png", "csv", "txt"):
        assert {path.stem for path in (folder / "figures").glob(f"*.{form}")} == set(plots.known())
    assert {path.stem for path in measured.glob("*.pdf")} >= {"engine", "timeline"}
    methods = REPOSITORY / "results/reference/2-core-epyc/methods/scaling_methods.svg"
    here = suite.folder / methods.relative_to(REPOSITORY)
    assert here.with_suffix(".pdf").exists()
    assert {path.stem for path in here.parents[1].glob("scaling/*.pdf")} == {
        "scaling_prediction",
        "cost_curves",
    }
    judged = (folder / "claims.csv").read_bytes()
    assert judged == claims_of_the_same_runs
    assert not list(suite.folder.glob("results/**/status.json"))
