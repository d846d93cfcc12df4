"""RunSpec: one cell of the comparison matrix."""

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from bench import method_options

ALGORITHM_1, RELEASED, KUNGFU, EA_SGD, SSGD = (
    "algorithm-1",
    "released",
    "kungfu",
    "ea-sgd",
    "ssgd",
)
VARIANTS = (ALGORITHM_1, RELEASED, KUNGFU, EA_SGD, SSGD)
# What a run's id, and each of its parts, may be: it names folders, and none elsewhere.
NAME = re.compile(r"[\w-][\w.-]*", re.ASCII)
IN_ID = "system,model,dataset,device_type,devices,nodes,learners,batch,seed,repeat".split(",")
CONSTANT_LR: Mapping[str, Any] = {"kind": "constant"}


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """Everything that decides what one run computes; equal specs are the same run.

    `batch` is the batch of one learner (of one device for systems without learners), so that one
    iteration consumes `devices * learners * batch` images. `learners` counts per device. Models of
    averaging systems read `variant`, `alpha` (None: 1/k, with k = devices * learners) and `mu`;
    the others ignore them. `model_source` is where a model from outside `models/` comes from.
    `devices` are spread evenly over `nodes` machines.
    `target` is a test accuracy in (0, 1). `schedule` is a learning-rate
    rule of `bench.schedules`. Learners synchronise every `tau` iterations (0: never).
    `batch_norm` says whose statistics the evaluated model has. Runs that differ by `repeat` alone
    do the same again: what sets them apart is noise. `method` has the options of a system that has
    some (`bench.method_options`), all of them: for one that isn't given, its default.

    How a step is computed: `precision` (bf16 is automatic mixed precision over fp32 weights),
    `compile` (torch.compile or XLA), `channels_last` memory, and `graph`, one CUDA graph for all
    learners, of `unroll` iterations. `cudnn_benchmark` says how cuDNN chooses its algorithms.
    """

    system: str
    model: str
    model_source: str | None = None
    dataset: str
    device_type: Literal["cpu", "cuda"] = "cpu"
    devices: int = 1
    nodes: int = 1
    learners: int | Literal["auto"] = 1
    batch: int
    seed: int
    repeat: int = 1
    epochs: int
    target: float
    lr: float
    schedule: Mapping[str, Any] = dataclasses.field(default_factory=lambda: dict(CONSTANT_LR))
    momentum: float = 0.0
    weight_decay: float = 0.0
    augmentation: str = "none"
    variant: str | None = None
    alpha: float | None = None
    mu: float | None = None
    tau: int = 1
    batch_norm: Literal["averaged", "shared", "re-estimated"] = "averaged"
    precision: Literal["fp32", "tf32", "bf16"] = "fp32"
    compile: bool = False
    channels_last: bool = False
    graph: bool = False
    unroll: int = 1
    cudnn_benchmark: bool = False
    method: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in IN_ID:
            if not NAME.fullmatch(word := str(getattr(self, name))):
                raise ValueError(
                    f"{name}: {word!r} is no part of a run's id; use letters, digits, ., _ and -"
                )
        complete = method_options.with_defaults(self.system, self.method)
        object.__setattr__(self, "method", complete)

    @cached_property
    def id(self) -> str:
        """A readable name that also carries a hash of every field.

        An option of the method that has its default is left out: runs made before there was such
        an option keep their ids.
        """
        learners = "" if self.variant is None else f"-m{self.learners}"
        repeat = "" if self.repeat == 1 else f"-r{self.repeat}"
        nodes = "" if self.nodes == 1 else f"-n{self.nodes}"
        hashed = self.to_dict()
        # The name says them, and runs made before they existed keep their ids.
        del hashed["repeat"], hashed["nodes"]
        hashed["method"] = method_options.changed(self.system, self.method)
        if not hashed["method"]:
            del hashed["method"]
        canonical = json.dumps(hashed, sort_keys=True)
        return (
            f"{self.system}-{self.model}-{self.dataset}-{self.device_type}{self.devices}{nodes}"
            f"{learners}-b{self.batch}-s{self.seed}{repeat}-"
            f"{hashlib.sha256(canonical.encode()).hexdigest()[:8]}"
        )

    @property
    def devices_per_node(self) -> int:
        """How many of the devices one machine has."""
        return self.devices // self.nodes

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain JSON values."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "RunSpec":
        """The spec that `to_dict` wrote.

        Raises:
            TypeError: a field is missing or unknown.
            ValueError: one that is in the id could lead out of the folder of results.
        """
        return cls(**fields)


def stability_bound(k: int, mu: float, variant: str = ALGORITHM_1) -> float:
    """The alpha below which averaging k learners is stable, the gradient ignored.

    With d = mean(w) - z, Algorithm 1 without gradients is the recurrence
    d' = (1 - alpha) d - k alpha d + mu (d - d_prev + alpha d_prev); its roots stay inside the unit
    circle for alpha < 2 (1 + mu) / (k + 1 + mu). KungFu's rule only contracts w towards its mean,
    by (1 - alpha) a step; synchronous SGD has no alpha.
    """
    if variant == SSGD:
        return float("inf")
    return 2.0 if variant == KUNGFU else 2 * (1 + mu) / (k + 1 + mu)
