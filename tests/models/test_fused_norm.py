"""Keras's batch norm as one kernel: what it computes, and that it is one."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from suite import REPOSITORY

# In a process of its own, one for all: TensorFlow beside torch, and policies for all of Keras.
WORK = """
import json, sys
import keras, numpy as np, tensorflow as tf
from models._keras_layers import Norm

def compared(policy, training):
    keras.config.set_dtype_policy(policy)
    norm = Norm(1e-5)
    rng = np.random.default_rng(0)
    kind = "bfloat16" if "16" in policy else "float32"
    images = tf.constant(rng.normal(2, 3, (4, 6, 5, 7)), kind)
    norm.build(images.shape)
    for weight in norm.weights:
        weight.assign(rng.uniform(0.5, 2.0, weight.shape))

    def found(call):
        before = [weight.numpy() for weight in norm.weights]
        with tf.GradientTape() as tape:
            tape.watch(images)
            y = call(images, training=training)
            loss = tf.reduce_sum(tf.cast(y, tf.float32) ** 3)
        sources = [images, norm.gamma.value, norm.beta.value]
        after = [np.asarray(weight) for weight in norm.weights]
        results = [y, *tape.gradient(loss, sources), *after]
        for weight, value in zip(norm.weights, before):
            weight.assign(value)
        return [np.asarray(tf.cast(result, tf.float64)).tolist() for result in results]

    graph = tf.function(lambda x: norm(x, training=training)).get_concrete_function(images)
    kernels = [operation.type for operation in graph.graph.get_operations()]
    whole = lambda x, training: norm._composed(tf.cast(x, tf.float32), training)
    return {"fused": found(norm), "composed": found(whole), "kernels": kernels}

print(json.dumps([compared(*case) for case in json.loads(sys.argv[1])]))
"""


RTOL = {"float32": 1e-5, "mixed_bfloat16": 2e-2}
CASES = [(policy, training) for policy in RTOL for training in (True, False)]


@pytest.fixture(scope="module")
def compared():
    """What `WORK` finds of each case."""
    command = [sys.executable, "-c", WORK, json.dumps(CASES)]
    environment = os.environ | {"TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(CASES, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize("training", [True, False], ids=["training", "evaluation"])
@pytest.mark.parametrize("policy", RTOL)
def test_one_kernel_computes_what_the_small_operators_do(policy, training, compared):
    found, rtol = compared[policy, training], RTOL[policy]
    for fused, composed in zip(found["fused"], found["composed"], strict=True):
        scale = np.abs(composed).max()
        np.testing.assert_allclose(fused, composed, rtol=rtol, atol=rtol * scale)
    assert found["kernels"].count("FusedBatchNormV3") == 1
    assert "Mean" not in found["kernels"]
