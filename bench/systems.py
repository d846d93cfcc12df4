"""The systems under comparison: the name used in a config, and the module that runs it."""

SYSTEMS = {
    "crossbow": "crossbow_impl",
    "pytorch": "baselines.pytorch_ssgd",
    "tensorflow": "baselines.tensorflow_ssgd",
    "local-sgd": "baselines.local_sgd",
    "post-local-sgd": "baselines.post_local_sgd",
    "eamsgd": "baselines.eamsgd",
    "polyak": "baselines.polyak",
    "bmuf": "baselines.bmuf",
    "diloco": "baselines.diloco",
    "lars": "baselines.lars",
    "lamb": "baselines.lamb",
    "one-bit": "baselines.one_bit",
    "topk": "baselines.topk",
    "powersgd": "baselines.powersgd",
    "sufficient-factors": "baselines.sufficient_factors",
    "downpour": "baselines.downpour",
    "ssp": "baselines.ssp",
    "hogwild": "baselines.hogwild",
    "zero": "baselines.zero",
    "fsdp": "baselines.fsdp",
    "noise-scale": "baselines.noise_scale",
    "ones": "baselines.ones",
}

# Systems that train a model's Keras definition; the others train its torch definition.
KERAS = {"tensorflow"}

# Systems that keep several learners per device around a central average model.
AVERAGING = {"crossbow"}

# Systems whose devices share memory that GPUs have not.
CPU_ONLY = {"hogwild"}

# Systems whose devices share a process, memory or files, and so a machine.
ONE_NODE = {"tensorflow", "downpour", "ssp", "hogwild"}

# Which ways to compute a step a system offers; the others run in their framework's plain form. A
# step that is captured in one CUDA graph has nothing in it that Python decides.
_EAGER = {"precision", "compile", "channels_last", "cudnn_benchmark"}
_CAPTURED = _EAGER | {"graph", "unroll"}
STEP_OPTIONS = {
    "crossbow": _CAPTURED,
    "pytorch": _CAPTURED,
    "tensorflow": {"precision", "compile"},
    "local-sgd": _EAGER,
    "post-local-sgd": _EAGER,
    "eamsgd": _EAGER,
    "polyak": _EAGER | {"graph"},
    "bmuf": _EAGER,
    "diloco": _EAGER,
    "lars": _CAPTURED,
    "lamb": _CAPTURED,
    "one-bit": _EAGER,
    "topk": _EAGER,
    "powersgd": _EAGER,
    # torch.compile would have to see the hooks on a layer's outputs.
    "sufficient-factors": _EAGER - {"compile"},
    "downpour": _EAGER,
    "ssp": _EAGER,
    "hogwild": {"compile"},
    "zero": _EAGER,
    # Parts of weights have no memory format.
    "fsdp": _EAGER - {"channels_last"},
    "noise-scale": _EAGER,
    "ones": _EAGER,
}
