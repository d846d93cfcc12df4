"""A config that can't be run is refused before anything runs, in one sentence."""

import os

import pytest
import yaml
from suite import CELL

from bench import environment
from bench.method_options import METHOD_OPTIONS
from workflows.plan import plan
from workflows.validate import SCHEMA, ConfigError

GROUP = {"system": "crossbow", **CELL}
STEP = {"kind": "step", "at": [1], "factor": 0.1}


def config(group=None, **top):
    return {"name": "refused", "matrix": [GROUP | (group or {})], **top}


def without(key):
    return {"name": "refused", "matrix": [{k: v for k, v in GROUP.items() if k != key}]}


REFUSED = {
    "unknown key": (config(sweep=1), "'sweep'", "matrix, models, name"),
    "unknown key in defaults": (
        config(defaults={"btach": 8}),
        "defaults: unknown key 'btach'; known keys are allow_unstable, alpha, augmentation, batch,",
    ),
    "unknown key in a group": (config({"btach": 8}), "matrix[0]", "'btach'", "batch"),
    "unknown system": (config({"system": "horovod"}), "matrix[0].system", "'horovod'", "pytorch"),
    "unknown model": (
        config({"model": "resnet-1"}),
        "matrix[0].model",
        "'resnet-1'",
        "lenet",
        "name a file of yours in models",
    ),
    "unknown dataset": (
        config({"dataset": "svhn"}),
        "matrix[0].dataset",
        "'svhn'",
        "digits",
        "name a folder of yours in datasets",
    ),
    "images without pixels": (
        config({"dataset": "imagenet-0"}),
        "matrix[0].dataset",
        "imagenet-0: not a side from 1",
    ),
    "a model's name with a blank": (
        config(models={"my model!": "x.py"}),
        "models: 'my model!' does not do",
        "lower-case letters, digits, _ and -",
    ),
    "a dataset's name with capitals": (
        config(datasets={"My Photos": "x"}),
        "datasets: 'My Photos' does not do",
        "lower-case letters",
    ),
    "a model's name that is a number": (config(models={1: "x.py"}), "models: 1 is not text"),
    "unknown augmentation": (
        config({"augmentation": "cutout"}),
        "matrix[0].augmentation",
        "'cutout'",
        "crop_flip",
    ),
    "unknown device type": (config({"device_type": "tpu"}), "device_type", "'tpu'", "cpu, cuda"),
    "unknown variant": (config({"variant": "easgd"}), "variant", "'easgd'", "algorithm-1"),
    "unknown export": (config(exports=["wandb"]), "exports[0]", "'wandb'", "tensorboard, mlperf"),
    "a plan of benchmarks": (
        config(defaults=[{"system": "crossbow"}] * 36),
        "defaults: [{'system': 'crossbow'}, {'system': 'crossbow'}, ",
        " ... is not a mapping of keys to values",
    ),
    "an export that is no list": (config(exports="mlperf"), "exports: 'mlperf' is not a list"),
    "unknown interpreter": (config(interpreters={"jax": "python"}), "interpreters", "'jax'"),
    "repeat 0": (config({"repeat": 0}), "matrix[0].repeat", "0", "at least 1"),
    "batch 0": (config({"batch": 0}), "matrix[0].batch", "0", "at least 1"),
    "batch negative": (config({"batch": -4}), "matrix[0].batch", "-4", "at least 1"),
    "batch as text": (config({"batch": "16"}), "matrix[0].batch", "'16'", "a whole number"),
    "batch broken": (config({"batch": 1.5}), "matrix[0].batch", "1.5", "a whole number"),
    "one batch of many": (config({"batch": [16, 0]}), "matrix[0].batch", "at least 1"),
    "a model for larger images": (
        config({"model": "vgg16"}),
        "matrix[0].model",
        "at least 32 pixels",
        "digits",
    ),
    "steps out of order": (
        config({"schedule": STEP | {"at": [1.5, 0.5]}}),
        "matrix[0].schedule.at",
        "in order",
    ),
    "a step twice": (config({"schedule": STEP | {"at": [1, 1]}}), "schedule.at", "once"),
    "a step after the end": (
        config({"schedule": STEP | {"at": [100]}}),
        "matrix[0].schedule.at",
        "never reached",
    ),
    "a constant that warms up": (
        config({"schedule": {"kind": "constant", "warmup": 0.1}}),
        "matrix[0].schedule.warmup",
    ),
    "learners that never meet, tuned": (
        config({"system": "crossbow", "tau": 0, "learners": "auto"}),
        "matrix[0].tau",
        "number of learners",
    ),
    "alpha of S-SGD": (
        config({"system": "crossbow", "variant": "ssgd", "alpha": 0.1}),
        "matrix[0].alpha",
        "ssgd has none",
    ),
    "results with braces": (config(results="res{x}"), "results", "without braces"),
    "results of blanks": (config(results=" "), "results", "a path"),
    "results in a file": (config(results="README.md"), "results", "name a folder"),
    "a name that goes on": (config(name="t\n"), "name", "lower-case letters"),
    "more images than there are": (
        config({"system": "crossbow", "learners": 4, "batch": 400}),
        "matrix[0].batch",
        "1600",
        "1437",
        "smaller batch",
    ),
    "momentum in kungfu": (
        config({"system": "crossbow", "variant": "kungfu", "momentum": 0.9}),
        "matrix[0].momentum",
        "kungfu has no local momentum",
    ),
    "S-SGD that skips": (
        config({"system": "crossbow", "variant": "ssgd", "tau": 2}),
        "matrix[0].tau",
        "every iteration",
    ),
    "several iterations without a graph": (
        config({"unroll": 2, "device_type": "cuda"}),
        "matrix[0].unroll",
        "graph: true",
    ),
    "several iterations of two devices": (
        config({"unroll": 2, "graph": True, "device_type": "cuda", "devices": 2}),
        "matrix[0].unroll",
        "devices: 1",
    ),
    "several iterations at once, meeting in some": (
        config({"unroll": 2, "graph": True, "device_type": "cuda", "tau": 2}),
        "matrix[0].unroll",
        "tau: 1",
    ),
    "a graph of a baseline on several devices": (
        config({"system": "lamb", "graph": True, "device_type": "cuda", "devices": 2}),
        "matrix[0].graph",
        "lamb captures one device",
    ),
    "graph on a CPU": (config({"graph": True}), "matrix[0].graph", "device_type: cuda"),
    "bf16 on a CPU": (config({"precision": "bf16"}), "matrix[0].precision", "device_type: cuda"),
    "channels last in tensorflow, which has no other": (
        config({"system": "tensorflow", "channels_last": True, "device_type": "cuda"}),
        "matrix[0].channels_last",
        "tensorflow does not offer it",
    ),
    "hogwild on a GPU": (
        config({"system": "hogwild", "device_type": "cuda"}),
        "matrix[0].device_type",
        "use cpu",
    ),
    "several nodes of a system that has one": (
        config({"system": "hogwild", "devices": 2, "nodes": 2}),
        "matrix[0].nodes",
        "all devices of hogwild have to be in one machine",
    ),
    "devices that nodes can't share out": (
        config({"devices": 3, "nodes": 2}),
        "matrix[0].nodes",
        "3 devices",
        "use a multiple of 2 devices",
    ),
    "schedule at an undefined epoch": (
        config({"schedule": {"kind": "step", "at": [float("nan")], "factor": 0.1}}),
        "matrix[0].schedule.at",
        "finite",
    ),
    "a rate of 401 digits": (config({"lr": 10**400}), "matrix[0].lr: a whole number", "finite"),
    "one of 5000 digits among others": (
        config({"batch": [16, 10**5000]}),
        "matrix[0].batch[1]",
        "finite",
    ),
    "one of defaults": (config(defaults={"alpha": -(10**400)}), "defaults.alpha", "finite"),
    "one of a schedule": (
        config({"schedule": STEP | {"at": [10**400]}}),
        "matrix[0].schedule.at[0]",
        "finite",
    ),
    "a name of 5000 digits": (config({"method": {10**5000: 1}}), "matrix[0].method: ", "finite"),
    "a name that is no number": (config(models={float("nan"): "x.py"}), "models: nan", "finite"),
    "an option of 401 digits": (
        config({"system": "lars", "method": {"trust": 10**400}}),
        "matrix[0].method.trust",
        "finite",
    ),
    "an option beyond single precision": (
        config({"system": "bmuf", "method": {"block_lr": 1e300}}),
        "matrix[0].method.block_lr: 1e+300",
        "give a number that is",
    ),
    "an option without end": (
        config({"system": "diloco", "method": [{}, {"outer_lr": float("inf")}]}),
        "matrix[0].method[1].outer_lr: inf",
        "finite",
    ),
    "more devices than any machine": (
        config({"devices": 10**14}),
        "matrix[0].devices: 100000000000000 is out of range",
        "at most 10000",
    ),
    "more learners than any device": (config({"learners": 10001}), "learners", "at most 10000"),
    "buckets of 10^14 MB": (
        config({"system": "pytorch", "devices": 2, "method": {"bucket_mb": 10**14}}),
        "matrix[0].method.bucket_mb",
        "at most 1000000",
    ),
    "devices 0": (config({"devices": 0}), "matrix[0].devices", "at least 1"),
    "epochs 0": (config({"epochs": 0}), "matrix[0].epochs", "at least 1"),
    "seed negative": (config({"seed": -1}), "matrix[0].seed", "at least 0"),
    "target 0": (config({"target": 0}), "matrix[0].target", "more than 0"),
    "target 1": (config({"target": 1}), "matrix[0].target", "less than 1"),
    "target in percent": (config({"target": 1.5}), "matrix[0].target", "less than 1"),
    "target undefined": (config({"target": float("nan")}), "matrix[0].target", "finite"),
    "lr 0": (config({"lr": 0}), "matrix[0].lr", "more than 0"),
    "lr infinite": (config({"lr": float("inf")}), "matrix[0].lr", "finite"),
    # YAML takes 1e-3 for text: a number needs the point.
    "lr as text": (config({"lr": yaml.safe_load("1e-3")}), "matrix[0].lr", "'1e-3'", "1.0e-3"),
    "a period longer than the run": (
        config({"tau": 50}),
        "matrix[0].tau",
        "in 44 iterations",
        "0 to say never",
    ),
    "a period in words": (config({"tau": "never"}), "matrix[0].tau: 'never'", "0: never"),
    "a graph longer than an epoch": (
        config({"unroll": 23, "graph": True, "device_type": "cuda"}),
        "matrix[0].unroll",
        "epochs of 22",
    ),
    "learners unknown": (config({"learners": "many"}), "learners", "'many'", "auto"),
    "learners 0": (config({"learners": 0}), "matrix[0].learners", "at least 1"),
    "alpha outside the bound": (
        config({"learners": 4, "alpha": 0.7, "mu": 0.9}),
        "matrix[0].alpha",
        "0.6441",
        "allow_unstable",
    ),
    "alpha outside the bound of all devices": (
        config({"learners": 2, "devices": 2, "alpha": 0.7, "mu": 0.9}),
        "matrix[0].alpha",
        "0.6441",
    ),
    "a default alpha outside the bound": (
        config({"learners": [2, 1], "variant": "ea-sgd"}),
        "matrix[0].alpha: 1/k, the default, is 1 with k = 1",
        "1 for 1 learner and mu 0",
        "set a lower alpha",
    ),
    "alpha undefined": (config({"alpha": float("nan")}), "matrix[0].alpha", "finite"),
    "momentum in Algorithm 1": (config({"momentum": 0.9}), "matrix[0].momentum", "released"),
    "parts that are not equal": (
        config({"system": "pytorch", "batch": 16, "method": {"accumulate": 3}}),
        "matrix[0].method.accumulate",
        "16",
        "divides",
    ),
    "buckets of one device": (
        config({"system": "pytorch", "method": {"bucket_mb": 1}}),
        "matrix[0].method.bucket_mb",
        "use more",
    ),
    "a static graph of parts": (
        config(
            {"system": "pytorch", "devices": 2, "batch": 16}
            | {"method": {"accumulate": 2, "static_graph": True}}
        ),
        "matrix[0].method.static_graph",
        "remove it",
    ),
    "parts of weights kept elsewhere, by one device": (
        config({"system": "fsdp", "method": {"reshard_after_forward": False}}),
        "matrix[0].method.reshard_after_forward",
        "use more",
    ),
    "a batch that can't grow": (
        config({"system": "noise-scale", "devices": 2, "batch": 16, "method": {"max_batch": 63}}),
        "matrix[0].method.max_batch",
        "at least 64",
    ),
    "more batches than an epoch has room for": (
        config({"system": "ones", "batch": 16, "method": {"population": 200}}),
        "matrix[0].method.population",
        "at most 44",
    ),
    "a CPU that offloads": (
        config({"system": "fsdp", "devices": 2, "method": {"offload": True}}),
        "matrix[0].method.offload",
        "device_type: cuda",
    ),
    "an unknown option of a method": (
        config({"system": "pytorch", "method": {"buckets": 1}}),
        "matrix[0].method",
        "'buckets'",
        "bucket_mb",
    ),
    "learners of a baseline": (
        config({"system": "pytorch", "learners": 2}),
        "matrix[0].learners",
        "pytorch",
        "remove",
    ),
    "alpha of a baseline": (config({"system": "tensorflow", "alpha": 0.1}), "alpha", "tensorflow"),
    "momentum of z in EA-SGD": (config({"variant": "ea-sgd", "mu": 0.5}), "matrix[0].mu", "EA-SGD"),
    "a step option on CPU": (
        config({"precision": "bf16"}),
        "matrix[0].precision",
        "bf16 needs a GPU",
        "remove",
    ),
    "a step option of another system": (
        config({"system": "tensorflow", "graph": True, "device_type": "cuda"}),
        "matrix[0].graph",
        "tensorflow does not offer it",
    ),
    "schedule unknown": (config({"schedule": {"kind": "linear"}}), "schedule.kind", "one-cycle"),
    "schedule as text": (config({"schedule": "cosine"}), "schedule", "'cosine'", "a mapping"),
    "schedule without its keys": (config({"schedule": {"kind": "step"}}), "'at', 'factor'"),
    "schedule of another's keys": (
        config({"schedule": {"kind": "cosine", "factor": 0.1}}),
        "schedule",
        "'factor'",
    ),
    "schedule undefined": (
        config({"schedule": STEP | {"factor": float("nan")}}),
        "schedule.factor",
        "finite",
    ),
    "the same run twice": (config({"seed": [1, 1]}), "matrix[0]", "twice", "remove"),
    "the same run as 64 and 64.0": (config({"batch": [64, 64.0]}), "matrix[0]", "twice"),
    "the same run in two groups": ({"name": "x", "matrix": [GROUP, GROUP]}, "matrix[1]", "twice"),
    "an empty list": (config({"seed": []}), "matrix[0].seed", "empty"),
    "a missing setting": (without("lr"), "matrix[0]", "no value for 'lr'", "add it"),
    "no matrix": ({"name": "refused"}, "no value for 'matrix'", "add it"),
    "an empty matrix": ({"name": "refused", "matrix": []}, "matrix", "empty"),
    "a matrix that is no list": ({"name": "refused", "matrix": GROUP}, "matrix", "a list"),
    "a group that is no mapping": ({"name": "refused", "matrix": [3]}, "matrix[0]", "a mapping"),
    "a name that is no name": (config(name="A b"), "name", "'A b'", "lower-case"),
    "results nowhere": (config(results=""), "results", "empty"),
}


