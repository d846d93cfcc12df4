"""Algorithm 1 on a problem of two parameters: four learners around the central average model."""

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from bench.spec import ALGORITHM_1
from crossbow_impl import sma
from plots import style

LEARNERS, ITERATIONS = 4, 60
LR, ALPHA, MU, NOISE = 0.04, 1 / LEARNERS, 0.5, 6.0
CURVATURE = torch.tensor([1.0, 4.0], dtype=torch.float64)
START = torch.tensor([-4.0, 2.0], dtype=torch.float64)
SHOWN = 6  # the iteration that is taken apart
HUES = ("#0072B2", "#56B4E9", "#009E73", "#CC79A7")
CENTRE = style.INK


def train() -> tuple[Tensor, Tensor]:
    """Learners [iterations + 1, k, 2] and central model [iterations + 1, 2], by `sma` itself.

    The loss is sum(CURVATURE * w^2) / 2; a batch's gradient is its gradient with normal noise.
    """
    generator = torch.Generator().manual_seed(4)
    w, z, z_prev = START.repeat(LEARNERS, 1), START.clone(), START.clone()
    unused = torch.zeros_like(w)  # the velocity of learners that have momentum
    learners, centre = [w.clone()], [z.clone()]
    for _ in range(ITERATIONS):
        noise = torch.randn(w.shape, generator=generator, dtype=torch.float64)
        gradient = CURVATURE * w + NOISE * noise
        total = sma.step(ALGORITHM_1, w, gradient, unused, z, LR, 0.0, ALPHA)
        sma.average(ALGORITHM_1, w, unused, z, z_prev, total, LEARNERS, LR, 0.0, MU)
        learners.append(w.clone())
        centre.append(z.clone())
    return torch.stack(learners), torch.stack(centre)


def loss(points: Tensor) -> Tensor:
    """The loss at points [..., 2]."""
    return (CURVATURE * points**2).sum(-1) / 2


def draw() -> Figure:
    """The paths of learners and central model, one iteration of them, and their losses."""
    learners, centre = train()
    figure = Figure(figsize=(9.4, 3))  # a layout that is solved differs in the last digits
    left, middle, right = figure.subplots(1, 3, width_ratios=[1.5, 1.1, 1])
    figure.subplots_adjust(left=0.04, right=0.99, bottom=0.22, wspace=0.2)
    _paths(left, learners, centre)
    _iteration(middle, learners, centre)
    _losses(right, learners, centre)
    handles, names = right.get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=5)
    return figure


def _paths(panel: Axes, learners: Tensor, centre: Tensor) -> None:
    x, y = torch.linspace(-4.6, 1.6, 120), torch.linspace(-1.4, 2.4, 90)
    grid = torch.stack(torch.meshgrid(x, y, indexing="xy"), -1)
    levels = [0.1, 0.4, 1, 2, 4, 7, 11, 16]
    panel.contour(x, y, loss(grid), levels=levels, colors="#d0d0d0", linewidths=0.6, zorder=1)
    for j, hue in enumerate(HUES):
        panel.plot(*learners[:, j].T, color=hue, linewidth=0.7, alpha=0.8)
    panel.plot(*centre.T, color=CENTRE, linewidth=1.5, zorder=3)
    panel.plot(*centre[SHOWN], "s", color=CENTRE, markersize=6, markeredgecolor="white", zorder=5)
    panel.plot(0, 0, "+", color=style.FAINT, markersize=9)
    panel.annotate("start", START, (0, 5), textcoords="offset points", ha="center", fontsize=7)
    panel.set(title="all iterations", aspect="equal")
    panel.grid(visible=False)


def _iteration(panel: Axes, learners: Tensor, centre: Tensor) -> None:
    """Steps by the gradient, dotted, corrections towards z, and how z moves by their sum."""
    before, after = learners[SHOWN], learners[SHOWN + 1]
    z, z_next = centre[SHOWN], centre[SHOWN + 1]
    for j, hue in enumerate(HUES):
        corrected = before[j] - ALPHA * (before[j] - z)
        panel.plot(*torch.stack([before[j], z]).T, color="#dddddd", linewidth=0.7, zorder=1)
        panel.plot(*before[j], "o", color=hue, markersize=6, markeredgecolor="white", zorder=4)
        _arrow(panel, before[j], corrected, color=hue, linewidth=1.6)
        _arrow(panel, corrected, after[j], color=hue, linewidth=0.9, linestyle=":")
        away = 10 * (before[j] - z) / (before[j] - z).norm()
        look = {"textcoords": "offset points", "ha": "center", "va": "center", "fontsize": 7}
        panel.annotate(f"$w_{j + 1}$", before[j], away.tolist(), **look)
    panel.plot(*z, "s", color=CENTRE, markersize=6, markeredgecolor="white", zorder=5)
    _arrow(panel, z, z_next, color=CENTRE, linewidth=1.6)
    panel.annotate("$z$", z, (-4, 6), textcoords="offset points", ha="right")
    panel.set(title=f"iteration {SHOWN + 1}", aspect="equal")
    panel.margins(0.15)
    panel.grid(visible=False)


def _arrow(panel: Axes, start: Tensor, end: Tensor, **look: object) -> None:
    properties = {"arrowstyle": "->", "shrinkA": 0, "shrinkB": 0, **look}
    panel.annotate("", end, start, arrowprops=properties, zorder=4)
    panel.plot(*end, linestyle="none")  # or the panel would end before the arrow


def _losses(panel: Axes, learners: Tensor, centre: Tensor) -> None:
    for j, hue in enumerate(HUES):
        name = {"label": f"learner $w_{j + 1}$", "color": hue}
        panel.plot(loss(learners[:, j]), linewidth=0.7, alpha=0.8, **name)
    panel.plot(loss(centre), color=CENTRE, label="central average model $z$")
    panel.set(title="loss", xlabel="iteration", yscale="log")
