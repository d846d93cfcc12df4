"""What several devices cost beside computing, calibrated by cells on one device and on two.

An iteration of g devices takes what it takes on one, and the part of the all-reduce that computing
does not hide, and an overhead. Two devices do not tell what that overhead is, so it is read in the
ways of `READINGS`, each with one coefficient.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks import scaling_data as data
from benchmarks.scaling_laws import AllReduce, exposed, fit_one, slowest_of
from benchmarks.scaling_measured import Pair

# How an overhead could grow: with nothing; with the time in which one of g devices is the last; as
# an all-reduce that nothing hides.
READINGS = {
    "each iteration": lambda devices, one_s, exchange_s: 1.0,
    "waiting": lambda devices, one_s, exchange_s: one_s * slowest_of(devices),
    "exchange": lambda devices, one_s, exchange_s: exchange_s,
}


@dataclass(frozen=True)
class Model:
    """A calibrated machine: what an all-reduce costs, and the overhead by reading.

    `cores` is how many devices compute at once where devices are cores; None where they are GPUs.
    """

    exchange: AllReduce
    overhead: dict[str, float]
    cores: int | None = None

    def parts(self, row: dict[str, Any], devices: int) -> tuple[float, float]:
        """Seconds of the all-reduce of a cell, and of its part that computing does not hide."""
        size = data.exchanged_bytes(row["model"], row["dataset"])
        hidden = exposed(
            row["system"],
            row["iteration_s"],
            size,
            lambda part: self.exchange.seconds(devices, part),
        )
        return self.exchange.seconds(devices, size), hidden

    def seconds(self, one: dict[str, Any], devices: int, reading: str) -> float:
        """Of an iteration on so many devices, by its measurement on one."""
        exchange_s, exposed_s = self.parts(one, devices)
        term = READINGS[reading](devices, one["iteration_s"], exchange_s)
        own_s = one["iteration_s"] + exposed_s + self.overhead[reading] * term
        return self.turns(devices) * own_s

    def turns(self, devices: int) -> float:
        """How often a core is asked at once: 1 where each device has one."""
        return max(1.0, devices / self.cores) if self.cores else 1.0


def calibrate(pairs: Sequence[Pair], exchange: AllReduce, cores: int | None = None) -> Model:
    """The coefficient of each reading, from cells on one and on two devices."""
    bare, overhead = Model(exchange, dict.fromkeys(READINGS, 0.0), cores), {}
    for reading, term in READINGS.items():
        terms = [term(2, one["iteration_s"], bare.parts(one, 2)[0]) for one, _ in pairs]
        both_s = [(bare.seconds(one, 2, reading), two["iteration_s"]) for one, two in pairs]
        left = [(two_s - bare_s) / bare.turns(2) for bare_s, two_s in both_s]
        overhead[reading] = fit_one(terms, left, [two["iteration_s"] for _, two in pairs])
    return Model(exchange, overhead, cores)


def models(
    pairs: Sequence[Pair], own: Pair | None, exchange: AllReduce, cores: int | None
) -> list[Model]:
    """What two devices leave open for a cell; the first is its prediction.

    By the cell's own pair and by all; of a cell that was not on two devices by all and by each
    alone. A sum's latency is that of messages; then, for each, the same for any number of devices.
    """
    each = [[pair] for pair in pairs]
    several = [[own], pairs] if own else [pairs, *each] if len(pairs) > 1 else each
    sums = exchange, exchange.at_once()
    return [calibrate(some, one, cores) for one in sums for some in several]


def held_out(pairs: Sequence[Pair], exchange: AllReduce, cores: int | None) -> list[dict[str, Any]]:
    """Each cell on two devices by what the others say, in each reading: rows of scaling_fit.csv."""
    rows = []
    for place, (one, two) in enumerate(pairs if len(pairs) > 1 else []):
        model = calibrate([*pairs[:place], *pairs[place + 1 :]], exchange, cores)
        for reading in READINGS:
            seconds = model.seconds(one, 2, reading)
            times = {"measured_ms": 1e3 * two["iteration_s"], "held_out_ms": 1e3 * seconds}
            times["error"] = seconds / two["iteration_s"] - 1
            rows.append(two | {"reading": reading} | {n: f"{t:.4g}" for n, t in times.items()})
    return rows
