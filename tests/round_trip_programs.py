"""Programs for tests/test_round_trip.py, imported by other processes. All are library calls: nothing is built."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, fx
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch.utils.checkpoint import checkpoint

X = torch.ones(16, 16)


class Named(CustomGraphPass):
    def __call__(self, graph: fx.Graph) -> None:
        pass

    def uuid(self) -> str:
        return "no change"


def unnamed(graph: fx.Graph) -> None:
    pass


def product() -> Any:
    return lambda x: x @ x, (X,)


def with_other_config() -> Any:
    return *product(), {"config": {"max_fusion_size": 7}}


def with_other_source() -> Any:
    def f(x: Tensor) -> Tensor:
        return x @ x @ x

    return f, (X,)


def training() -> Any:
    weight = torch.ones(16, 16, requires_grad=True)
    return lambda x, weight: x @ weight, (X, weight), {"train": True}


def training_with_named_pass() -> Any:
    fn, inputs, options = training()
    return fn, inputs, {**options, "config": {"post_grad_custom_pre_pass": Named()}}


def with_unnamed_pass() -> Any:
    return *product(), {"config": {"post_grad_custom_pre_pass": unnamed}}


def failing() -> Any:
    raise RuntimeError("no such model")


FACTORS = [2]


@torch._dynamo.allow_in_graph
def opaque(x: Tensor) -> Tensor:
    return x @ x if FACTORS[0] == 2 else x @ x @ x


def checkpointed() -> Any:
    return lambda x: checkpoint(opaque, x, use_reentrant=False) @ x, (X,)


def checkpointed_otherwise() -> Any:
    FACTORS[0] = 3
    return checkpointed()
