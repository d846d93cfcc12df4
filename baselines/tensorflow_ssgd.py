"""Synchronous SGD in TensorFlow: a Keras model under MirroredStrategy, a tf.data input pipeline.

One process holds all devices. On CPU a device is a logical CPU device with a thread of its own. An
epoch is one call of a function that loops over batches; the spec's options are XLA and mixed
precision. tf.data gathers a batch's bytes, which the device augments as a part of the step; on a
CPU's one thread this costs what it costs within tf.data.
"""

import functools
from collections.abc import Iterator

import keras
import numpy as np
import tensorflow as tf

import models
from bench import runner
from bench.clock import Ledger
from bench.schedules import learning_rate
from bench.system import Context, EpochResult
from data_prep.augment import AUGMENTATIONS
from data_prep.epoch_plan import EpochPlan
from data_prep.feed import Feed, chunk_size
from data_prep.shards import ShardRecords
from models.weights import load_keras, refuse_no_twin

POLICIES = {"bf16": "mixed_bfloat16"}  # of Keras; all else is float32
PREFETCH = 2  # batches; `benchmarks.tf_data` compares


class TensorFlowSSGD:
    """S-SGD over all devices: the global batch is split in order, gradients are averaged.

    The update is torch's: v = momentum * v + g, w = w - lr * v; Keras's own optimiser keeps the
    learning rate inside v, which differs when the rate changes. See `bench.system.System`.
    """

    def __init__(self, context: Context) -> None:
        spec, records = context.spec, context.records
        self.spec, self.records = spec, records
        self.encoded = isinstance(records, ShardRecords)
        if self.encoded:
            from data_prep.jpeg_feed import JpegFeed  # which brings torch along
            from data_prep.read_ahead import threads_of

            self.feed = JpegFeed(records, spec.augmentation, spec.seed, threads_of(1))
        else:
            self.feed = Feed(records, spec.augmentation, spec.seed)
        self.images = spec.devices * spec.batch  # of one iteration
        if self.images > self.feed.samples:
            raise ValueError(
                f"one iteration takes {self.images} images and {records.name} has "
                f"{self.feed.samples}: use fewer devices or a smaller batch"
            )
        tf.config.experimental.enable_tensor_float_32_execution(spec.precision != "fp32")
        self.strategy = strategy_for(spec.device_type, spec.devices)
        model = models.load(spec.model, spec.model_source)
        build = functools.partial(model.keras_model, records.shape, records.classes)
        with tf.device("CPU:0"):  # in float32, whatever the run computes in
            keras.config.set_dtype_policy("float32")
            origin = models.origin(spec.model, spec.model_source)
            refuse_no_twin(build(), origin, records.shape, context.weights)
        keras.config.set_dtype_policy(POLICIES.get(spec.precision, "float32"))
        keras.utils.set_random_seed(spec.seed)
        with self.strategy.scope():
            self.model = build()
            load_keras(self.model, context.weights)
            self.weights = [variable.value for variable in self.model.trainable_variables]
            self.velocity = [tf.Variable(tf.zeros_like(w), trainable=False) for w in self.weights]
        if not self.encoded:
            self.train_images = tf.constant(np.asarray(records.train_images))
        self.train_labels = tf.constant(np.asarray(records.train_labels))
        self.step, self.backward = self._step, self._backward
        if spec.compile and spec.devices == 1:
            self.step = tf.function(self._step, jit_compile=True)
        elif spec.compile:  # XLA takes no exchange between devices
            self.backward = tf.function(self._backward, jit_compile=True)
        self.run_steps = tf.function(self._steps)
        self.predict = tf.function(self._logits)

    def prepare(self, ledger: Ledger) -> None:
        """Trace the training function and run one step of it, which is then undone."""
        with ledger.phase("compile"):
            before = self.state()
            self.begin(0)
            self.run(1)
            self.load_state(before)

    def train_epoch(self, epoch: int) -> EpochResult:
        """One pass over the plan; images too few for one whole last iteration are dropped."""
        rates = self.begin(epoch)
        if self.spec.device_type == "cuda":
            tf.config.experimental.reset_memory_stats("GPU:0")  # an evaluation takes some too
        losses = self.run(len(rates))
        return EpochResult(
            losses=losses,
            images=len(rates) * self.images,
            learners=1,
            lr=rates[-1],
            memory_bytes=self.peak_memory(),
            sent_bytes=len(rates) * self.step_bytes(),
        )

    def step_bytes(self) -> int:
        """What each of several devices hands over in an iteration: its gradients, once."""
        gradients = sum(w.dtype.size * w.shape.num_elements() for w in self.weights)
        return gradients if self.spec.devices > 1 else 0

    def begin(self, epoch: int) -> list[float]:
        """Open an epoch's batches; its learning rates, one per iteration."""
        iterations = self.feed.samples // self.images
        rates = [self._rate(epoch, iteration) for iteration in range(iterations)]
        ahead = self.dataset(epoch, rates).prefetch(PREFETCH)
        self.batches = iter(self.strategy.experimental_distribute_dataset(ahead))
        return rates

    def run(self, count: int) -> np.ndarray:
        """The next `count` iterations; their losses."""
        return self.run_steps(self.batches, tf.constant(count)).numpy()

    def peak_memory(self) -> int | None:
        """The most bytes that tensors took on the first GPU; None on a CPU."""
        if self.spec.device_type == "cpu":
            return None
        return int(tf.config.experimental.get_memory_info("GPU:0")["peak"])

    def logits(self) -> np.ndarray:
        """Of the model, on the test set."""
        return np.concatenate([self.predict(part).numpy() for part in self._test_chunks()])

    def _test_chunks(self) -> Iterator[tf.Tensor]:
        """Test images [n, H, W, C] float32, normalised."""
        if self.encoded:
            for images in self.feed.test_batches(chunk_size(self.records.shape)):
                yield self._normalised(tf.constant(images))
        else:
            for images in self.feed.test_chunks():
                yield tf.constant(images.transpose(0, 2, 3, 1))

    def drain(self) -> None:
        """`run` has waited for every step already."""

    def agree(self, stop: bool) -> bool:
        """There is one rank."""
        return stop

    def state(self) -> dict[str, np.ndarray]:
        """Model and momentum after an epoch."""
        return {name: variable.numpy() for name, variable in self._variables().items()}

    def load_state(self, state: dict[str, np.ndarray]) -> None:
        """Go back to what `state` returned."""
        for name, variable in self._variables().items():
            variable.assign(state[name])

    def _variables(self) -> dict[str, tf.Variable]:
        model = {f"model.{i}": v for i, v in enumerate(self.model.variables)}
        return model | {f"velocity.{i}": v for i, v in enumerate(self.velocity)}

    def _rate(self, epoch: int, iteration: int) -> float:
        position = epoch + iteration * self.images / self.feed.samples
        return learning_rate(self.spec.schedule, self.spec.lr, position, self.spec.epochs)

    def dataset(self, epoch: int, rates: list[float]) -> tf.data.Dataset:
        """Global batches of the epoch's plan, with their learning rate and draws."""
        plan = self.feed.plan(epoch)
        # A rate per image, so that the split over devices leaves every device its rate.
        repeated = np.repeat(np.array(rates, np.float32), self.images)
        batches = self._read if self.encoded else self._gathered
        return batches(plan[: len(repeated)], repeated)

    def _gathered(self, plan: EpochPlan, rates: np.ndarray) -> tf.data.Dataset:
        """Batches of arrays, with the draws of their augmentation."""
        columns = plan.indices, rates, plan.offsets.astype(np.int32), plan.flips
        dataset = tf.data.Dataset.from_tensor_slices(columns)
        return dataset.batch(self.images, drop_remainder=True).map(self._load)

    def _load(self, indices, *others):
        images = tf.gather(self.train_images, indices)
        return images, tf.gather(self.train_labels, indices), *others

    def _read(self, plan: EpochPlan, rates: np.ndarray) -> tf.data.Dataset:
        """Batches of encoded images, read as every system reads them."""
        parts = [slice(i, i + self.images) for i in range(0, len(plan), self.images)]

        def batches():
            read = self.feed.batches((plan[part] for part in parts), self.images)
            for part, images in zip(parts, read, strict=True):
                yield images, self.records.train_labels[plan.indices[part]], rates[part]

        size = self.images
        signature = (
            tf.TensorSpec((size, *self.records.shape), tf.uint8),
            tf.TensorSpec((size,), tf.int64),
            tf.TensorSpec((size,), tf.float32),
        )
        return tf.data.Dataset.from_generator(batches, output_signature=signature)

    def _augmented(self, images, offsets, flips):
        """Crop and flip in TensorFlow, as `data_prep.augment` does in NumPy."""
        images = tf.cast(images, tf.float32)  # a GPU gathers no bytes
        pad = AUGMENTATIONS[self.spec.augmentation].pad
        if pad:
            height, width = self.records.shape[:2]
            padded = tf.pad(images, [[0, 0], [pad, pad], [pad, pad], [0, 0]])
            rows = offsets[:, :1] + tf.range(height)
            columns = offsets[:, 1:] + tf.range(width)
            images = tf.gather(tf.gather(padded, rows, batch_dims=1), columns, axis=2, batch_dims=1)
        return tf.where(flips[:, None, None, None], images[:, :, ::-1], images)

    def _normalised(self, images):
        pixels = tf.cast(images, tf.float32) / 255.0
        return (pixels - self.records.mean) / self.records.std

    def _steps(self, iterator, iterations):
        losses = tf.TensorArray(tf.float32, size=iterations)
        for iteration in tf.range(iterations):
            per_device = self.strategy.run(self.step, args=next(iterator))
            mean = self.strategy.reduce(tf.distribute.ReduceOp.MEAN, per_device, axis=None)
            losses = losses.write(iteration, mean)
        return losses.stack()

    def _step(self, images, labels, rates, *draws):
        """One device's part of an iteration, with the draws of images not yet augmented."""
        images = self._augmented(images, *draws) if draws else images
        loss, gradients = self.backward(self._normalised(images), labels)
        tf.distribute.get_replica_context().merge_call(self._update, args=(gradients, rates[0]))
        return loss

    def _logits(self, images, training=False):
        return tf.cast(self.model(images, training=training), tf.float32)

    def _backward(self, images, labels):
        """A device's mean loss and its gradients."""
        with tf.GradientTape() as tape:
            logits = self._logits(images, training=True)
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits))
        return loss, tape.gradient(loss, self.weights)

    def _update(self, strategy, gradients, rate):
        """The mean gradient over devices, then one step of every weight on every device."""
        pairs = list(zip(gradients, self.weights, strict=True))
        means = strategy.extended.batch_reduce_to(tf.distribute.ReduceOp.MEAN, pairs)
        for weight, velocity, gradient in zip(self.weights, self.velocity, means, strict=True):
            strategy.extended.update(weight, self._move, args=(velocity, gradient, rate))

    def _move(self, weight, velocity, gradient, rate):
        """v = momentum * v + g, w = w - rate * v, in one kernel."""
        decayed = gradient + self.spec.weight_decay * weight
        tf.raw_ops.ResourceApplyMomentum(
            var=weight.handle,
            accum=velocity.handle,
            lr=rate,
            grad=decayed,
            momentum=self.spec.momentum,
        )


def strategy_for(device_type: str, devices: int) -> tf.distribute.Strategy:
    """The strategy over `devices` devices, one thread each on CPU.

    Raises:
        ValueError: TensorFlow sees fewer GPUs.
    """
    if device_type == "cpu":
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(devices)
        logical = [tf.config.LogicalDeviceConfiguration() for _ in range(devices)]
        tf.config.set_logical_device_configuration(
            tf.config.list_physical_devices("CPU")[0], logical
        )
    names = [
        device.name
        for device in tf.config.list_logical_devices("GPU" if device_type == "cuda" else "CPU")
    ]
    if len(names) < devices:
        raise ValueError(
            f"TensorFlow sees {len(names)} GPUs and the run takes {devices}: its build for GPUs "
            "has an environment of its own; `make gpu` makes it, a config's `interpreters` names it"
        )
    if devices == 1:
        return tf.distribute.OneDeviceStrategy(names[0])
    return tf.distribute.MirroredStrategy(names[:devices])


if __name__ == "__main__":
    runner.main(TensorFlowSSGD)