def test_every_pattern_is_told_in_words():
    def patterns(schema):
        if isinstance(schema, dict):
            yield from [schema] if isinstance(schema.get("pattern"), str) else []
            for value in schema.values():
                yield from patterns(value)

    assert [schema for schema in patterns(SCHEMA) if "description" not in schema] == []


def test_every_whole_number_has_an_end():
    def whole(schema, path=()):
        if isinstance(schema, dict):
            yield from [(path, schema)] if schema.get("type") == "integer" else []
            for key, value in schema.items():
                yield from whole(value, (*path, key))

    found = [*whole(SCHEMA), *whole(METHOD_OPTIONS)]
    assert len(found) > 20
    assert [path for path, schema in found if "maximum" not in schema] == []


@pytest.mark.parametrize("case", REFUSED)
def test_message_names_the_key_and_what_to_do(case):
    content, *words = REFUSED[case]
    if "name" not in content:
        content = {"name": "refused", **content}
    with pytest.raises(ConfigError) as refusal:
        plan(content)
    message = str(refusal.value)
    assert [word for word in words if word not in message] == []
    assert "\n" not in message


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("batch", 0, "defaults.batch, for matrix[1]: 0 is out of range; use at least 1"),
        ("batch", [16, "x"], "defaults.batch, for matrix[1]: 'x' is not a whole number"),
        ("batch", [], "defaults.batch, for matrix[1]: an empty list"),
        ("model", "resnet-1", "defaults.model, for matrix[1]: unknown model 'resnet-1'"),
        ("dataset", "svhn", "defaults.dataset, for matrix[1]: unknown dataset 'svhn'"),
        ("model", "vgg16", "defaults.model, for matrix[1]: on digits, "),
        ("momentum", 0.9, "defaults.momentum, for matrix[1]: variant algorithm-1 has no local"),
        ("schedule", STEP | {"at": [0]}, "defaults.schedule.at[0], for matrix[1]: 0 is out of"),
    ],
)
def test_a_mistake_in_defaults_is_told_as_theirs(key, value, sentence):
    group = {name: of for name, of in GROUP.items() if name != key}
    overriding = group | {key: GROUP.get(key, STEP if key == "schedule" else 0.0)}
    content = {"name": "refused", "defaults": {key: value}, "matrix": [overriding]}
    assert plan(content).runs
    with pytest.raises(ConfigError) as refusal:
        plan(content | {"matrix": [overriding, group | {"seed": 2}]})
    assert str(refusal.value).startswith(sentence)
    with pytest.raises(ConfigError, match=r"^matrix\[0\]\."):
        plan(content | {"defaults": {key: 5}, "matrix": [group | {key: value}]})


