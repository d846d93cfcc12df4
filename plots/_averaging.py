"""Ways to keep learners together: their names in the field's terms, and how each is drawn."""

import pandas as pd

from plots import style

# Okabe and Ito's colours, from dark to light; markers and lines differ as well.
_LOOKS = {
    "algorithm-1": ("SMA", "#0072B2", "o", "-"),
    "released": ("SMA with local momentum", "#004b75", "s", "--"),
    "ea-sgd": ("EA-SGD", "#D55E00", "^", "-."),
    "kungfu": ("SMA of KungFu", "#009E73", "D", ":"),
    "ssgd": ("S-SGD", "#CC79A7", "v", (0, (5, 1, 1, 1, 1, 1))),
}
NEVER = "0"  # the tau of learners that never meet
_OWN = ("", "1")  # the tau of the paper's algorithm; older summaries have none


def variant_title(variant: str) -> str:
    """The name of a variant as people write it."""
    return _LOOKS[variant][0] if variant in _LOOKS else variant


def variant_look(variant: str) -> dict:
    """Colour, marker and line of a variant; the label is its title."""
    _, color, marker, line = _LOOKS.get(variant, ("", style.INK, "p", "-"))
    label = variant_title(variant)
    return {"color": color, "marker": marker, "linestyle": line, "label": label}


def in_order(variants: pd.Series) -> list[str]:
    """These variants, the paper's first."""
    order = list(_LOOKS)
    return sorted(
        set(variants), key=lambda name: (order.index(name) if name in order else 99, name)
    )


def tau_title(tau: str) -> str:
    """A number of iterations between two synchronisations, as a tick has it."""
    return "never" if tau == NEVER else tau


def tau_order(taus: pd.Series) -> list[str]:
    """The values of tau, from every iteration to never."""
    return sorted(set(taus), key=lambda tau: (tau == NEVER, float(tau)))


def is_other(runs: pd.DataFrame) -> pd.Series:
    """Whether runs keep learners together, but not as the paper does."""
    not_sma = runs["variant"].isin(["ea-sgd", "kungfu", "ssgd"])
    return (runs["system"] == "crossbow") & (not_sma | ~runs["tau"].isin(_OWN))
