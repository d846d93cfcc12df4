"""`python -m benchmarks.engine` with cells that are not measured."""

import json
import signal
import sys
from types import SimpleNamespace

import pytest

from bench import environment, record
from benchmarks import engine
from benchmarks.plan import points


@pytest.fixture
def benchmark(monkeypatch, tmp_path):
    """Calls the command on a plan, on four GPUs, with cells that take 100 s or their limit.

    Returns the table's rows and the cells begun. Cells of a batch in `failing` fail, without rows.
    """
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now)
    begun, failing = [], set()

    def measured(cell, data, limit_s, python):
        begun.append(cell | {"python": python})
        clock.now += min(limit_s, 100)
        if cell["batch"] in failing or limit_s < 100:
            return 1
        for point in points([cell]):
            yield point | {"images_per_s": 1.0, "spread": 0.01}
        return 0

    monkeypatch.setattr(engine, "time", clock)
    monkeypatch.setattr(engine, "measured", measured)
    monkeypatch.setattr(environment, "gpus", lambda variables: [{"name": "X"}] * 4)
    monkeypatch.setattr(environment, "ROOT", tmp_path)  # where there is no repository
    monkeypatch.setenv("CODE_COMMIT", "abc")

    def run(plan, *options):
        (tmp_path / "plan.json").write_text(json.dumps(plan))
        command = ["engine", str(tmp_path / "plan.json"), "--out", str(tmp_path), *options]
        monkeypatch.setattr(sys, "argv", command)
        begun.clear()
        engine.main()
        return record.read_table(tmp_path / "engine.csv"), list(begun)

    run.begun, run.failing = begun, failing
    answer = signal.getsignal(signal.SIGTERM)
    yield run
    signal.signal(signal.SIGTERM, answer)