@pytest.mark.parametrize(
    "group",
    [
        {"learners": 4, "alpha": 0.7, "allow_unstable": True},
        {"learners": 4, "alpha": 0.64},
        {"learners": 4, "alpha": "1/k", "mu": 0},
        {"learners": "auto", "devices": 4, "batch": 16.0},
        {"schedule": STEP},
        {"schedule": STEP | {"warmup": 0.1}},
        {"schedule": {"kind": "one-cycle", "warmup": 0.3}},
        {"variant": "released", "momentum": 0.9},
        {"system": ["pytorch", "tensorflow"], "momentum": 0.9},
        {"system": "tensorflow", "compile": True},
        {"system": "tensorflow", "precision": "bf16", "device_type": "cuda"},
        {"system": "pytorch", "batch": 16, "method": [{}, {"accumulate": 2}, {"accumulate": 4}]},
    ],
    ids=str,
)
def test_allowed(group):
    assert plan(config(group)).runs


def test_averaging_defaults_spare_the_baselines():
    group = {"system": ["crossbow", "pytorch"], "mu": 0.5}
    with pytest.raises(ConfigError):
        plan(config(group))
    runs = plan(config({"system": ["crossbow", "pytorch"]}, defaults={"mu": 0.5})).runs
    assert {spec.system: spec.mu for spec in runs.values()} == {"crossbow": 0.5, "pytorch": None}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "{name: x, matrix: [{system: pytorch}]}",
            "Config error: matrix[0]: no value for 'model', 'dataset',",
        ),
        ("name: x\n", "Config error: config: no value for 'matrix'; add it"),
        ("- 1\n", "keys at top level"),
        ("name: [x\n", "not valid JSON or YAML"),
    ],
)
def test_command_line_refuses(matrix, tmp_path, text, sentence):
    path = tmp_path / "refused.yaml"
    path.write_text(text)
    done = matrix.suite.snakemake("--configfile", path)
    assert done.returncode != 0
    assert done.stdout.count(sentence) == 1
    assert "Traceback" not in done.stdout
    assert "Execute" not in done.stdout


