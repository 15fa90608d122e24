"""All expectations, in the order of PyTorch's test files."""

from __future__ import annotations

from benchmarks.published.expectation import EXPECTATIONS, Expectation


def expectations() -> tuple[Expectation, ...]:
    """Every expectation. Imports torch, because their programs do."""
    from benchmarks.published import (  # noqa: F401
        attention,
        batch_fusion,
        bytes_accessed,
        combo_kernels,
        foreach,
        graph_breaks,
        loop_ordering,
        mixed_reductions,
        optimizers,
        partitioning,
        patterns,
        reinplacing,
        scatter,
        various,
    )

    return tuple(EXPECTATIONS)
