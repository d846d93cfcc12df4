"""Commands that measure one cell refuse one that can't be measured in a sentence, at once."""

import importlib
import json
import sys

import pytest

pytest.importorskip("torch", reason="what they measure is trained: install requirements.lock")

CELL = {
    "system": "crossbow", "model": "lenet", "dataset": "digits", "batch": 16, "device_type": "cpu",
}  # fmt: skip
COMMANDS = {"timeline": [], "overhead": [], "tf_data": [], "tuning": []}
COMMANDS["records_cost"] = ["--records", "100", "--call", "one"]


@pytest.fixture
def refusal(tmp_path, monkeypatch, capsys):
    """What a command says when it refuses a cell, before it has written anything."""

    def run(command, text):
        out = tmp_path / "out"
        options = ["--data", str(tmp_path), "--out", str(out), *COMMANDS[command]]
        monkeypatch.setattr(sys, "argv", [command, text, *options])
        with pytest.raises(SystemExit) as refused:
            importlib.import_module(f"benchmarks.{command}").main()
        assert refused.value.code not in (0, None) and not out.exists()
        return f"{refused.value.code}{capsys.readouterr().err}"

    return run


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        (CELL | {"model": "resnet50"}, "CELL.model: on digits, resnet50 needs at least 32"),
        (CELL | {"batch": 2000}, "CELL.batch: one iteration takes 2000 images and digits has"),
        (CELL | {"system": "ones"}, "CELL.system: unknown system 'ones'"),
        (CELL | {"model": "lenett"}, "CELL.model: unknown model 'lenett'"),
        (CELL | {"learners": [1, 2]}, "CELL.learners: [1, 2]; give one number"),
        (CELL | {"device_type": "cuda", "devices": 64}, "asks for 64 x cuda, and there are"),
        ([CELL], "is not a mapping of keys to values"),
    ],
    ids=["too large", "too many", "system", "model", "a sweep", "GPUs", "list"],
)
def test_a_cell_that_can_not_be_measured_is_refused(command, cell, sentence, refusal):
    assert sentence in refusal(command, json.dumps(cell))


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_json_is_refused(command, refusal):
    assert "no JSON, Expecting property name" in refusal(command, "{")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({}, "so no finished records are here"),
        ({"learners": "auto"}, "of a fixed number of learners"),
        ({"devices": 2}, "of one device"),
    ],
    ids=["no records", "auto", "two devices"],
)
def test_cost_of_records_is_of_records_and_learners_that_there_are(fields, sentence, refusal):
    assert sentence in refusal("records_cost", json.dumps(CELL | fields))
