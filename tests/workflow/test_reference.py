"""Figures and claims of committed results: made again by one command, without training."""

import re
import shutil
import subprocess

from suite import FIGURES, REPOSITORY, snakemake

FIGURES_AGAIN = ("figures", "--forceall")  # as the README has it: the cores are the profile's


def test_every_committed_figure_is_one_that_the_command_draws():
    planned = snakemake(REPOSITORY, *FIGURES_AGAIN, "--dry-run", "--quiet", "host").stdout
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
    shutil.copy2(REPOSITORY / "plots/scaling_methods.py", suite.folder / "plots")
    measured = suite.folder / "results/reference/nvidia-h200"
    (measured / "summary.csv").unlink()  # its figures would take another minute
    for name in ("tuning", "tuning-b64", "scaling_prediction", "cost_curves"):  # or some seconds
        (measured / f"{name}.csv").unlink()
    for image in measured.glob("*.pdf"):
        image.unlink()
    done = snakemake(suite.folder, *FIGURES_AGAIN)
    assert done.returncode == 0, done.stdout
    for form in ("svg", "pdf", "png", "csv", "txt"):
        drawn = {path.stem for path in (folder / "figures").glob(f"*.{form}")}
        assert drawn == {*FIGURES, "scaling_methods"}
    assert {path.stem for path in measured.glob("*.pdf")} == {"engine", "timeline"}
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
