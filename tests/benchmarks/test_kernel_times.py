"""What is said of kernels whose times are known."""

import pytest

from benchmarks import kernel_times


def kernel(start, end, kind="compute", stream=7, name="k"):
    return {"start_us": start, "end_us": end, "kind": kind, "stream": stream, "name": name}


@pytest.mark.parametrize(
    ("kernels", "at_once"),
    [
        ([kernel(0, 10), kernel(10, 20), kernel(30, 40)], 1.0),
        ([kernel(0, 10), kernel(0, 10, stream=8)], 2.0),
        ([kernel(0, 10), kernel(5, 15, stream=8)], 20 / 15),
    ],
    ids=["one after the other", "at once", "half"],
)
def test_kernels_at_once(kernels, at_once):
    assert kernel_times.overlap(kernels)["kernels_at_once"] == pytest.approx(at_once)


@pytest.mark.parametrize(
    ("kernels", "share"),
    [
        ([kernel(0, 10), kernel(10, 20)], 0.0),
        ([kernel(0, 10), kernel(10, 30, "all-reduce"), kernel(30, 40)], 0.0),
        ([kernel(0, 10), kernel(10, 30, "all-reduce"), kernel(20, 40)], 0.5),
        # What covers it twice counts once.
        ([kernel(10, 30, "all-reduce"), kernel(20, 40), kernel(20, 40, stream=8)], 0.5),
        ([kernel(10, 30, "all-reduce"), kernel(0, 40)], 1.0),
    ],
    ids=["no all-reduce", "alone", "half", "half by two", "all of it"],
)
def test_share_of_all_reduce_that_computing_covers(kernels, share):
    assert kernel_times.overlap(kernels)["all_reduce_overlapped"] == pytest.approx(share)


def test_middle_third_is_kept_in_order_and_all_reduces_are_told_apart():
    events = [
        {"ts": 100.0 + 10 * i, "dur": 5.0, "tid": 0, "args": {"stream": i}, "name": name}
        for i, name in enumerate(["a", "b", "c", "ncclDevKernel_AllReduce", "e", "f"])
    ]
    kept = kernel_times.middle(events[::-1])
    assert [(k["stream"], k["kind"]) for k in kept] == [(2, "compute"), (3, "all-reduce")]
    assert [(k["start_us"], k["end_us"]) for k in kept] == [(0.0, 5.0), (10.0, 15.0)]


def test_kernels_close_to_each_other_are_one_span_of_their_stream():
    kernels = [kernel(0, 5), kernel(2, 9, stream=8), kernel(5.5, 8), kernel(10, 12)]
    found = [
        (s["stream"], s["kernels"], s["start_us"], s["end_us"]) for s in kernel_times.spans(kernels)
    ]
    assert found == [(7, 2, 0, 8), (8, 1, 2, 9), (7, 1, 10, 12)]


def test_longest_kernels_by_share_of_time():
    kernels = [kernel(0, 3, name="gemm"), kernel(3, 6, name="gemm"), kernel(6, 8, name="relu")]
    assert list(kernel_times.longest(kernels).items()) == [("gemm", 0.75), ("relu", 0.25)]
