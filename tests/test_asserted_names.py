"""Asserts on passes, patterns and operators: a name that does not exist is an error, a count says what there was."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch._inductor.compile_fx import compile_fx
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._inductor.pattern_matcher import (
    PatternMatcherPass,
    fwd_only,
    register_replacement,
)

from pytest_compile_golden import Capture, by_torch, capture
from pytest_compile_golden.common.installed_torch import torch_release
from pytest_compile_golden.errors import (
    InvalidOption,
    UnknownName,
    UnknownPass,
    UnsupportedTorch,
)


@pytest.fixture(scope="module")
def captured() -> Capture:
    def program(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
        return (x @ y + bias).relu()

    return capture(
        program,
        torch.randn(8, 8),
        torch.randn(8, 8),
        torch.randn(8),
        target="cuda-sm90",
    )


def of_the_user(graph: torch.fx.Graph) -> None:
    """A pass that this file defines and no compile runs."""


def test_a_name_that_does_not_exist_is_an_error_with_the_nearest(
    captured: Capture,
) -> None:
    passes, graph = captured["passes"], captured["post_grad_graph"]
    wrong = "remove_nop_" + "ops"
    for ask in (passes.ran, passes.changed):
        with pytest.raises(
            UnknownName, match=f"unknown pass '{wrong}'; did you mean 'remove_noop_ops'"
        ):
            ask(wrong)
    with pytest.raises(
        AttributeError,
        match=r"no metric 'kernel'; did you mean 'kernels'.*It has: bytes_accessed",
    ):
        _ = captured.metrics.kernel
    with pytest.raises(
        UnknownName, match=r"unknown pattern 'adddmm_typo'.*missing_ok=True"
    ):
        passes.matches("adddmm_typo")
    with pytest.raises(
        UnknownName,
        match=r"no kernel computes 'rellu'; did you mean 'relu'\? Operators: aten",
    ):
        captured["scheduler_nodes"].fused("rellu", "addmm")
    for counted in (graph.count, graph.has):
        with pytest.raises(
            UnknownName,
            match=r"torch has no operator 'aten\.cloone'; did you mean 'aten\.clone'",
        ):
            counted("aten.cloone")
        with pytest.raises(UnknownName, match="torch has no operator 'clooone'"):
            counted("clooone")


def test_names_that_torch_or_the_user_has_are_answered(captured: Capture) -> None:
    passes, graph = captured["passes"], captured["post_grad_graph"]
    assert not passes.ran("of_the_user") and not passes.ran(
        "post_grad_custom_post_pass / of_the_user"
    )
    assert not passes.changed("decompose_mem_bound_mm") and passes.ran(
        "remove_noop_ops"
    )
    assert (
        passes.matches("mul_softmax_pattern") == 0
        and passes.matches("of_the_user") == 0
    )
    for absent in (
        "aten.clone",
        "aten.clone.default",
        "clone",
        "torch.nn.functional.gelu",
        "cond",
        "prims.iota",
    ):
        assert graph.count(absent) == 0
    assert graph.has("aten.addmm") or graph.has("aten.mm")


class Doubled(CustomGraphPass):
    """Changes the graph; a pass manager calls it, not torch."""

    def __call__(self, graph: torch.fx.Graph) -> None:
        for node in graph.find_nodes(
            op="call_function", target=torch.ops.aten.relu.default
        ):
            node.target = torch.ops.aten.neg.default

    def uuid(self) -> bytes:
        return b"doubled"


class Unused(Doubled):
    """Nothing calls it."""


class Manager(CustomGraphPass):
    """As inference engines have one: torch knows only it."""

    passes = (of_the_user, Doubled())

    def __call__(self, graph: torch.fx.Graph) -> None:
        for each in self.passes:
            each(graph)

    def uuid(self) -> bytes:
        return b"manager"


@pytest.fixture(scope="module")
def managed() -> Capture:
    def idle(graph: torch.fx.Graph) -> None: ...

    config = {
        "post_grad_custom_post_pass": Manager(),
        "post_grad_custom_pre_pass": idle,
    }
    return capture(
        lambda x: x.relu() + 1,
        torch.randn(8),
        target="cpu-avx2",
        config=config,
        watch=["pass_diffs"],
    )


@pytest.mark.parametrize(
    "name",
    ["Manager", "post_grad_custom_post_pass", "post_grad_custom_post_pass / Manager"],
)
def test_a_custom_pass_has_its_own_name_its_slot_and_both(
    managed: Capture, name: str
) -> None:
    passes = managed["passes"]
    assert passes.ran(name) and passes.changed(name)
    assert "aten.neg" in str(managed["pass_diffs"][name])


def test_a_custom_pass_that_changes_nothing_ran(managed: Capture) -> None:
    for name in (
        "idle",
        "post_grad_custom_pre_pass",
        "post_grad_custom_pre_pass / idle",
    ):
        assert managed["passes"].ran(name) and not managed["passes"].changed(name)
    assert not managed["passes"].ran("joint_custom_pre_pass")


def test_a_pass_that_another_may_have_run_is_an_error_that_names_the_other(
    managed: Capture,
) -> None:
    for ask in (managed["passes"].ran, managed["passes"].changed):
        for name in ("Unused", "post_grad_custom_post_pass / Unused"):
            with pytest.raises(
                UnknownPass,
                match=f"no pass '{name}' is in the ledger.*_post_pass / Manager may have",
            ):
                ask(name)
            assert not ask(name, missing_ok=True)


def test_a_pass_that_a_backend_may_have_run_is_an_error(captured: Capture) -> None:
    def own_backend(gm: torch.fx.GraphModule, inputs: list[Tensor]) -> object:
        Doubled()(gm.graph)
        return compile_fx(gm, inputs)

    by_backend = capture(
        lambda x: x.relu() + 1, torch.randn(8), target="cpu-avx2", backend=own_backend
    )
    assert by_backend["passes"].ran("remove_noop_ops") and not captured["passes"].ran(
        "Doubled"
    )
    with pytest.raises(
        UnknownPass,
        match=r"no pass 'Doubled' is in the ledger.* the backend .*own_backend may have run",
    ):
        by_backend["passes"].ran("Doubled")


def test_a_name_of_another_torch_can_be_asked_for(captured: Capture) -> None:
    assert not captured["passes"].ran("no_such_pass_x", missing_ok=True)
    assert captured["passes"].matches("no_such_pattern_x", missing_ok=True) == 0
    assert not captured["post_grad_graph"].has("aten.nosuch", missing_ok=True)


def test_a_count_says_what_there_was(captured: Capture) -> None:
    zero = captured["post_grad_graph"].count("aten.clone")
    assert repr(zero).startswith("0 (there are: aten.") and f"{zero} {zero!s}" == "0 0"
    assert repr(captured["passes"]).startswith("<passes: ")


def test_a_number_says_what_it_counts() -> None:
    def program(x: Tensor) -> Tensor:
        y = x.relu().sum(0)
        print()
        return torch.cumsum(y, 0) @ x.T

    metrics = capture(
        program, torch.randn(64, 64), fullgraph=False, target="cuda-sm90"
    ).metrics
    assert (
        repr(metrics.kernels).startswith("2 (there are: triton_")
        and metrics.kernels == 2
    )
    assert (
        repr(metrics.extern_kernels)
        == "1 (there are: aten.mm.default+aten.permute.default+aten.unsqueeze.default)"
    )
    assert re.fullmatch(
        r"1 \(there are: program: print\(\) at test_asserted_names\.py:\d+\)",
        repr(metrics.graph_breaks),
    )
    assert repr(metrics.recompiles) == "0" and type(metrics.flops) is int
    assert re.search(
        r"^\d+ \(there are: aten\.\S+ reads \d+, writes \d+, ",
        repr(metrics.bytes_accessed),
    )


def test_a_recompilation_says_which_guard_failed() -> None:
    def program(x: Tensor) -> Tensor:
        return x * 2

    calls = [(torch.randn(4, 4),), (torch.randn(5, 4),)]
    metrics = capture(program, calls=calls, dynamic=False, target="cuda-sm90").metrics
    assert re.fullmatch(
        r"1 \(there are: program: .*'x' size mismatch.* expected 4, actual 5\)",
        repr(metrics.recompiles),
    )


def test_what_is_not_a_cuda_graph_says_why() -> None:
    def program(x: Tensor) -> Tensor:
        return (x + 1).cpu() + 1

    captured = capture(
        program, torch.randn(4), mode="reduce-overhead", target="cuda-sm90"
    )
    (why,) = captured["cudagraphs"].skipped or captured["cudagraphs"].launched
    assert "cpu" in why or "device_put" in why
    whole = capture(
        torch.relu, torch.randn(4), mode="reduce-overhead", target="cuda-sm90"
    )
    assert whole["cudagraphs"].skipped == () and whole.metrics.cudagraph_skips == 0


def relu_of_sum(x: Tensor, y: Tensor) -> Tensor:
    return torch.ops.aten.relu.default(torch.ops.aten.add.Tensor(x, y))


def relu_of_product(x: Tensor, y: Tensor) -> Tensor:
    return torch.ops.aten.relu.default(torch.ops.aten.mul.Tensor(x, y))


def tan_of_sum(x: Tensor, y: Tensor) -> Tensor:
    return torch.ops.aten.tan.default(torch.ops.aten.add.Tensor(x, y))


def never_registered(x: Tensor, y: Tensor) -> Tensor:
    return x - y


def test_a_pattern_that_does_not_match_says_how_near_it_came() -> None:
    patterns = PatternMatcherPass(pass_name="mine")
    inputs = [torch.randn(8), torch.randn(8)]
    for search in (relu_of_sum, relu_of_product, tan_of_sum):
        register_replacement(search, torch.add, inputs, fwd_only, patterns)

    class Mine(CustomGraphPass):
        def __call__(self, graph: torch.fx.Graph) -> None:
            patterns.apply(graph)

        def uuid(self) -> bytes:
            return b"mine"

    config = {"post_grad_custom_post_pass": Mine()}
    for _ in range(2):
        captured = capture(
            lambda x, y: torch.relu(x + y), *inputs, config=config, target="cuda-sm90"
        )
        matches = captured["passes"].matches
        assert repr(matches("relu_of_sum")) == "1 (there are: relu_of_sum)"
        assert matches("Mine") == 1, "of the pass that has it"
        assert repr(matches("relu_of_product")) == (
            "0 (there are: relu_of_sum; relu_of_product: tried at 1 of aten.relu.default, the first: "
            "function mismatch, found add (aten.add.Tensor), wanted aten.mul.Tensor)"
        )
        assert repr(matches("tan_of_sum")).endswith(
            "; tan_of_sum: no call of aten.tan.default to start from)"
        )
        assert (
            repr(matches("never_registered"))
            == "0 (there are: relu_of_sum; no pass that ran has it: is yours in config=?)"
        )
        # Of torch's own patterns there are hundreds: only their names are known.
        assert repr(matches("mul_softmax_pattern")) == "0 (there are: relu_of_sum)"


def test_operators_that_are_not_one_kernel_show_where_they_are_and_who_refused() -> (
    None
):
    def program(x: Tensor) -> tuple[Tensor, Tensor]:
        return torch.sigmoid(x).sum(0), torch.exp(x).sum(1)

    groups = capture(program, torch.randn(64, 64), target="cuda-sm90")[
        "scheduler_nodes"
    ]
    assert groups.fused("sigmoid", "sum") == 1
    apart = repr(groups.fused("sigmoid", "exp"))
    assert re.fullmatch(
        r"False \(graph_0 has sigmoid in op0, exp in op1; op0 with op1 was refused by [\w.]+: .+\)",
        apart,
    ), apart

    def broken(x: Tensor) -> Tensor:
        y = torch.sigmoid(x)
        print()
        return torch.exp(y)

    groups = capture(broken, torch.randn(64, 64), fullgraph=False, target="cuda-sm90")[
        "scheduler_nodes"
    ]
    assert (
        repr(groups.fused("sigmoid", "exp"))
        == "False (graph_0 has sigmoid; graph_1 has exp)"
    )


def test_kernels_are_the_same_up_to_names() -> None:
    def captured(
        function: Callable[[Tensor], Tensor], target: str = "cuda-sm90"
    ) -> Capture:
        return capture(function, torch.randn(64, 64), target=target)

    relu = captured(torch.relu)
    assert relu.same_kernels_as(captured(lambda renamed: renamed.relu()))
    other = relu.same_kernels_as(captured(torch.sigmoid))
    assert (
        not other
        and repr(other)
        == "False (here: triton_poi_fused_relu_0; there: triton_poi_fused_sigmoid_0)"
    )
    assert not relu.same_kernels_as(captured(torch.relu, "cpu-avx2"))


def test_what_most_invariants_ask_needs_no_stage() -> None:
    def layer(x: Tensor, w: Tensor) -> Tensor:
        return torch.nn.functional.gelu(torch.nn.functional.rms_norm(x, (64,), w))

    x, w = torch.randn(32, 64), torch.randn(64)
    calls = [(x, w), (torch.randn(96, 64), w)]
    captured = capture(
        layer, calls=calls, dynamic=True, mode="reduce-overhead", target="cuda-sm90"
    )
    assert captured.kernels == 1 and captured.breaks == 0 and captured.recompiles == 0
    assert (
        captured.kernel == captured["triton_code"].kernels[0].source
        and "tl.store" in captured.kernel
    )
    assert captured.bytes <= 2 * x.nbytes + w.nbytes and captured.fused(
        "rms_norm", "gelu"
    )
    assert (
        captured.count("aten.clone") == 0
        and captured.matches("mul_softmax_pattern") == 0
    )
    assert captured.cudagraphs.skipped == [] == captured.cudagraphs.launched
    assert (
        captured["triton_code"].names == [captured["triton_code"].kernels[0].name] != []
    )


def test_a_value_of_its_own_for_each_torch() -> None:
    major, minor = torch_release()
    now, next_one = f"{major}.{minor}", f"{major}.{minor + 1}"
    assert by_torch({next_one: 3, "2.0": 1, now: 2}) == 2
    assert by_torch({"2.0": "kept"}) == "kept"
    with pytest.raises(
        UnsupportedTorch,
        match=rf"no value for torch {now}; there are some from {next_one} on",
    ):
        by_torch({next_one: 3})
    with pytest.raises(
        InvalidOption, match=r"Invalid version: 'newest'\. by_torch takes releases"
    ):
        by_torch({"newest": 3})
