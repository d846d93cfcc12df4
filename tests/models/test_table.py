"""The table of models says what the code says, and its counts are those known elsewhere."""

import pytest

import models
from models import table
from models._count import flops, operators, parameters, step_operators

MNIST, CIFAR, IMAGENET = ((28, 28, 1), 10), ((32, 32, 3), 100), ((224, 224, 3), 1000)


def test_the_page_has_the_table_that_the_code_makes():
    text = table.PAGE.read_text(encoding="utf-8")
    assert text == table.page(text), "run `python -m models.table`"


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
    assert step_operators(models.load(name).layers(*size)) == released - fewer


def test_operators_of_a_forward_pass():
    lenet = models.load("lenet").layers(*MNIST)
    assert operators(lenet) == 9  # twice convolution, ReLU and pooling; two linear and a ReLU
    # Twenty layers with batch norm, but the last; two shortcuts with it; 19 ReLUs, 9 sums, pooling.
    assert operators(models.load("resnet20").layers(*CIFAR)) == 19 * 2 + 1 + 2 * 2 + 19 + 9 + 1


@pytest.mark.parametrize(
    ("name", "millions", "gigaflops"),
    [
        # torchvision's documentation of its weights: parameters, and multiplications in billions.
        ("alexnet", 61.100840, 2 * 0.714),
        ("vgg_d", 138.357544, 2 * 15.470),
        ("resnet18", 11.689512, 2 * 1.814),
        ("resnet50_v15", 25.557032, 2 * 4.089),
        ("resnet152_v15", 60.192808, 2 * 11.514),
        ("googlenet_bn", 6.624904, 2 * 1.498),
    ],
)
def test_sizes_and_work_are_those_that_torchvision_tells(name, millions, gigaflops):
    network = models.load(name)
    assert parameters(network, *IMAGENET) == round(millions * 1e6)
    assert round(flops(network, *IMAGENET) / 2e9, 3) == pytest.approx(gigaflops / 2, abs=1e-3)
