"""Wrapper code: what counts is which memory is allocated, reused and passed to what, not its name."""

from __future__ import annotations

from pytest_compile_golden.formats.inductor_module import read_module
from pytest_compile_golden.formats.wrapper import WRAPPER
from tests.test_grouping import labels

FRESH = """def call(args):
    arg0_1, = args
    buf0 = empty_strided_cuda((4, ), (1, ), torch.float32)
    triton_poi_fused_0.run(arg0_1, buf0, 4, stream=stream0)
    buf1 = empty_strided_cuda((4, ), (1, ), torch.float32)
    triton_poi_fused_1.run(buf0, buf1, 4, stream=stream0)
    del buf0
    return (buf1, )
"""
REUSED = FRESH.replace(
    "buf1 = empty_strided_cuda((4, ), (1, ), torch.float32)",
    "buf1 = buf0; del buf0  # reuse",
)


def test_another_name_for_a_buffer_does_not_count() -> None:
    again = FRESH.replace(
        "    return (buf1, )", "    buf2 = buf1\n    del buf1\n    return (buf2, )"
    )
    assert WRAPPER.canonical(again) == WRAPPER.canonical(FRESH)
    last = FRESH.replace(
        "    del buf0\n", "    buf2 = empty_strided_cuda((4, ), (1, ), torch.float32)\n"
    )
    assert WRAPPER.canonical(last) != WRAPPER.canonical(FRESH)


def test_reuse_counts() -> None:
    assert WRAPPER.canonical(REUSED) != WRAPPER.canonical(FRESH)
    assert WRAPPER.canonical(REUSED.replace("buf1", "buf7")) == WRAPPER.canonical(
        REUSED
    )
    other = FRESH.replace("run(buf0, buf1", "run(arg0_1, buf1")
    assert WRAPPER.canonical(other) != WRAPPER.canonical(FRESH)


def test_the_stream_that_a_program_enters_counts() -> None:
    head = FRESH.partition("    triton_poi_fused_0.run")[0]
    entered = """    stream1 = _get_stream_by_index(1)
    stream2 = _get_stream_by_index(2)
    with stream1:
        raw_stream = get_raw_stream(0)
        triton_poi_fused_0.run(arg0_1, buf0, 4, stream=raw_stream)
    with stream2:
        raw_stream = get_raw_stream(0)
        triton_poi_fused_1.run(buf0, buf0, 4, stream=raw_stream)
    return (buf0, )
"""
    streams = head + entered
    assert WRAPPER.canonical(
        streams.replace("with stream2", "with stream1")
    ) != WRAPPER.canonical(streams)
    renamed = streams.replace(" raw_stream =", " stream0 =").replace(
        "=raw_stream", "=stream0"
    )
    assert WRAPPER.canonical(renamed) == WRAPPER.canonical(streams)


def test_a_helper_that_torch_renamed_is_the_same() -> None:
    old = FRESH.replace(
        "    buf0 =", "    arg0_1 = copy_misaligned(arg0_1)\n    buf0 ="
    )
    assert WRAPPER.canonical(old) == WRAPPER.canonical(
        old.replace("copy_misaligned", "copy_if_misaligned")
    )
    assert WRAPPER.canonical(old) != WRAPPER.canonical(FRESH)
    new = old.replace("copy_misaligned", "copy_if_misaligned")
    launch = "    triton_poi_fused_0.run"
    more = new.replace(launch, "    start(1)\n    stop(2)\n" + launch)
    wait = f"    wait()\n    join()\n{launch}"
    assert labels(old.replace(launch, wait), more, "wrapper_code") == [
        "different line: - wait()  + start(1)",
        "different line: - join()  + stop(2)",
    ]


def test_freeing_a_buffer_counts_but_not_where() -> None:
    kept = FRESH.replace("    del buf0\n", "")
    assert WRAPPER.canonical(kept) != WRAPPER.canonical(FRESH)
    assert WRAPPER.significant(FRESH, kept).differ
    earlier = kept.replace("    buf1 =", "    del arg0_1\n    buf1 =")
    later = kept.replace("    return", "    del arg0_1\n    return")
    assert (
        WRAPPER.canonical(earlier)
        == WRAPPER.canonical(later)
        != WRAPPER.canonical(kept)
    )


def test_an_unindented_comment_shifts_nothing() -> None:
    method = "class Runner:\n" + "".join(f"    {line}\n" for line in FRESH.splitlines())
    commented = method.replace("        buf1 =", "# here\n        buf1 =")
    (one,), (other,) = (read_module(code).calls for code in (method, commented))
    assert one == FRESH and other != one
    assert WRAPPER.canonical(other) == WRAPPER.canonical(one)


def test_spellings_of_what_a_library_is_given_and_of_the_shape_that_a_result_has() -> (
    None
):
    called = (
        FRESH
        + "    buf9 = torch.ops.aten.convolution_backward.default(buf0, f(arg0_1, (4, 1)), [1, 1], True, [0])\n"
    )
    spelled = called.replace("[1, 1]", "(1, 1)").replace("[0]", "(0,)")
    assert WRAPPER.canonical(spelled) == WRAPPER.canonical(called)
    assert WRAPPER.inventory(spelled) == WRAPPER.inventory(called)
    for other in (
        spelled.replace("(1, 1)", "(1, 2)"),
        spelled.replace("(4, 1)", "[4, 1]"),
    ):
        assert WRAPPER.canonical(other) != WRAPPER.canonical(called)
    summed = (
        FRESH + "    buf9 = workspace_0[0 : 9].view(16, 8).sum(dim=0, keepdim=False)\n"
    )
    viewed = summed.replace(", keepdim=False)", ").view([8])")
    assert WRAPPER.canonical(viewed) == WRAPPER.canonical(summed)
    assert WRAPPER.canonical(viewed.replace("[8]", "[1, 8]")) != WRAPPER.canonical(
        summed
    )
