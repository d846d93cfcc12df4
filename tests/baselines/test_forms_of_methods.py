"""Methods that promise bf16 and channels last compute convolutions in them, frozen ones too."""

from pathlib import Path

import numpy as np
import pytest
import torch
from every_system import DEVICES, NAMES, cell_of, on_each
from torch import nn
from torch.nn.modules.module import register_module_forward_hook

from bench.systems import STEP_OPTIONS
from data_prep.records import open_records
from models.weights import export

FORM = {"precision": "bf16", "channels_last": True}
PROMISED = {name: {of: FORM[of] for of in FORM if of in STEP_OPTIONS[name]} for name in NAMES}
SOURCES = {"frozen": str(Path(__file__).parent / "frozen.py")}
LAST = torch.channels_last


def convolutions(system):
    """Of an epoch's convolutions: whether they were in bf16, and weights and outputs last."""
    seen = []

    def note(layer, _, output):
        if layer.training and isinstance(layer, nn.Conv2d):
            there = output.is_contiguous(memory_format=LAST) and not output.is_contiguous()
            last = there and layer.weight.is_contiguous(memory_format=LAST)
            seen.append((output.dtype == torch.bfloat16, last))

    hook = register_module_forward_hook(note)
    system.train_epoch(0)
    hook.remove()
    return {"bf16": [bf16 for bf16, _ in seen], "channels_last": [last for _, last in seen]}


@pytest.fixture(scope="module", params=["lenet", "frozen"])
def seen(request, digits, tmp_path_factory):
    """A function from a system and a rank to what `convolutions` found there."""
    folder, records = tmp_path_factory.mktemp("forms"), open_records(digits)
    model = {"model": request.param, "model_source": SOURCES.get(request.param)}
    weights = folder / "weights.npz"
    export(request.param, records.shape, records.classes, 1, weights, model["model_source"])
    cells = [cell_of(name, **model, **form) for name, form in PROMISED.items()]
    on_each(cells, records, weights, folder, convolutions)
    return lambda system, rank: np.load(folder / f"{system}-{rank}.npz")


@pytest.mark.parametrize("system", NAMES)
def test_convolutions_are_computed_as_promised(system, seen):
    form = PROMISED[system]
    for found in (seen(system, rank) for rank in range(DEVICES)):
        assert len(found["bf16"]) >= 10
        assert (found["bf16"] == ("precision" in form)).all()
        assert (found["channels_last"] == ("channels_last" in form)).all()
