"""What a figure of measurements says of their machines and commits."""

from collections.abc import Iterable

from matplotlib.figure import Figure

from bench.summary_columns import short_commit
from benchmarks.results import Source
from plots import style


def tell(figure: Figure, sources: Iterable[tuple[str, Source]]) -> str:
    """Each measurement's name, machine and commit, for the caption; a name may be empty.

    Where code was changed that no commit holds, that is said here and above the figure, which is
    drawn by then.
    """
    different = list(dict.fromkeys(sources))
    said = "; ".join(f"{name}: {_words(one)}" if name else _words(one) for name, one in different)
    number = sum(one.is_changed for _, one in different)
    if not number:
        return f"{said}."
    are = f"{number} of {len(different)} measurements {'is' if number == 1 else 'are'}"
    changed = f"Dirty: {are} of changed code that no commit holds"
    style.warn_above(figure, changed)
    return f"{said}. {changed}."


def _words(source: Source) -> str:
    if not source.commit:
        return f"{source.machine}, commit not recorded"
    changes = " with changes" * source.is_changed
    return f"{source.machine}, commit {short_commit(source.commit)}{changes}"
