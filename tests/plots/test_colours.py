"""Systems without a colour of their own: apart from the others, and alike in all figures."""

import itertools

import matplotlib
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from synthetic import run, tables
from test_figures import draw

from plots import style

# As readers see linear red, green and blue whose eyes lack one kind of cones (Machado et al. 2009).
EYES = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
}
TO_XYZ = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0178, 0.1094, 0.8728]]  # white: 1


def lab(color, eyes):
    """A colour in CIELAB, where the distance of two is how different they look."""
    share = np.array(to_rgb(color))
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    x, y, z = np.cbrt(TO_XYZ @ np.clip(EYES[eyes] @ linear, 0, 1))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", EYES)
def test_added_systems_look_unlike_the_others_and_each_other(eyes):
    systems = ["a", "b", "c", "d", "e", "f"]
    hues = style.hues(systems)
    added = {hues[system] for system in systems}
    shades = [style.look("crossbow", m, [])["color"] for m in ("1", "2", "4", "8", "16", "32")]
    own = [*shades, hues["pytorch"], hues["tensorflow"]]

    def nearest(pairs):
        return min(np.linalg.norm(lab(one, eyes) - lab(two, eyes)) for one, two in pairs)

    assert len(added) == 6
    assert nearest(itertools.product(added, own)) > 20
    assert nearest(itertools.combinations(added, 2)) > 10


FIGURES = ["accuracy_over_time", "epochs_to_accuracy", "throughput", "time_split"]
FIGURES += ["target_rules", "time_to_accuracy", "time_to_accuracy_overview", "time_to_any_accuracy"]
FIGURES += ["hardware_efficiency", "scaling_methods"]
# Of those that show certain runs alone: what the runs have.
CERTAIN = {
    "energy": {"device_type": ["cuda"]},
    "mlperf_convergence": {"model": ["resnet50"], "dataset": ["imagenet"]},
    "noise_floor": {"repeat": [1, 2]},
    "synchronisation_frequency": {"tau": [1, 2]},
}


@pytest.mark.parametrize("name", [*FIGURES, *CERTAIN])
def test_a_system_has_one_colour_whatever_else_a_figure_shows(name):
    mine, other = "mine", "other 5"  # which ask for the same place in the palette
    assert style.hues([mine])[mine] == style.hues([other])[other]
    assert style.hues([mine, other])[other] != style.hues([other])[other]
    has = CERTAIN.get(name, {"devices": [1, 2]})
    cells = [dict(zip(has, values, strict=True)) for values in itertools.product(*has.values())]
    runs = [run(system=other, learners="1", **cell) for cell in cells]
    # The other has panels of its own, and no place at all in some figures.
    runs += [run(system=mine, learners="1", dataset="mnist", target=None, epochs=3)]
    figure, _ = draw(name, tables(*runs))
    told = [one for one in figure.findobj(matplotlib.lines.Line2D) if one.get_gid()]
    told = [one for one in told if one.get_gid().startswith(f"hover:{other},")]
    if name == "throughput":  # whose marks have the colour of their batch
        told = [one for one in told if one.get_linestyle() == "--"]
    colours = {one.get_color() for one in told} - {style.INK}
    assert colours == {style.hues([mine, other])[other]}
