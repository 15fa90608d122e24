"""Numbers that PyTorch asserts in its own GPU tests, out of a capture for an H100 that is not there."""

from __future__ import annotations

import pytest
import torch

from benchmarks.published.__main__ import measure
from benchmarks.published.expectation import Expectation, meets
from benchmarks.published.table import expectations

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
    assert {key: meets(measured[key], wanted) for key, wanted in expectation.metrics.items()} == dict.fromkeys(
        expectation.metrics, True
    ), f"{expectation.source} asserts {dict(expectation.metrics)}, measured {measured}"


def test_names_are_unique_within_a_release() -> None:
    names = [(each.source.partition("::")[0], each.name) for each in expectations() if each.holds_for(RELEASE)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("measured", "expected", "met"),
    [(3, 3, True), (3, 4, False), (3, "<= 3", True), (3, "< 3", False), (3, "> 2", True), (96, "100 +- 5", True)],
)
def test_bounds(measured: int, expected: int | str, met: bool) -> None:
    assert meets(measured, expected) is met
    with pytest.raises(ValueError, match="no bound"):
        meets(measured, "about three")
