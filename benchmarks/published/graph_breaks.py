"""Graph breaks that Dynamo's tests count."""

from __future__ import annotations

from torch import Tensor, randn

from benchmarks.published.expectation import Source

logs = Source("test/dynamo/test_reorder_logs.py")


def with_print(x: Tensor) -> Tensor:
    x = x + x
    print("between", end="\r")
    return x * x


logs(
    "a print",
    "ReorderLogsTests.test_dont_reorder_print",
    lambda: (with_print, randn(3, 3)),
    graph_breaks=1,
)
