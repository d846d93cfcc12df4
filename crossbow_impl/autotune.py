"""How many learners per device: grow while it pays (the auto-tuning of the CROSSBOW paper).

The paper adds one learner at a time. Of many learners one more is a small change, lost in the noise
and as dear to set up as all of them anew, so here every step doubles them.
"""

from statistics import median

from bench.spec import RunSpec, stability_bound

MOST_LEARNERS = 32  # per device: as many as there are hardware queues
DWELL = 8  # iterations that one throughput sample spans
WARM_UP = 1  # samples thrown away after every change
SAMPLES = 3  # samples whose median decides


class AutoTuner:
    """Adds learners while throughput rises by more than `threshold` (a fraction).

    The first addition that does not pay is taken back and tuning ends. Where an addition does not
    fit, a smaller one is tried. Pure: it sees samples in images per second and answers with a
    number of learners.
    """

    def __init__(self, most: int, threshold: float = 0.03) -> None:
        self.learners = 1
        self.settled = most <= 1
        self._most, self._threshold = most, threshold
        self._too_many = most + 1
        self._seen: list[float] = []
        self._paid = 0  # the last number of learners that paid, and its throughput
        self._before = 0.0

    def observe(self, images_per_s: float) -> str:
        """Take one sample and return the decision: wait, grow, shrink or settle."""
        self._seen.append(images_per_s)
        if self.settled or len(self._seen) < WARM_UP + SAMPLES:
            return "wait"
        throughput = median(self._seen[WARM_UP:])
        self._seen = []
        if throughput <= self._before * (1 + self._threshold):
            self.learners, self.settled = self._paid, True
            return "shrink"
        self._paid, self._before = self.learners, throughput
        return self._grow()

    def did_not_fit(self, there: int) -> None:
        """The last addition was too large and there are `there` learners: stay, or add fewer."""
        self._too_many = self.learners if there == self._paid else there + 1
        self._paid = there
        self._grow()

    def _grow(self) -> str:
        more = min(2 * self._paid, self._most)
        self.learners = more if more < self._too_many else (self._paid + self._too_many) // 2
        self.settled = self.learners == self._paid
        return "settle" if self.settled else "grow"

    def state(self) -> list[float]:
        """Numbers that `load_state` takes back."""
        loop = [self.learners, self.settled, self._too_many, self._paid, self._before]
        return [*loop, *self._seen]

    def load_state(self, state: list[float]) -> None:
        """Go back to what `state` returned."""
        self.learners, self.settled = int(state[0]), bool(state[1])
        self._too_many, self._paid = int(state[2]), int(state[3])
        self._before, self._seen = state[4], list(state[5:])


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
