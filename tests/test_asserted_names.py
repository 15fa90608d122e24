"""Asserts on passes, patterns and operators: a name that does not exist is an error, a count says what there was."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.errors import UnknownName


@pytest.fixture(scope="module")
def captured() -> Capture:
    def program(x: Tensor, y: Tensor, bias: Tensor) -> Tensor:
        return (x @ y + bias).relu()

    return capture(program, torch.randn(8, 8), torch.randn(8, 8), torch.randn(8), target="cuda-sm90")


def of_the_user(graph: torch.fx.Graph) -> None:
    """A pass that this file defines and no compile runs."""


def test_a_name_that_does_not_exist_is_an_error_with_the_nearest(captured: Capture) -> None:
    passes, graph = captured["passes"], captured["post_grad_graph"]
    wrong = "remove_nop_" + "ops"
    for ask in (passes.ran, passes.changed):
        with pytest.raises(UnknownName, match=f"no pass '{wrong}' is known here; did you mean 'remove_noop_ops'"):
            ask(wrong)
    with pytest.raises(UnknownName, match=r"no pattern 'adddmm_typo' is known here.*missing_ok=True"):
        passes.matches("adddmm_typo")
    for counted in (graph.count, graph.has):
        with pytest.raises(UnknownName, match=r"torch has no operator 'aten\.cloone'; did you mean 'aten\.clone'"):
            counted("aten.cloone")
        with pytest.raises(UnknownName, match="torch has no operator 'clooone'"):
            counted("clooone")


def test_names_that_torch_or_the_user_has_are_answered(captured: Capture) -> None:
    passes, graph = captured["passes"], captured["post_grad_graph"]
    assert not passes.ran("of_the_user") and not passes.ran("post_grad_custom_post_pass / of_the_user")
    assert not passes.changed("decompose_mem_bound_mm") and passes.ran("remove_noop_ops")
    assert passes.matches("mul_softmax_pattern") == 0 and passes.matches("of_the_user") == 0
    for absent in ("aten.clone", "aten.clone.default", "clone", "torch.nn.functional.gelu", "cond", "prims.iota"):
        assert graph.count(absent) == 0
    assert graph.has("aten.addmm") or graph.has("aten.mm")


def test_a_name_of_another_torch_can_be_asked_for(captured: Capture) -> None:
    assert not captured["passes"].ran("no_such_pass_x", missing_ok=True)
    assert captured["passes"].matches("no_such_pattern_x", missing_ok=True) == 0
    assert not captured["post_grad_graph"].has("aten.nosuch", missing_ok=True)


def test_a_count_says_what_there_was(captured: Capture) -> None:
    zero = captured["post_grad_graph"].count("aten.clone")
    assert repr(zero).startswith("0 (there are: aten.") and f"{zero} {zero!s}" == "0 0"
    assert repr(captured["passes"]).startswith("<passes: ")
