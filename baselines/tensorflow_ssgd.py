"""Synchronous SGD in TensorFlow: a Keras model under MirroredStrategy, a tf.data input pipeline.

One process holds all devices. On CPU a device is a logical CPU device with a thread of its own.
"""

from collections.abc import Iterator

import keras
import numpy as np
import tensorflow as tf

import models
from bench import runner
from bench.clock import Ledger
from bench.schedules import learning_rate
from bench.system import Context, EpochResult
from data_prep.epoch_plan import AUGMENTATIONS
from data_prep.feed import Feed
from models.weights import load_keras


class TensorFlowSSGD:
    """S-SGD over all devices: the global batch is split in order, gradients are averaged.

    The update is torch's: v = momentum * v + g, w = w - lr * v; Keras's own optimiser keeps the
    learning rate inside v, which differs when the rate changes. See `bench.system.System`.
    """

    def __init__(self, context: Context) -> None:
        spec, records = context.spec, context.records
        self.spec, self.records = spec, records
        self.feed = Feed(records, spec.augmentation, spec.seed)
        self.global_batch = spec.devices * spec.batch
        if self.global_batch > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.global_batch} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices or a smaller batch"
            )
        self.strategy = strategy_for(spec.device_type, spec.devices)
        keras.utils.set_random_seed(spec.seed)
        with self.strategy.scope():
            self.model = models.load(spec.model).keras_model(records.shape, records.classes)
            load_keras(self.model, context.weights)
            self.velocity = [
                tf.Variable(tf.zeros_like(weight), trainable=False)
                for weight in self.model.trainable_variables
            ]
        self.images = tf.constant(np.asarray(records.train_images))
        self.labels = tf.constant(np.asarray(records.train_labels))
        self.predict = tf.function(lambda x: self.model(x, training=False))
        self.epoch_function = tf.function(self._train_steps)
