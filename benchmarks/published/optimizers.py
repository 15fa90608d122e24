"""Optimizer steps: kernels with and without foreach."""

from __future__ import annotations

from typing import Any

import torch
from torch import optim

from benchmarks.published.expectation import Program, Source

compiled = Source("test/inductor/test_compiled_optimizers.py")
ALL = (
    optim.Adam,
    optim.AdamW,
    optim.NAdam,
    optim.Rprop,
    optim.RMSprop,
    optim.Adadelta,
    optim.Adagrad,
    optim.SGD,
    optim.ASGD,
    optim.RAdam,
    optim.Adamax,
)


def step(kind: type[optim.Optimizer], **options: Any) -> Program:
    def program() -> tuple[Any, ...]:
        model = torch.nn.Sequential(*(torch.nn.Linear(10, 10) for _ in range(2)))
        for parameter in model.parameters():
            parameter.grad = torch.rand_like(parameter)
        optimizer = kind(model.parameters(), **options)
        # Like the test: the step beneath its wrappers, which break the graph on purpose (torch/optim/optimizer.py).
        inner = (
            type(optimizer).step.__wrapped__.__wrapped__
            if hasattr(kind.step, "__wrapped__")
            else kind.step
        )

        def fn() -> None:
            inner(optimizer)

        return (fn,)

    return program


for kind in ALL:
    compiled(
        f"{kind.__name__}, foreach",
        f"CompiledOptimizerTests.test_{kind.__name__.lower()}_foreach_cuda",
        step(kind, foreach=True, lr=0.01),
        generated_kernel_count=1 if kind is optim.SGD else 2,
    )
    compiled(
        f"{kind.__name__}, one by one",
        f"CompiledOptimizerTests.test_{kind.__name__.lower()}_cuda",
        step(kind, foreach=False, lr=0.01),
        generated_kernel_count=4 if kind is optim.SGD else 8,
    )
