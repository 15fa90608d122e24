"""Numbers that PyTorch asserts in its own GPU tests, captured for an H100 without needing one."""

from __future__ import annotations

import pytest
import torch

from benchmarks.published.__main__ import measure
from benchmarks.published.expectation import Expectation, meets
from benchmarks.published.table import expectations
from pytest_compile_golden import capture

RELEASE = torch.__version__.partition("+")[0]
CHOSEN = (
    "pointwise around a matmul",
    "cat that is partly pointwise",
    "cat of many cheap",
    "layer norm",
    "no inputs",
    "mutations of two inputs",
    "two-level reduction after layer norm, keepdim=True",
    "materialize the smaller",
    "clone that is returned",
    "one sum saved",
    "a saved view",
    "a chain of residual matmuls",
    "scatter into an intermediate",
    "custom operator on two caches",
    "Triton kernel in training",
    "backward of cross entropy",
    "fp8 casts of both layouts",
    "outer softmax",
    "backward of RMS norm, dynamic",
    "coordinate descent",
    "add of a duplicate",
    "tiles of two heights",
    "Adam, foreach",
    "Adagrad, one by one",
    "a large and a small one, benchmarked",
    "sum of matmuls ((1, 4), (4, 2), (1, 2), (2, 1))",
    "cat and split",
    "padded matmul",
    "5: masked, train=True",
    "pointwise fused into flex attention",
    "linears of slices, bias=True",
    "index_put in place",
    "pointwise and reduction of an unbacked size",
    "a print",
)
BY_NAME = {each.name: each for each in expectations() if each.holds_for(RELEASE)}


@pytest.mark.parametrize("name", CHOSEN)
def test_number_of_a_pytorch_test(name: str) -> None:
    expectation: Expectation = BY_NAME[name]
    measured = measure(expectation, "cuda-sm90")
    assert {
        key: meets(measured[key], wanted) for key, wanted in expectation.metrics.items()
    } == dict.fromkeys(expectation.metrics, True), (
        f"{expectation.source} asserts {dict(expectation.metrics)}, measured {measured}"
    )


def test_names_are_unique_within_a_release() -> None:
    names = [
        (expectation.source.partition("::")[0], expectation.name)
        for expectation in expectations()
        if expectation.holds_for(RELEASE)
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("measured", "expected", "met"),
    [
        (3, 3, True),
        (3, 4, False),
        (3, "<= 3", True),
        (3, "< 3", False),
        (3, "> 2", True),
        (96, "100 +- 5", True),
    ],
)
def test_bounds(measured: int, expected: int | str, met: bool) -> None:
    assert meets(measured, expected) is met
    with pytest.raises(ValueError, match="not a bound"):
        meets(measured, "about three")


def test_a_whole_closure_is_placed() -> None:
    """Ordinary CPU tensors behind helpers, in lists and in an optimizer: what they share stays shared."""
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scales = [torch.ones(4)]

    def scaled(x: torch.Tensor) -> torch.Tensor:
        return model(x) * scales[0]

    def fn(x: torch.Tensor) -> torch.Tensor:
        return (
            scaled(x)
            if model.weight is optimizer.param_groups[0]["params"][0]
            else x + 1
        )

    captured = capture(fn, torch.ones(2, 4), target="cuda-sm90", fullgraph=True)
    assert captured["post_grad_graph"].count("aten.mm") == 1
    assert model.weight.device.type == scales[0].device.type == "cpu"


def test_parameters_in_a_plain_list_are_placed() -> None:
    class Listed(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.ones(4))
            self.others = [torch.nn.Parameter(torch.ones(4))]

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x * self.weight * self.others[0]

    assert capture(Listed(), torch.ones(2, 4), target="cuda-sm90").metrics.kernels == 1
