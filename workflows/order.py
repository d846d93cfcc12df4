"""The order of runs, so that a drift of the machine hits all configurations and systems alike."""

import dataclasses
from collections import Counter
from collections.abc import Iterable

from bench.spec import RunSpec


def in_turns(specs: Iterable[RunSpec]) -> list[RunSpec]:
    """Every configuration runs once before any runs again, by its next seed, then its next repeat.

    Within such a round the systems take turns, each with its runs in the order given.
    """
    rounds: Counter[str] = Counter()
    turns: Counter[tuple[int, str]] = Counter()
    places = []
    for spec in sorted(specs, key=lambda spec: (spec.repeat, spec.seed)):
        configuration = dataclasses.replace(spec, seed=0, repeat=1).id
        rounds[configuration] += 1
        turn = (rounds[configuration], spec.system)
        turns[turn] += 1
        places.append((rounds[configuration], turns[turn], spec))
    return [spec for *_, spec in sorted(places, key=lambda place: place[:2])]
