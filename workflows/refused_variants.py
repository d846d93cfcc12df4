"""What a variant of model averaging can't have; a ConfigError says why."""

from collections.abc import Mapping
from typing import Any

from bench.spec import ALGORITHM_1, EA_SGD, KUNGFU, RELEASED, SSGD, RunSpec, stability_bound
from workflows.validate import ConfigError

EVERY_ITERATION = {
    SSGD: "variant ssgd synchronises in every iteration",
    KUNGFU: "variant kungfu has no model between two synchronisations, its z is the learners' mean",
}
WITHOUT_MOMENTUM = {EA_SGD: "EA-SGD", KUNGFU: "KungFu's averaging"}


def refuse_variant(spec: RunSpec, group: Mapping[str, Any], where: str) -> None:
    """Settings that its variant does not have; those of `group` were given in the matrix."""
    if spec.variant in (ALGORITHM_1, KUNGFU) and spec.momentum:
        raise ConfigError(
            f"{where}.momentum: variant {spec.variant} has no local momentum; set it to 0 or use "
            f"variant: {RELEASED}"
        )
    if spec.variant in EVERY_ITERATION and spec.tau != 1:
        raise ConfigError(f"{where}.tau: {EVERY_ITERATION[spec.variant]}; set it to 1 or remove it")
    for key in ("alpha", "mu"):
        if spec.variant == SSGD and key in group:
            raise ConfigError(f"{where}.{key}: variant ssgd has none; remove the key")
    if spec.tau == 0 and (spec.schedule["kind"] == "step" or spec.learners == "auto"):
        raise ConfigError(
            f"{where}.tau: learners that never meet can neither restart from z at a step of the "
            "rate nor be tuned; use another schedule and a number of learners"
        )
    if spec.variant in WITHOUT_MOMENTUM and spec.mu:
        raise ConfigError(
            f"{where}.mu: {WITHOUT_MOMENTUM[spec.variant]} has no momentum of z; set it to 0 or "
            "remove it"
        )


def refuse_unstable(spec: RunSpec, where: str) -> None:
    """An alpha with which averaging is unstable."""
    assert spec.variant is not None and spec.mu is not None
    k = spec.devices * (1 if spec.learners == "auto" else spec.learners)
    alpha = 1 / k if spec.alpha is None else spec.alpha
    bound = stability_bound(k, spec.mu, spec.variant)
    if alpha >= bound:
        said = f"{alpha:g} is"
        if spec.alpha is None:
            said = f"1/k, the default, is {alpha:g} with k = {k} and thus"
        raise ConfigError(
            f"{where}.alpha: {said} outside the stability bound, which alpha has to be below: "
            f"{bound:.4g} for {k} learner{'s' if k > 1 else ''} and mu {spec.mu:g}; set a lower "
            "alpha or allow_unstable: true"
        )
