"""Formats that a config asks for are made of runs that are there."""


def test_exports_are_made_of_finished_runs_without_training(suite, matrix):
    exports = ("--config", "exports=[tensorboard, mlperf]")
    done = suite.snakemake("--configfile", matrix.config, *exports)
    assert done.returncode == 0, done.stdout
    assert "rule train" not in done.stdout
    results = suite.results(matrix.config)
    for run in matrix.runs:
        assert "run_stop" in (results / "mlperf" / f"{run}.txt").read_text()
        assert len(list((results / "tensorboard" / run).glob("events.out.tfevents.*"))) == 1
