"""A run's reason says what failed: type and first line, not the last line of a long message."""

import pytest
import torch.multiprocessing

from bench import record
from bench.endings import failure

HINTS = "CUDA error: an illegal access\nSet CUDA_LAUNCH_BLOCKING=1\nCompile with TORCH_USE_CUDA_DSA"


def fail(rank, error):
    if rank == 1:
        try:
            raise KeyError("shape")
        except KeyError:
            raise error from None


def syntax_error():
    try:
        compile("a = 1\nb = = 2\n", "model.py", "exec")
    except SyntaxError as error:
        return error


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RuntimeError(HINTS), "RuntimeError: CUDA error: an illegal access"),
        (RuntimeError("\n\n  shapes differ:\n a\n b"), "RuntimeError: shapes differ:"),
        (ValueError(), "ValueError"),
        (OSError(27, "File too large"), "OSError: [Errno 27] File too large"),
        (syntax_error(), "SyntaxError: invalid syntax"),
        (ImportError("no x\nTraceback (most recent call last):\n  a"), "ImportError: no x"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_type_and_first_line(error, reason):
    outcome = failure(error)
    assert outcome["reason"] == reason
    assert outcome["status"] == record.FAILED


def test_a_note_is_not_the_reason():
    error = ValueError("no image 7")
    error.add_note("while reading")
    assert failure(error)["reason"] == "ValueError: no image 7"


@pytest.mark.parametrize(
    ("message", "status"),
    [(HINTS, record.FAILED), ("CUDA out of memory.\nTried 2 GiB", record.OUT_OF_MEMORY)],
)
def test_of_another_process_it_is_what_its_traceback_ends_with(message, status):
    with pytest.raises(torch.multiprocessing.ProcessRaisedException) as raised:
        torch.multiprocessing.start_processes(
            fail, (RuntimeError(message),), nprocs=2, start_method="fork"
        )
    first = message.splitlines()[0]
    outcome = failure(raised.value)
    assert (outcome["status"], outcome["reason"]) == (status, f"RuntimeError: {first}")


def test_memory_is_known_by_the_type_alone():
    assert failure(MemoryError())["status"] == record.OUT_OF_MEMORY
