"""How many learners per device: grow while it pays (the auto-tuning of the CROSSBOW paper)."""

from statistics import median

from bench.spec import RunSpec, stability_bound

MOST_LEARNERS = 16  # per device
DWELL = 8  # iterations that one throughput sample spans
WARM_UP = 1  # samples thrown away after every change
SAMPLES = 3  # samples whose median decides


class AutoTuner:
    """Adds one learner at a time while throughput rises by more than `threshold` (a fraction).

    The first addition that does not pay is taken back and tuning ends. Pure: it sees samples in
    images per second and answers with a number of learners.
    """

    def __init__(self, most: int, threshold: float = 0.05) -> None:
        self.learners = 1
        self.settled = most <= 1
        self._most, self._threshold = most, threshold
        self._seen: list[float] = []
        self._before = 0.0

    def observe(self, images_per_s: float) -> str:
        """Take one sample and return the decision: wait, grow, shrink or settle."""
        self._seen.append(images_per_s)
        if self.settled or len(self._seen) < WARM_UP + SAMPLES:
            return "wait"
        throughput = median(self._seen[WARM_UP:])
        self._seen = []
        if throughput <= self._before * (1 + self._threshold):
            self.settled = True
            self.learners -= 1
            return "shrink"
        if self.learners == self._most:
            self.settled = True
            return "settle"
        self._before = throughput
        self.learners += 1
        return "grow"

    def state(self) -> list[float]:
        """Numbers that `load_state` takes back."""
        return [self.learners, self.settled, self._before, *self._seen]

    def load_state(self, state: list[float]) -> None:
        """Go back to what `state` returned."""
        self.learners, self.settled = int(state[0]), bool(state[1])
        self._before, self._seen = state[2], list(state[3:])


def most_learners(spec: RunSpec, samples: int) -> int:
    """The most learners per device that tuning may try.

    Bounded so that an epoch of `samples` images spans a throughput sample, and so that a fixed
    alpha stays inside the stability bound.
    """
    assert spec.variant is not None and spec.mu is not None
    most = min(MOST_LEARNERS, samples // (DWELL * spec.batch * spec.devices))
    while spec.alpha and most > 1:
        if spec.alpha < stability_bound(most * spec.devices, spec.mu, spec.variant):
            break
        most -= 1
    return max(most, 1)
