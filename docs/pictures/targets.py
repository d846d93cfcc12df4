"""The three rules on the accuracy of one run."""

from matplotlib.figure import Figure

from bench.metrics import RULES, epochs_to_target
from docs.pictures._reference import rows
from plots import style

TARGET = 0.72
HUES = {"first": "#D55E00", "median5": "#0072B2", "sustained": "#009E73"}
WORDS = {
    "first": "first: the first epoch at it",
    "median5": "median5: the median of the last five is",
    "sustained": "sustained: never below it again",
}


def draw() -> Figure:
    """Accuracy over epochs, the median of five, and where each rule says that the target is met."""
    epochs = rows("epochs").set_index("epoch")["test_acc"]
    figure = Figure(figsize=(7.4, 3), layout="constrained")
    panel = figure.subplots()
    median = epochs.rolling(5).median()
    panel.axhline(TARGET, color=style.FAINT, linewidth=0.8, linestyle="--")
    panel.annotate(f"target {TARGET:.0%}", (1, TARGET), (0, 3), textcoords="offset points")
    panel.plot(epochs, ".-", color=style.INK, linewidth=0.8, label="test accuracy")
    panel.plot(median, color=HUES["median5"], linewidth=1.6, label="median of the last five")
    for rule in RULES:
        epoch = epochs_to_target(list(epochs), TARGET, rule)
        height = median[epoch] if rule == "median5" else epochs[epoch]
        look = {"color": HUES[rule], "markersize": 8, "markeredgecolor": "white", "zorder": 5}
        panel.axvline(epoch, color=HUES[rule], linewidth=0.8, linestyle=":")
        name = f"{WORDS[rule]} (epoch {epoch})"
        panel.plot(epoch, height, "o", linestyle="none", label=name, **look)
    panel.set(xlabel="epoch", ylabel="test accuracy", xlim=(0.5, len(epochs) + 0.5))
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    panel.legend(loc="lower right")
    return figure
