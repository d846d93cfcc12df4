import io

import pytest

from data_prep import progress
from data_prep.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Sets the time that the progress sees."""
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_says_rate_and_time_left_of_what_this_run_does(clock):
    shown = Progress("x", total=10_000, done=4_000, stream=io.StringIO())
    assert shown.line(4_100, 10) == "x: 4,100 of 10,000 images, 10/s, 10 min left"
    assert shown.line(9_900, 10).endswith("590/s, 0 s left")
    assert shown.line(4_000, 10) == "x: 4,000 of 10,000 images, 0/s"
    assert shown.line(4_001, 10).endswith("0/s, 16.7 h left")


def test_a_terminal_has_one_line_that_changes(clock):
    stream = Terminal()
    shown = Progress("x", total=10, stream=stream)
    for clock[0] in (0.1, 0.3, 0.6):
        shown.update(5)
    shown.close()
    assert "\n" not in stream.getvalue()
    assert stream.getvalue().count("x: 5 of 10") == 2 and stream.getvalue().endswith("\r\x1b[K")


def test_a_file_has_a_line_a_minute(clock):
    stream = io.StringIO()
    shown = Progress("x", total=1000, stream=stream)
    for second in range(150):
        clock[0] = second
        shown.update(second)
    shown.close()
    assert stream.getvalue().splitlines() == [
        "x: 60 of 1,000 images, 1/s, 16 min left",
        "x: 120 of 1,000 images, 1/s, 15 min left",
    ]
