"""Programs written differently compute the same, and each identity finds what it is about."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from labs.identities.rewrites import ALL, Identity

IDENTITIES = {identity.name: identity for identity in ALL}


def written(
    identity: Identity, fn: Callable[..., Any], *inputs: torch.Tensor
) -> tuple[torch.Tensor, str]:
    """What the rewritten program computes, and its code."""
    code = []

    def backend(graph: torch.fx.GraphModule, _: object) -> Callable[..., Any]:
        identity(graph.graph)
        graph.graph.lint()
        graph.recompile()
        code.append(graph.code)
        return graph.forward

    torch._dynamo.reset()
    return torch.compile(fn, backend=backend)(*inputs), code[0]


X, Y = torch.randn(4, 6), torch.randn(4, 6)
PROGRAMS: dict[str, tuple[Callable[..., Any], str]] = {
    "a + b as b + a": (lambda x, y: x.sin().add(y) + x, "l_x_ + add"),
    "a * b as b * a": (lambda x, y: x.sin() * y, "l_y_ * sin"),
    "x / c as x * (1/c)": (lambda x, y: x / 8 + y.div(4.0), "* 0.125"),
    "x * c as x / (1/c)": (lambda x, y: x * 0.5 + y, "/ 2.0"),
    "(q @ k) / c as (q / c) @ k": (lambda x, y: (x @ y.mT) / 8, "l_x_ / 8"),
    "transpose as permute": (
        lambda x, y: x.transpose(0, -1) @ y,
        "permute(l_x_, (1, 0))",
    ),
    "view as reshape": (
        lambda x, y: x.view(-1) + y.reshape(-1) + y.view(torch.int32).view(24),
        ".reshape(-1)",
    ),
}


@pytest.mark.parametrize("name", IDENTITIES)
def test_an_identity_computes_the_same(name: str) -> None:
    fn, part = PROGRAMS[name]
    result, code = written(IDENTITIES[name], fn, X, Y)
    torch.testing.assert_close(result, fn(X, Y))
    assert part in code, code


@pytest.mark.parametrize("name", IDENTITIES)
def test_what_is_not_of_its_form_stays(name: str) -> None:
    def fn(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        number = x.shape[0] * 2 + 1
        return torch.add(x, y, alpha=2).cos() ** number

    result, code = written(IDENTITIES[name], fn, X, Y)
    torch.testing.assert_close(result, fn(X, Y))
    assert "alpha = 2" in code and "**" in code
