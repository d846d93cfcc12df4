"""Does the work of `cases` in Keras, for each folder that comes in on a line, and says so."""

import gc
import json
import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from cases import CLASSES, MOMENTUM, Case, fingerprint, network_of

import models
from models import _twin
from models.weights import (
    KERAS_TO_TORCH,
    keras_arrays,
    load_keras,
    logits_beside,
    read,
    refuse_no_twin,
    save,
)

ROOM = 0.1  # of the tolerance is enough


def main():
    _twin.TOLERANCE *= ROOM
    gc.freeze()  # what was imported is no garbage of a session
    for line in sys.stdin:
        folder = Path(line.strip())
        case = Case(*json.loads((folder / "case.json").read_text()))
        if (folder / "there").exists():
            there_and_back(case, folder)
        else:
            keras.config.set_floatx("float64")
            work(case, folder)
        keras.backend.clear_session()
        print("done", flush=True)


def there_and_back(case, folder):
    keras.config.set_floatx("float32")
    shape, drawn = tuple(case.shape), folder / "weights.npz"
    model = models.load(case.name).keras_model(shape, CLASSES)
    assert np.isfinite(read(logits_beside(drawn))["logits"]).all()  # or nothing is compared
    refuse_no_twin(model, case.name, shape, drawn)
    load_keras(model, drawn)
    save(keras_arrays(model, read(drawn)), folder / "back.npz")


def work(case, folder):
    images, labels = np.load(folder / "images.npy"), np.load(folder / "labels.npy")
    model = network_of(case).keras_model(tuple(case.shape), CLASSES)
    load_keras(model, folder / "weights.npz")
    results = {"evaluated": model(images[0], training=False).numpy()}
    if case.steps is None:
        results["logits"] = model(images[0], training=True).numpy()
    else:
        results |= trained(model, case.rate, images, labels)
    results["weights"] = prints(model.get_weights())
    results["trained"] = model(images[0], training=False).numpy()
    np.savez(folder / "keras.npz", **results)


def trained(model, rate, images, labels):
    def gradients_of(images, labels):
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_mean(losses)
        return logits, loss, tape.gradient(loss, [v.value for v in model.trainable_variables])

    logits, loss, gradients = gradients_of(images[0], labels[0])
    results = {"logits": logits.numpy(), "losses": [loss.numpy()]}
    results["gradients"] = prints(gradient.numpy() for gradient in gradients)
    velocities = [tf.zeros(v.shape, tf.float64) for v in model.trainable_variables]
    for batch in zip(images[1:], labels[1:], strict=True):
        _, loss, gradients = gradients_of(*batch)
        results["losses"].append(loss.numpy())
        for i, variable in enumerate(model.trainable_variables):
            velocities[i] = MOMENTUM * velocities[i] + gradients[i]
            variable.assign_sub(rate * velocities[i])
    return results


def prints(arrays):
    """Of all arrays, in torch's layout."""
    ordered = (a.transpose(KERAS_TO_TORCH.get(a.ndim, range(a.ndim))) for a in arrays)
    return np.concatenate([fingerprint(a) for a in ordered])


if __name__ == "__main__":
    main()
