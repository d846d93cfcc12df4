"""How encoded images are prepared: what the records depend on, and what they don't."""

import os
from dataclasses import dataclass, fields
from typing import Any

from data_prep.manifest import RecordsError

MAX_SIDE = 4096


@dataclass(frozen=True)
class Settings:
    """What the records depend on; a part of their manifest.

    Attributes:
        side: pixels of the side of the crop that a network sees.
        shard_mb: megabytes of source in a shard, at most.
        quality: of the JPEGs that replace what isn't one, 1 to 100.
        test_fraction: of an image folder without a test split, what is held out, in (0, 1).
    """

    side: int
    shard_mb: float = 256
    quality: int = 95
    test_fraction: float = 0.1

    def __post_init__(self) -> None:
        for name, right, wanted in (
            ("side", 1 <= self.side <= MAX_SIDE, f"a whole number from 1 to {MAX_SIDE}"),
            ("shard_mb", 0 < self.shard_mb <= 4096, "above 0, and 4096 at most"),
            ("quality", 1 <= self.quality <= 100, "a whole number from 1 to 100"),
            ("test_fraction", 0 < self.test_fraction < 1, "between 0 and 1"),
        ):
            if not right:
                key = f"--{name.replace('_', '-')}"
                raise RecordsError(f"{key}: {getattr(self, name)} is not {wanted}")


@dataclass(frozen=True)
class Options:
    """What was asked for; a setting left None is as in the records there are, else the default.

    Attributes:
        workers: processes; 0 for one per core. The records don't depend on it.
        strict: whether any problem refuses the whole, rather than leaving out or converting.
    """

    workers: int = 0
    strict: bool = False
    side: int | None = None
    shard_mb: float | None = None
    quality: int | None = None
    test_fraction: float | None = None

    def refuse_for_arrays(self, dataset: str) -> None:
        """Refuse whatever was asked for: arrays that are published have no such settings.

        Raises:
            RecordsError: something was.
        """
        for field in fields(self):
            if getattr(self, field.name) != field.default:
                option = f"--{field.name.replace('_', '-')}"
                raise RecordsError(
                    f"{option}: {dataset} has no encoded images to prepare; leave it out"
                )

    def settings(self, side: int, found: dict[str, Any]) -> Settings:
        """The settings, with the dataset's own `side` and those `found` in a manifest."""
        values = {"side": side}
        for name in (field.name for field in fields(Settings)):
            if name in found:
                values[name] = found[name]
            if getattr(self, name) is not None:
                values[name] = getattr(self, name)
        return Settings(**values)

    def processes(self) -> int:
        """How many processes work.

        Raises:
            RecordsError: the number asked for is negative.
        """
        if self.workers < 0:
            raise RecordsError(f"--workers: {self.workers} is below 0; leave it out for all cores")
        return self.workers or len(os.sched_getaffinity(0))
