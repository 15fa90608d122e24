"""A program that is compiled with a backward graph on one side alone."""

from __future__ import annotations

import torch
from torch import Tensor

from pytest_compile_golden import capture
from tests.sides import reported


def test_results_that_require_gradients_now_are_told_as_that() -> None:
    """Not as the operators that backward consists of."""

    def program(x: Tensor) -> Tensor:
        return x.sin().tanh()

    inputs = torch.randn(8, 8, requires_grad=True)
    without, with_backward = (
        capture(program, inputs, train=train, target="cuda-sm90")
        for train in (False, True)
    )
    now = reported(without, with_backward).divergence
    no_longer = reported(with_backward, without).divergence
    assert now is not None and no_longer is not None
    assert (
        now.text
        == "a backward graph is compiled, too: results require gradients that did not"
    )
    assert (
        no_longer.text
        == "no backward graph is compiled any more: results no longer require gradients"
    )
