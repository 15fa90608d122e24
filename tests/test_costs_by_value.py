"""Costs are given value by value: what differs in the nodes, buffers and kernels of a value shows whose its cost is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import PurePosixPath
from typing import Any

import torch
import torch._functorch.config
import torch._inductor.config
import torch.nn.functional as F
from torch import Tensor

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.changes.graphs import OperatorsChanged, PassChanged
from pytest_compile_golden.facts.costs import KernelShares
from pytest_compile_golden.formats import evidence
from pytest_compile_golden.formats.costs import CostArtifact
from pytest_compile_golden.goldens import case_files
from pytest_compile_golden.goldens.case_changes import CaseChanges
from pytest_compile_golden.goldens.compare_artifact import Compared
from pytest_compile_golden.goldens.cost_owners import CostOwners
from pytest_compile_golden.goldens.distinct_change import distinct
from pytest_compile_golden.goldens.peak_memory import peak_differences
from pytest_compile_golden.goldens.value_costs import value_differences
from pytest_compile_golden.plugin.run_settings import RECORDED_STAGES, resolve_stages
from pytest_compile_golden.recordings.recording import (
    RecordedCase,
    Recording,
    read_elsewhere,
)
from pytest_compile_golden.report import compare_recordings
from pytest_compile_golden.report.model import CaseReport
from tests.written_cases import differing

TARGET = "cuda-sm90"
SMALL_KERNELS: dict[str, Any] = {"max_fusion_size": 1}
STORES_SOONER: dict[str, Any] = {"realize_opcount_threshold": 4}


def captured(
    function: Callable[..., object],
    *inputs: Tensor,
    train: bool = False,
    **changed: Any,
) -> Capture:
    """What torch compiles with these settings of Inductor, or of AOTAutograd, changed."""
    with ExitStack() as stack:
        for name, value in changed.items():
            config = torch._inductor.config
            if not hasattr(config, name):
                config = torch._functorch.config
            stack.enter_context(config.patch(name, value))
        torch._dynamo.reset()
        return capture(function, *inputs, target=TARGET, train=train)


def compared(old: Capture, new: Capture) -> CaseReport:
    sides = [
        RecordedCase(
            PurePosixPath("cases/test_a", TARGET),
            "cases/test_a.py::test_a",
            TARGET,
            "passed",
            None,
            None,
            tuple(
                case_files.stored(side[name], name)
                for name in resolve_stages([RECORDED_STAGES])
                if name in side
            ),
            dict(side.unavailable),
        )
        for side in (old, new)
    ]
    before, after = (
        Recording(
            read_elsewhere(
                "2.13.0", [side], sorted({each.stage for each in side.artifacts})
            ),
            (side,),
        )
        for side in sides
    )
    (case,) = compare_recordings.report(before, after, "old", "new", "terse").cases
    return case


def with_evidence(*sides: Capture) -> list[Compared]:
    """What values are told apart by, of two sides."""
    names = ("post_grad_graph", "scheduler_nodes", "cost")
    return differing(
        *({name: str(side[name]) for name in names} for side in sides),
        known={
            name: [evidence.write(str(side[name]), side[name].facts) for side in sides]
            for name in names
        },
    )


def owners(case: CaseReport, name: str) -> dict[str, float]:
    """By the code of a change, how much of a metric it owns."""
    codes = {change.key: change.code for change in case.changes}
    (metric,) = (metric for metric in case.metrics if metric.name == name)
    return {codes.get(part.change, part.change): part.amount for part in metric.parts}


def chain(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    z = (x * y + 1).sin() * x - y
    return z.exp(), z.sum(1), (z * 2).amax(1)


def chain_of_sums(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    z = (x * y + 1).sin() * x.cos() - y.exp()
    return z.sum(0), z.sum(1)


def square() -> Tensor:
    return torch.randn(64, 64)


def test_what_kernels_move_and_compute_is_known_of_each_buffer_and_operation() -> None:
    inputs = square().requires_grad_(), square()
    found = captured(lambda x, w: F.gelu(x @ w).sum(0), *inputs, train=True)["cost"]
    assert isinstance(found, CostArtifact)
    shares = [fact for fact in found.facts if isinstance(fact, KernelShares)]
    kernels = [kernel for graph in found.graphs for kernel in graph.kernels]
    assert len(shares) == len(kernels) >= 4
    for share, kernel in zip(shares, kernels, strict=True):
        numbers = dict(kernel.numbers)
        assert sum(dict(share.moved).values()) == numbers["read"] + numbers["written"]
        assert sum(dict(share.flops).values()) == numbers["flops"]


def test_what_other_kernels_read_again_costs_what_they_are_fused_by() -> None:
    inputs = square(), square()
    old = captured(chain, *inputs)
    case = compared(old, captured(chain, *inputs, **SMALL_KERNELS))
    assert list(owners(case, "bytes_accessed")) == ["fusion-lost"]


def test_kernels_that_nodes_differ_in_cost_what_made_these_nodes_differ() -> None:
    """No name of what AOTAutograd traces is left in the graph; elsewhere in it, something is stored because of a
    setting."""

    def program(x: Tensor, a: Tensor, b: Tensor) -> tuple[Tensor, ...]:
        first = x.cumsum(1)
        marked = torch.where(torch.ops.marked.some(first), x, 0.0).cumsum(1)
        return marked, (first * marked).sum(1), *chain_of_sums(a, b)

    def largest(x: Tensor) -> Tensor:
        ones = torch.zeros_like(x).scatter(0, x.argmax(0, keepdim=True), 1.0)
        return ones.bool()

    def compiled(some: Callable[[Tensor], Tensor], **changed: Any) -> Capture:
        with torch.library._scoped_library("marked", "DEF") as library:
            library.define("some(Tensor x) -> Tensor")
            library.impl("some", some, "CompositeImplicitAutograd")
            return captured(program, square(), square(), square(), **changed)

    old = compiled(largest)
    case = compared(old, compiled(lambda x: x > 1, **STORES_SOONER))
    moved = owners(case, "bytes_accessed")
    assert set(moved) == {"operators-traced", "results-stored"}
    assert moved["operators-traced"] < 0 < moved["results-stored"]
    assert owners(case, "kernels") == {"operators-traced": -2}


def test_what_is_computed_by_itself_within_a_kernel_is_named_by_its_last_operator() -> (
    None
):
    """Not by all that it is computed from, most of which is inlined on both sides."""

    def scaled(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        scale = (a * 2 + b).tanh() * 0.5
        return scale.sum(1), b * scale.exp()

    inputs = square(), square()
    old = captured(scaled, *inputs)
    case = compared(old, captured(scaled, *inputs, realize_opcount_threshold=5))
    assert [change.text for change in case.changes] == [
        "results of aten.tanh are computed by operations of their own in a fused kernel instead of inlined"
    ]


def test_what_stays_within_a_kernel_is_not_stored_because_something_else_is_written() -> (
    None
):
    """What is computed of `c` takes more operations than a kernel may have, so that one writes what another reads."""

    def scaled(a: Tensor, b: Tensor, c: Tensor) -> tuple[Tensor, ...]:
        scale = (a * 2 + b).tanh() * 0.5
        centred = c - c.amax(1, keepdim=True)
        spread = centred - centred.sum(1, keepdim=True)
        return scale.sum(1), b * scale.exp(), spread.amin(1), spread.exp().sum(1)

    inputs = square(), square(), torch.randn(8, 64)
    old = captured(scaled, *inputs)
    new = captured(scaled, *inputs, realize_opcount_threshold=5, max_fusion_size=3)
    texts = [change.text for change in compared(old, new).changes]
    assert (
        "results of aten.tanh + aten.exp are computed by operations of their own in a fused kernel instead of inlined"
        in texts
    )


def test_what_is_stored_has_its_own_cost_beside_another_form_of_an_operator() -> None:
    def program(x: Tensor, y: Tensor, form: str) -> tuple[Tensor, Tensor, Tensor]:
        z = (x * y + 1).sin() * x.cos() - y.exp()
        return z.sum(0), z.sum(1), F.gelu(x, approximate=form)

    def erf(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return program(x, y, "none")

    def tanh(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return program(x, y, "tanh")

    inputs = square(), square()
    bare = captured(erf, *inputs)
    alone = compared(bare, captured(erf, *inputs, **STORES_SOONER))
    both = compared(bare, captured(tanh, *inputs, **STORES_SOONER))
    stored = owners(alone, "flops")["results-stored"]
    assert stored < 0 and owners(both, "flops")["results-stored"] == stored
    assert any(
        amount > 0
        for owner, amount in owners(both, "flops").items()
        if owner != "results-stored"
    )


def test_what_is_held_is_known_beside_what_is_moved() -> None:
    inputs = square(), square()
    sides = [captured(chain_of_sums, *inputs, **each) for each in ({}, STORES_SOONER)]
    found = peak_differences(with_evidence(*sides), "graph_0", 1)
    assert found is not None and any(each.nbytes == 16384 for each in found)


def test_a_value_that_backward_computes_again_costs_what_splits_the_graph() -> None:
    def program(x: Tensor, w: Tensor) -> Tensor:
        return (F.layer_norm(x, (64,)) @ w).softmax(-1).sum()

    inputs = square().requires_grad_(), square().requires_grad_()
    old = captured(program, *inputs, train=True)
    new = captured(program, *inputs, train=True, ban_recompute_reductions=False)
    case = compared(old, new)
    assert (
        {"saved-instead", "pass-changed"} >= {*owners(case, "bytes_accessed")} != set()
    )
    assert {"saved-instead", "pass-changed"} >= {*owners(case, "flops")} != set()


def test_a_library_that_reads_what_kernels_read_is_not_counted_otherwise() -> None:
    """Two kernels read the summand as well, which a call of `addmm` reads once in their place."""

    def program(x: Tensor, w: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        z = y + x @ w
        return z.sum(1), z.sum(0)

    inputs = square(), square(), square()
    old = captured(program, *inputs, pattern_matcher=False)
    case = compared(old, captured(program, *inputs))
    assert [*owners(case, "bytes_accessed")] == ["pass-changed"]


def test_a_kernel_that_makes_what_a_call_reads_costs_what_makes_that_call() -> None:
    """Whatever it computes, an operator among it that is another one elsewhere."""

    def program(
        x: Tensor, w: Tensor, y: Tensor, other: Callable[[Tensor], Tensor]
    ) -> Tensor:
        return (y.exp() * 2 + x @ w).sum(0) * other(w).sum(0)

    inputs = square(), square(), square()
    old = captured(
        lambda x, w, y: program(x, w, y, torch.exp), *inputs, pattern_matcher=False
    )
    case = compared(
        old, captured(lambda x, w, y: program(x, w, y, torch.exp2), *inputs)
    )
    assert "operators-changed" in {change.code for change in case.changes}
    assert owners(case, "kernels") == {"pass-changed": 1}


def test_a_copy_for_a_call_that_only_one_side_has_costs_what_makes_that_call() -> None:
    """A kernel reads every second row of what is joined; `addmm` is given a copy of these."""

    def program(x: Tensor, w: Tensor, y: Tensor) -> Tensor:
        return torch.cat([y, y])[::2] + x @ w

    inputs = square(), square(), square()
    old = captured(program, *inputs, pattern_matcher=False)
    case = compared(old, captured(program, *inputs))
    (made,) = owners(case, "bytes_accessed")
    assert made == "pass-changed"


def test_what_other_kernels_read_again_is_told_apart_from_what_differs_beside_it() -> (
    None
):
    """Two kernels in the place of one make the same of a value; two more make what only one side makes of it."""

    def program(
        x: Tensor, other: Callable[[Tensor], Tensor]
    ) -> tuple[Tensor, Tensor, Tensor]:
        return x.sum(1), (x * 2).amax(1), other(x).sum(1)

    def above_least(x: Tensor) -> Tensor:
        return x - x.amin(1, keepdim=True)

    old = captured(lambda x: program(x, torch.exp), square())
    new = captured(lambda x: program(x, above_least), square(), **SMALL_KERNELS)
    parts = owners(compared(old, new), "bytes_accessed")
    assert parts["fusion-lost"] == 16384


def test_what_two_steps_of_a_reduction_read_costs_what_one_of_them_is_fused_by() -> (
    None
):
    """Both steps compute the same nodes, beside another change."""

    def program(
        x: Tensor, y: Tensor, other: Callable[[Tensor], Tensor]
    ) -> tuple[Tensor, Tensor, Tensor]:
        z = x.exp() * 2
        return z, (z * z).mean(), other(y).sum(1)

    inputs = torch.randn(384, 512), square()
    old = captured(lambda x, y: program(x, y, torch.exp), *inputs, **SMALL_KERNELS)
    new = captured(lambda x, y: program(x, y, torch.exp2), *inputs)
    # What they read, and what the second one reads of the first.
    assert owners(compared(old, new), "bytes_accessed") == {"fused": -786432 - 8}


def test_what_is_written_for_a_kernel_that_differs_follows_from_that() -> None:
    """Random numbers are in the kernel of what is computed of them, but in none that reduces them."""

    def program(x: Tensor, other: Callable[[Tensor], Tensor]) -> Tensor:
        return other(x + torch.rand_like(x))

    def greatest(x: Tensor) -> Tensor:
        return x.amax(1)

    old = capture(lambda x: program(x, greatest), square(), target="cpu-avx2")
    new = capture(lambda x: program(x, torch.exp), square(), target="cpu-avx2")
    (differences,) = value_differences(with_evidence(old, new)).values()
    shown = {each.shown for each in differences.nbytes if each.amount}
    assert shown == {"nodes"}


def test_what_is_fused_in_another_ones_place_costs_what_is_no_longer_there() -> None:
    """A kernel of at most two operations has room for another, as one that was in it reads other values now."""

    def program(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x.sin(), x.cos(), x.exp()

    def changed(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return x.sin(), y.cos() + y, x.exp()

    inputs = square(), square()
    old = captured(program, *inputs, max_fusion_size=2)
    both = with_evidence(old, captured(changed, *inputs, max_fusion_size=2))
    (differences,) = value_differences(both).values()
    (regrouped,) = (each for each in differences.nbytes if each.shown == "grouped")
    called = OperatorsChanged("operators-changed", (("torch.cos", 2),), ())
    found = CaseChanges((distinct("dynamo_graph", called),))
    owner = CostOwners(both, found).of_value(regrouped)
    assert not owner.guessed


def test_of_a_graph_that_is_not_split_what_passes_do_first_has_its_cost_too() -> None:
    """A product is gone from the joint graph, which inference does not have, beside a sum that a library computes."""

    def program(
        x: Tensor, w: Tensor, y: Tensor, factor: float
    ) -> tuple[Tensor, Tensor]:
        return y + x @ w, (x * factor).sin()

    inputs = square(), square(), square()
    old = captured(lambda x, w, y: program(x, w, y, 2), *inputs, pattern_matcher=False)
    both = with_evidence(old, captured(lambda x, w, y: (y + x @ w, x.sin()), *inputs))
    removed = PassChanged("joint", "fold", removed=(("aten.mul", 1),))
    called = PassChanged(
        "post_grad",
        "pass_pattern_2",
        made=(("aten.addmm", 1),),
        removed=(("aten.add", 1), ("aten.mm", 1)),
    )
    changes = distinct("joint_graph", removed), distinct("post_grad_graph", called)
    found = CostOwners(both, CaseChanges(changes))
    parts = Counter[str]()
    for owner, flops in found.differences("flops", ""):
        parts[owner.key] += int(flops)
    assert parts == {change.key: -4096 for change in changes}


def test_each_of_two_lost_fusions_has_its_own_cost() -> None:
    """Both have the same operators in what reads their inputs twice; which operations do is another matter."""

    def product(a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        c = a * b
        return c.sum(1), (c * 2).amax(1)

    def sine(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        z = (x * y + 1).sin()
        return z.sum(1), (z * 2).amax(1)

    def both(
        a: Tensor, b: Tensor, x: Tensor, y: Tensor
    ) -> tuple[tuple[Tensor, Tensor], tuple[Tensor, Tensor]]:
        return product(a, b), sine(x, y)

    large = torch.randn(128, 256), torch.randn(128, 256)
    small = square(), square()
    parts = []
    for function, inputs in (
        (product, small),
        (sine, large),
        (both, (*small, *large)),
    ):
        case = compared(
            captured(function, *inputs), captured(function, *inputs, **SMALL_KERNELS)
        )
        (metric,) = (
            metric for metric in case.metrics if metric.name == "bytes_accessed"
        )
        parts.append({part.change: part.amount for part in metric.parts})
    assert len(parts[0]) == len(parts[1]) == 1 and parts[2] == parts[0] | parts[1]


def test_what_only_returns_its_operand_is_the_same_value() -> None:
    def program(x: Tensor, w: Tensor, factor: int | None) -> tuple[Tensor, Tensor]:
        y = (x @ w).sin()
        z = y if factor is None else y * factor
        return z, z.sum(0)

    inputs = square(), square()
    old, new, other = (
        captured(lambda x, w, factor=factor: program(x, w, factor), *inputs)
        for factor in (1, None, 2)
    )
    (alike,) = value_differences(with_evidence(old, new)).values()
    assert not any(each.amount for each in alike.nbytes)
    # It is computed, all the same.
    assert any(each.amount for each in alike.flops)
    (unlike,) = value_differences(with_evidence(old, other)).values()
    assert any(each.amount for each in unlike.nbytes)


def test_what_only_returns_its_operand_is_near_to_nothing_beside_what_differs() -> None:
    def old(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        z = (x.exp() + y).sin()
        return z.sum(1), z.amax(1)

    def new(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        z = (x.exp2() * 1 + y).sin()
        return z.sum(1), z.amax(1)

    inputs = square(), square()
    sides = captured(old, *inputs), captured(new, *inputs, **SMALL_KERNELS)
    (found,) = value_differences(with_evidence(*sides)).values()
    near = {name for moved in found.nbytes if moved.amount for name in moved.near}
    assert "exp2" in near and "mul" not in near
