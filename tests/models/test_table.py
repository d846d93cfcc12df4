"""The table of models says what the code says, and its counts are those known elsewhere."""

import pytest
import torch
from kinds import KINDS
from torch.utils.flop_counter import FlopCounterMode

import models
from models import table
from models._count import flops, operators, parameters, step_operators

MNIST, CIFAR, IMAGENET = ((28, 28, 1), 10), ((32, 32, 3), 100), ((224, 224, 3), 1000)


def described(name, shape, classes):
    return models.load(name).layers(shape, classes), (shape[2], *shape[:2])


def test_the_page_has_the_table_that_the_code_makes():
    text = table.PAGE.read_text(encoding="utf-8")
    assert text == table.page(text), "run `python -m models.table`"


@pytest.mark.parametrize("gone", [table.START, table.END])
def test_a_page_without_a_place_for_the_table_is_refused(gone):
    text = table.PAGE.read_text(encoding="utf-8").replace(gone, "")
    with pytest.raises(ValueError, match=r"models\.md: put the lines '<!-- table"):
        table.page(text)


def test_a_file_that_cannot_be_imported_loses_no_rows_silently(monkeypatch):
    monkeypatch.setattr(models, "unusable_files", lambda: ["models/x.py: can't be imported"])
    with pytest.raises(ValueError, match=r"^models/x\.py: can't be imported$"):
        table.rows.__wrapped__()


def test_every_model_has_a_row_and_says_where_it_is_from():
    rows = table.rows()
    assert {row[0] for row in rows} == {f"`{name}`" for name in models.known()}
    assert all(row[-2] and row[-1] for row in rows if row[0] != "`logistic`")


@pytest.mark.parametrize(
    ("name", "size", "released", "fewer"),
    [
        ("lenet", MNIST, 24, 2),  # dropout and its gradient
        ("resnet32", CIFAR, 267, 5),  # a shortcut in the first unit, cropping and mirroring
        ("vgg16", CIFAR, 121, 1),  # cropping and mirroring
        ("resnet50", IMAGENET, 384, 0),
    ],
)
def test_operators_are_those_of_the_released_code_but_for_what_is_left_out(
    name, size, released, fewer
):
    """Its dataflow graphs for training, without the accuracy."""
    assert step_operators(*described(name, *size)) == released - fewer


def test_operators_of_a_forward_pass():
    # Twice convolution, ReLU and pooling; two linear layers and a ReLU.
    assert operators(*described("lenet", *MNIST)) == 9
    # Twenty layers with batch norm, but the last; two shortcuts with it; 19 ReLUs, 9 sums, pooling.
    assert operators(*described("resnet20", *CIFAR)) == 19 * 2 + 1 + 2 * 2 + 19 + 9 + 1


@pytest.mark.parametrize("name", KINDS)
def test_parameters_and_work_are_those_that_torch_counts(name):
    shape = KINDS[name]
    with torch.device("meta"):
        module = models.load(name).torch_model(shape, 10).eval()
        images = torch.empty(1, shape[2], *shape[:2])
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        module(images)
    assert flops(*described(name, shape, 10)) == counter.get_total_flops()
    assert parameters(*described(name, shape, 10)) == sum(p.numel() for p in module.parameters())


@pytest.mark.parametrize(
    ("name", "millions", "billions"),
    [
        # torchvision's documentation of its weights: parameters, and multiplications.
        ("alexnet", 61.100840, 0.714),
        ("vgg_d", 138.357544, 15.470),
        ("resnet18", 11.689512, 1.814),
        ("resnet50_v15", 25.557032, 4.089),
        ("resnet152_v15", 60.192808, 11.514),
        ("googlenet_bn", 6.624904, 1.498),
    ],
)
def test_sizes_and_work_are_those_that_torchvision_tells(name, millions, billions):
    assert parameters(*described(name, *IMAGENET)) == round(millions * 1e6)
    assert flops(*described(name, *IMAGENET)) / 2e9 == pytest.approx(billions, abs=1e-3)
