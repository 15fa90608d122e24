"""Guards by what it takes to evaluate them: their kind, how deep they look, and which ones run Python."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from pytest_compile_golden import Capture, capture
from pytest_compile_golden.formats.guard_tree import GUARD_TREE
from pytest_compile_golden.messages.sentences import sentence


class Deep(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.options = {"factors": [1, 2]}

    def forward(self, x: Tensor) -> Tensor:
        return x * self.options["factors"][1]


def added(target: str = "cuda-sm90", **options: Any) -> Capture:
    return capture(
        torch.add, torch.randn(4, 8), torch.randn(4, 8), target=target, **options
    )


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_each_guard_says_what_it_reads_and_for_which_line(target: str) -> None:
    tree = capture(Deep(), torch.randn(4), target=target)["guard_tree"]
    (equal,) = [check for check in tree.checks if check.kind == "EQUALS_MATCH"]
    assert equal.reads == "L['self'].options['factors'][1]"
    assert not equal.python and equal.depth == tree.depth == 5
    assert equal.comment.startswith('forward: return x * self.options["factors"][1]')
    (state,) = [check for check in tree.checks if check.kind == "GLOBAL_STATE"]
    assert state.comment == "by torch/_dynamo/output_graph.py: init_ambient_guards"


@pytest.mark.parametrize("target", ["cuda-sm90", "cpu-avx2"])
def test_guards_that_become_python_are_a_regression_of_one_metric(target: str) -> None:
    cpp = added(
        target, dynamic=True, config={"dynamo.enable_cpp_symbolic_shape_guards": True}
    )
    python = added(target, dynamic=True)
    assert python.metrics.python_guards == cpp.metrics.python_guards + 1
    assert [each.kind for each in python["guard_tree"].python] == [
        "LAMBDA_GUARD",
        "LAMBDA_GUARD",
    ]
    labels = [
        sentence(edit)
        for edit in GUARD_TREE.edits(str(cpp["guard_tree"]), str(python["guard_tree"]))
    ]
    assert "guard gone: SYMBOLIC_SHAPE_GUARD in C++" in labels
    assert "new guard: LAMBDA_GUARD in Python" in labels


def test_a_value_that_is_guarded_differently_is_described_in_words() -> None:
    text = str(added()["guard_tree"])
    slower = text.replace(" TENSOR_MATCH L[", " python LAMBDA_GUARD L[", 1)
    (edit,) = GUARD_TREE.edits(text, slower)
    assert sentence(edit) == "guard TENSOR_MATCH in C++ is LAMBDA_GUARD in Python"
    assert GUARD_TREE.canonical(text) != GUARD_TREE.canonical(slower)
    assert GUARD_TREE.canonical(text) == GUARD_TREE.canonical(
        text.replace("# by torch", "# by another torch version")
    )


def test_a_frame_that_is_compiled_twice_has_both_trees() -> None:
    captured = capture(torch.sin, calls=[(torch.randn(n),) for n in (3, 4)])
    assert [len(frame.checks) > 3 for frame in captured["guard_tree"].frames] == [
        True,
        True,
    ]
    assert captured.metrics.guards == len(captured["guard_tree"].checks)
