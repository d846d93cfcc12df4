"""The systems under comparison: the name used in a config, and the module that runs it."""

SYSTEMS = {
    "crossbow": "crossbow_impl",
    "pytorch": "baselines.pytorch_ssgd",
    "tensorflow": "baselines.tensorflow_ssgd",
}

# Systems that train a model's Keras definition; the others train its torch definition.
KERAS = {"tensorflow"}

# Systems that keep several learners per device around a central average model.
AVERAGING = {"crossbow"}

# Which ways to compute a step a system offers; the others run in their framework's plain form.
STEP_OPTIONS = {
    "crossbow": {"precision", "compile", "channels_last", "graph", "unroll", "cudnn_benchmark"},
    "pytorch": {"precision", "compile", "channels_last", "graph", "unroll", "cudnn_benchmark"},
}
