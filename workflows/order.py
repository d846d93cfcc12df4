"""The order of runs, so that a drift of the machine hits all configurations and systems alike."""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from bench.spec import RunSpec


def in_turns(specs: Iterable[RunSpec]) -> list[RunSpec]:
    """Every configuration runs once before any runs again, by its next seed, then its next repeat.

    Within such a round the runs of every system, in the order given, are spread evenly over it, so
    that none runs long without the others. Rounds begin with one system after the other.
    """
    seen: Counter[str] = Counter()
    rounds: dict[int, dict[str, list[RunSpec]]] = defaultdict(lambda: defaultdict(list))
    for spec in sorted(specs, key=lambda spec: (spec.repeat, spec.seed)):
        configuration = dataclasses.replace(spec, seed=0, repeat=1).id
        seen[configuration] += 1
        rounds[seen[configuration]][spec.system].append(spec)
    return [spec for number in sorted(rounds) for spec in _spread(rounds[number], number - 1)]


def _spread(runs: Mapping[str, Sequence[RunSpec]], turn: int) -> Iterator[RunSpec]:
    """The runs of one round, evenly spread; the system that is `turn` places on begins."""
    systems = list(runs)
    places = [
        ((place + 0.5) / len(runs[system]), rank, system)
        for rank, system in enumerate(systems)
        for place in range(len(runs[system]))
    ]
    circle = [system for *_, system in sorted(places)]
    after = circle[1:] + circle[:1]
    first = systems[turn % len(systems)]
    # It begins with one run alone, or what ends the round before would grow by a whole stretch.
    last_of_stretch = [
        place
        for place, (system, other) in enumerate(zip(circle, after, strict=True))
        if system == first != other
    ]
    start = last_of_stretch[len(last_of_stretch) // 2] if last_of_stretch else 0
    left = {system: iter(runs[system]) for system in systems}
    return (next(left[system]) for system in circle[start:] + circle[:start])