def test_more_devices_than_there_are_are_refused_before_anything_runs(matrix):
    suite, cores = matrix.suite, os.cpu_count()
    config = suite.config("crowd", {"system": "pytorch", "devices": [1, cores + 1]})
    suite.planned("--configfile", config)  # a plan may be made where the devices are not
    done = suite.snakemake("--configfile", config)
    (sentence,) = (line for line in done.stdout.splitlines() if "devices:" in line)
    assert done.returncode != 0
    assert f"needs {cores + 1} CPU cores and this machine has {cores}; ask for fewer" in sentence
    assert "Traceback" not in done.stdout
    assert not suite.results(config).exists()


def test_a_missing_interpreter_is_refused_before_anything_runs(matrix):
    suite = matrix.suite
    python = {"pytorch": ".venv-none/bin/python"}
    config = suite.config("interpreter", {"system": "pytorch"}, interpreters=python)
    done = suite.snakemake("--configfile", config)
    assert done.returncode != 0
    assert "Error: interpreters.pytorch: there is no '.venv-none/bin/python' here" in done.stdout
    assert "Traceback" not in done.stdout
    assert not suite.results(config).exists()


def test_missing_gpus_are_refused_before_anything_runs(matrix):
    if environment.gpus():
        pytest.skip("there are GPUs here")
    suite = matrix.suite
    config = suite.config("gpus", {"system": "pytorch", "device_type": "cuda"})
    done = suite.snakemake("--configfile", config)
    assert done.returncode != 0
    assert "needs 1 CUDA devices and this machine has 0" in done.stdout
    assert not suite.results(config).exists()
