"""Figures and claims of committed results: made again by one command, without training."""

import shutil

from suite import REPOSITORY

import plots


def test_figures_of_committed_results_are_drawn_without_training(matrix, suite):
    folder = suite.folder / "results/reference/somewhere"
    folder.mkdir(parents=True)
    for name in ("summary.csv", "epochs.csv", "autotune.csv"):
        shutil.copy2(matrix.results / name, folder)
    claims_of_the_same_runs = (matrix.results / "claims.csv").read_bytes()
    shutil.rmtree(suite.folder / "results/small matrix")
    shutil.copytree(REPOSITORY / "plots", suite.folder / "plots", dirs_exist_ok=True)
    measured = suite.folder / "results/reference/nvidia-h200"
    for image in measured.glob("*.pdf"):
        image.unlink()
    done = suite.snakemake("figures", "--forceall")
    assert done.returncode == 0, done.stdout
    for form in ("svg", "pdf", "png", "csv", "txt"):
        assert {path.stem for path in (folder / "figures").glob(f"*.{form}")} == set(plots.known())
    assert {path.stem for path in measured.glob("*.pdf")} >= {"engine", "timeline"}
    judged = (folder / "claims.csv").read_bytes()
    assert judged == claims_of_the_same_runs
    assert not list(suite.folder.glob("results/**/status.json"))
