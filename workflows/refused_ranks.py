"""A rank of PowerSGD that compresses nothing of the model; a ConfigError says what would do."""

from functools import cache

import models
from bench.low_rank import refuse_rank
from bench.spec import RunSpec
from models._count import matrices
from models._torch_check import build, failure
from workflows.cells import models_key
from workflows.data_of import Data
from workflows.validate import ConfigError


def refuse_high_rank(spec: RunSpec, data: Data, where: str) -> None:
    """A rank too high for the model; where only the run knows the classes, it is the run's."""
    if spec.system != "powersgd" or spec.devices == 1 or not data.classes:
        return
    try:
        shapes = _shapes(spec.model, spec.model_source, data.shape, data.classes)
    except ValueError as error:
        key = models_key(spec.model, spec.model_source)
        raise ConfigError(f"{key}: on {spec.dataset}, {error}") from None
    try:
        refuse_rank(spec.method["rank"], shapes, spec.model)
    except ValueError as error:
        raise ConfigError(f"{where}.method.rank: {error}") from None


@cache
def _shapes(
    name: str, source: str | None, shape: tuple[int, int, int], classes: int
) -> list[tuple[int, ...]]:
    """Of what is trained: of a network that is described without torch, else of the module."""
    model, origin = models.load(name, source), models.origin(name, source)
    if hasattr(model, "layers"):
        try:
            return list(matrices(model.layers(shape, classes), (shape[2], *shape[:2])))
        except Exception as error:  # whatever someone else's file raises
            raise failure(origin, shape, classes, error) from error
    module = build(model, origin, shape, classes)
    return [tuple(one.shape) for one in module.parameters() if one.requires_grad]
