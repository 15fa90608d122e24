"""What graphs hold while they run: each step of the code torch generated, and why values are saved for backward."""

from __future__ import annotations

import re

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import capture
from pytest_compile_golden.facts.costs import BufferSizes
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.formats.memory import MEMORY
from pytest_compile_golden.formats.memory.timeline import timeline
from pytest_compile_golden.messages.sentences import sentence

SIZE = 64 * 64 * 4


def square() -> Tensor:
    return torch.randn(64, 64)


def chain(x: Tensor, w: Tensor) -> Tensor:
    return torch.relu(torch.relu(x @ w) @ w) @ w


def test_without_reuse_more_is_allocated_and_reported() -> None:
    saving = capture(chain, square(), square(), target="cpu-avx2")["memory"]
    without = {"allow_buffer_reuse": False, "inplace_buffers": False}
    wasting = capture(chain, square(), square(), target="cpu-avx2", config=without)[
        "memory"
    ]
    assert (saving.reuses, saving.peak) == (2, 2 * SIZE)
    assert (wasting.reuses, wasting.peak) == (0, 2 * SIZE)
    allocations = [step for step in wasting.graphs[0].steps if step.kind == "allocate"]
    assert len(allocations) == 5
    assert "reuses: 2 -> 0" in [
        sentence(edit) for edit in MEMORY.edits(saving.text, wasting.text)
    ]


def test_names_and_the_order_of_frees_do_not_count() -> None:
    text = capture(chain, square(), square(), target="cpu-avx2", train=True)[
        "memory"
    ].text
    renamed = re.sub(r"\bbuf(\d+)\b", r"buf1\1", text).replace("relu\n", "other\n")
    assert renamed != text and MEMORY.canonical(renamed) == MEMORY.canonical(text)
    frees = next(re.finditer(r"(  free .*\n)(  free .*\n)", text))
    assert MEMORY.canonical(
        text.replace(frees[0], frees[2] + frees[1])
    ) == MEMORY.canonical(text)
    for old, new in (
        ("free buf", "free primals"),
        ("cannot recompute", "may recompute"),
        ("  reuse ", "  call "),
    ):
        assert old in text and MEMORY.canonical(
            text.replace(old, new, 1)
        ) != MEMORY.canonical(text)


def test_buffers_returned_by_one_library_call_have_separate_lifetimes() -> None:
    def program(x: Tensor) -> Tensor:
        values, indices = (x @ x).topk(4)
        first = values.sum()
        return first + (indices.float() @ indices.float().t()).sum()

    (graph,) = capture(program, square(), target="cpu-avx2")["memory"].graphs
    (call,) = [step for step in graph.steps if step.kind == "call"]
    assert {step.nbytes for step in graph.steps if step.kind == "part"} == {
        64 * 4 * 4,
        64 * 4 * 8,
    }
    assert call.nbytes == 64 * 4 * 12
    freed = {step.name: step.nbytes for step in graph.steps if step.kind == "free"}
    assert call.name not in freed
    assert {
        name: freed.get(name)
        for name in (step.name for step in graph.steps if step.kind == "part")
    } == {step.name: step.nbytes for step in graph.steps if step.kind == "part"}


def test_partitions_of_a_graph_are_followed() -> None:
    def program(x: Tensor) -> Tensor:
        return ((x + 1) @ x).cpu().sin().to(x.device).relu() @ x

    captured = capture(program, square(), mode="reduce-overhead")
    (graph,) = captured["memory"].graphs
    assert "partition_1" in str(captured["wrapper_code"])
    assert graph.peak == graph.estimate == 2 * SIZE
    assert graph.steps[-1].live == SIZE


def test_a_pool_is_held_as_a_whole() -> None:
    (graph,) = capture(chain, square(), square(), config={"memory_planning": True})[
        "memory"
    ].graphs
    pools = [
        step.name
        for step in graph.steps
        if step.kind == "allocate" and step.name.startswith("pool")
    ]
    assert pools and {step.of for step in graph.steps if step.kind == "place"} == set(
        pools
    )


@pytest.mark.parametrize(
    ("dtype", "nbytes"),
    [("bool", 24), ("float8_e4m3fn", 24), ("bfloat16", 48), ("uint64", 192)],
)
def test_an_allocation_that_is_not_a_graph_buffer_is_sized_by_its_arguments(
    dtype: str, nbytes: int
) -> None:
    code = f"def call(args):\n    pool0 = empty_strided_cuda((4, 6), (6, 1), torch.{dtype})\n    del pool0\n"
    steps = timeline(code, BufferSizes(GraphKey(0), {}, {}))
    assert [(step.kind, step.nbytes) for step in steps] == [
        ("allocate", nbytes),
        ("free", nbytes),
    ]


def test_symbolic_sizes_count_with_their_actual_values() -> None:
    dynamic = capture(
        chain, torch.randn(24, 64), square(), target="cpu-avx2", dynamic=True
    )["memory"]
    fixed = capture(chain, torch.randn(24, 64), square(), target="cpu-avx2")["memory"]
    assert dynamic.peak == fixed.peak


def test_a_cpp_wrapper_has_only_the_estimate() -> None:
    (graph,) = capture(
        chain, square(), square(), target="cpu-avx2", config={"cpp_wrapper": True}
    )["memory"].graphs
    assert graph.steps == () and graph.estimate == 2 * SIZE


def test_a_graph_split_by_a_custom_partitioner_has_no_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from torch._functorch.partitioners import default_partition
    from torch._inductor.custom_graph_pass import CustomPartitionerFn

    class Default(CustomPartitionerFn):
        def __call__(
            self, module: torch.fx.GraphModule, inputs: object, **options: object
        ) -> object:
            return default_partition(
                module, inputs, num_fwd_outputs=options["num_fwd_outputs"]
            )

        def uuid(self) -> str:
            return "default"

    config = {"custom_partitioner_fn": Default()}
    held = capture(
        chain, square(), square(), target="cpu-avx2", train=True, config=config
    )["memory"]
    assert held.saved and {value.why for value in held.saved} == {""}
