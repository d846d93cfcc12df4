"""Figures and claims of committed results: made again by one command, without training."""

import shutil

import plots


def test_figures_of_committed_results_are_drawn_without_training(matrix, suite):
    folder = suite.folder / "results/reference/somewhere"
    folder.mkdir(parents=True)
    for name in ("summary.csv", "epochs.csv", "autotune.csv"):
        shutil.copy2(matrix.results / name, folder)
    claims_of_the_same_runs = (matrix.results / "claims.csv").read_bytes()
    shutil.rmtree(suite.folder / "results/small matrix")
    done = suite.snakemake("figures", "--forceall")
    assert done.returncode == 0, done.stdout
    drawn = {path.stem for path in (folder / "figures").glob("*.svg")}
    assert drawn == set(plots.known())
    judged = (folder / "claims.csv").read_bytes()
    assert judged == claims_of_the_same_runs
    assert not list(suite.folder.glob("results/**/status.json"))
