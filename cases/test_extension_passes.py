"""Custom passes: one in each of Inductor's slots for them, what they must not do, and custom patterns."""

from typing import Any

import pytest
import torch
from torch import Tensor
from torch._inductor.pattern_matcher import (
    Arg,
    CallFunction,
    Match,
    PatternMatcherPass,
    fwd_only,
    joint_fwd_bwd,
    register_graph_pattern,
    register_replacement,
)

from pytest_compile_golden.errors import CaptureFailed
from pytest_compile_golden.typing import CompileStages, Golden

# An FX pass does the same on every target.
pytestmark = pytest.mark.compile_golden(target="cpu-avx2")

aten = torch.ops.aten


def wave(x: Tensor) -> Tensor:
    return (x.sin() + 1).relu()


def sin_to_cos(graph: torch.fx.Graph) -> None:
    """Works on both forms of a graph, before and after autograd."""
    for node in graph.nodes:
        if node.target == "sin":
            node.target = "cos"
        elif node.target is aten.sin.default:
            node.target = aten.cos.default


SLOTS = {
    "pre_grad_custom_pass": "pre_grad_graph",
    "joint_custom_pre_pass": "joint_graph",
    "joint_custom_post_pass": "joint_graph",
    "post_grad_custom_pre_pass": "post_grad_graph",
    "post_grad_custom_post_pass": "post_grad_graph",
}


@pytest.mark.parametrize("slot", SLOTS)
def test_slot(slot: str, compile_stages: CompileStages, golden: Golden) -> None:
    """The ledger lists the pass under its slot and name, and later stages see its changes."""
    x = torch.randn(64, requires_grad=True)
    captured = compile_stages(wave, x, train=True, config={slot: sin_to_cos})
    assert captured["passes"].changed(f"{slot} / sin_to_cos")
    assert captured[SLOTS[slot]] == golden


def test_pass_before_autograd_changes_the_gradient(compile_stages: CompileStages) -> None:
    """A pre-grad pass is differentiated through; a post-grad pass on the forward graph is not."""
    x = torch.randn(64, requires_grad=True)
    before, after = (
        compile_stages(wave, x, train=True, config={slot: sin_to_cos})
        for slot in ("pre_grad_custom_pass", "post_grad_custom_post_pass")
    )
    assert before["backward_graph"].has("aten.sin")
    assert not after["backward_graph"].has("aten.sin")


def raises(graph: torch.fx.Graph) -> None:
    raise ValueError("a pass of the user's")


def test_pass_that_fails(compile_stages: CompileStages) -> None:
    """An error in a pass is reported as the compile error."""
    with pytest.raises(CaptureFailed, match="a pass of the user's"):
        compile_stages(wave, torch.randn(64), config={"post_grad_custom_pre_pass": raises})


def out_of_order(graph: torch.fx.Graph) -> None:
    """Moves an operation before its input."""
    (sin,) = graph.find_nodes(op="call_function", target=aten.sin.default)
    (add,) = graph.find_nodes(op="call_function", target=aten.add.Tensor)
    sin.prepend(add)


def test_pass_that_leaves_no_order(compile_stages: CompileStages, golden: Golden) -> None:
    """torch sorts the graph after custom passes."""
    captured = compile_stages(wave, torch.randn(64), config={"post_grad_custom_pre_pass": out_of_order})
    assert captured["passes"].changed("post_grad_custom_pre_pass / out_of_order")
    assert captured["passes"].changed("stable_sort")
    assert captured["post_grad_graph"] == golden


def reversed_order(nodes: list[Any]) -> list[Any]:
    """A pass over the scheduler's nodes, all of which must be returned."""
    return list(reversed(nodes))


@pytest.mark.parametrize("slot", ["_pre_fusion_custom_pass", "_post_fusion_custom_pass"])
def test_scheduler_slot(slot: str, compile_stages: CompileStages, golden: Golden) -> None:
    captured = compile_stages(
        lambda x, y: (x.sin(), y.cos().sum(-1)), torch.randn(64), torch.randn(8, 4), config={slot: reversed_order}
    )
    assert captured["passes"].changed(f"{slot} / reversed_order")
    assert captured["scheduler_nodes"] == golden


# Patterns


