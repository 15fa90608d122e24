"""Graphs, breaks and recompiles that Dynamo's tests count."""

from __future__ import annotations

import torch
from torch import randn

from benchmarks.published.expectation import Source

misc = Source("test/dynamo/test_misc.py")
dynamic = Source("test/dynamo/test_dynamic_shapes.py")


def with_print(x):
    y = x + 1
    torch._dynamo.graph_break()
    return y * 2


def with_two_breaks(x):
    for _ in range(2):
        x = x.sin()
        torch._dynamo.graph_break()
    return x.cos()


misc("one explicit break", "MiscTests.test_graph_break", lambda: (with_print, randn(10)), graphs=2, graph_breaks=1)
misc("two explicit breaks", "MiscTests.test_graph_break", lambda: (with_two_breaks, randn(10)), graphs=3, graph_breaks=2)