def gelu_by_hand(x: Tensor) -> Tensor:
    return x * 0.5 * (1.0 + torch.erf(x * 0.7071067811865476))


def gelu(x: Tensor) -> Tensor:
    return torch.nn.functional.silu(x)


def example() -> list[Tensor]:
    return [torch.empty(8, 8)]


@pytest.fixture
def matcher() -> PatternMatcherPass:
    return PatternMatcherPass(pass_name="users_patterns")


def apply(matcher: PatternMatcherPass) -> Any:
    def users_pass(graph: torch.fx.Graph) -> None:
        matcher.apply(graph)

    return users_pass


def test_register_replacement(matcher: PatternMatcherPass, compile_stages: CompileStages, golden: Golden) -> None:
    """A function is matched as the graph that it traces to, and replaced with the graph of another function."""
    register_replacement(gelu_by_hand, gelu, example(), fwd_only, matcher)
    captured = compile_stages(
        lambda x: gelu_by_hand(x) + 1, torch.randn(8, 8), config={"post_grad_custom_post_pass": apply(matcher)}
    )
    assert captured["passes"].matches("gelu_by_hand") == 1
    assert captured["post_grad_graph"] == golden


def test_replacement_with_gradient(matcher: PatternMatcherPass, compile_stages: CompileStages, golden: Golden) -> None:
    """A pattern traced with its backward matches in the joint graph, and both halves are replaced."""
    inputs = [torch.empty(8, 8, requires_grad=True)]
    register_replacement(gelu_by_hand, gelu, inputs, joint_fwd_bwd, matcher)
    config = {"joint_custom_pre_pass": apply(matcher)}
    captured = compile_stages(gelu_by_hand, torch.randn(8, 8, requires_grad=True), train=True, config=config)
    assert captured["passes"].matches("gelu_by_hand") == 1
    assert not captured["backward_graph"].has("aten.erf")
    assert captured["joint_graph"] == golden


def test_inference_pattern_in_training(matcher: PatternMatcherPass, compile_stages: CompileStages) -> None:
    """A pattern traced for inference does not match in a joint graph, where backward reads its intermediates."""
    register_replacement(gelu_by_hand, gelu, example(), fwd_only, matcher)
    config = {"joint_custom_pre_pass": apply(matcher)}
    captured = compile_stages(gelu_by_hand, torch.randn(8, 8, requires_grad=True), train=True, config=config)
    assert captured["passes"].matches("gelu_by_hand") == 0


def test_check_of_a_match(matcher: PatternMatcherPass, compile_stages: CompileStages) -> None:
    """A match that `extra_check` rejects is left alone."""
    register_replacement(gelu_by_hand, gelu, example(), fwd_only, matcher, extra_check=lambda match: False)
    captured = compile_stages(gelu_by_hand, torch.randn(8, 8), config={"post_grad_custom_post_pass": apply(matcher)})
    assert captured["passes"].matches("gelu_by_hand") == 0


def test_value_that_is_read_elsewhere(matcher: PatternMatcherPass, compile_stages: CompileStages) -> None:
    """A pattern does not match if its intermediates are read elsewhere."""

    def f(x: Tensor) -> tuple[Tensor, ...]:
        erf = torch.erf(x * 0.7071067811865476)
        return x * 0.5 * (1.0 + erf), erf

    register_replacement(gelu_by_hand, gelu, example(), fwd_only, matcher)
    captured = compile_stages(f, torch.randn(8, 8), config={"post_grad_custom_post_pass": apply(matcher)})
    assert captured["passes"].matches("gelu_by_hand") == 0


def test_register_graph_pattern(matcher: PatternMatcherPass, compile_stages: CompileStages, golden: Golden) -> None:
    """A match handler that edits the graph itself."""

    @register_graph_pattern(CallFunction(aten.relu.default, CallFunction(aten.sin.default, Arg())), pass_dict=matcher)
    def relu_of_sin(match: Match, x: torch.fx.Node) -> None:
        match.replace_by_example(lambda x: x.sin().clamp(min=0.25), [x])

    captured = compile_stages(
        lambda x: x.sin().relu() * 2, torch.randn(8), config={"post_grad_custom_post_pass": apply(matcher)}
    )
    assert captured["passes"].matches("relu_of_sin") == 1
    assert captured["post_grad_graph"] == golden
