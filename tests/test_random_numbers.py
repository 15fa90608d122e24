"""Random numbers that compiled code draws itself: what is wrong with them is found, and right ones are not blamed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch._inductor.inductor_prims
import torch.nn.functional as F
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from pytest_compile_golden import numerics

prims, aten = torch.ops.prims, torch.ops.aten
GPU = "cuda-sm90"
Change = Callable[[Any, Any], Any]


def planted(operator: Any, change: Change) -> dict[str, Any]:
    """A configuration with a pass that replaces an operator. change: makes the new node of a graph and a node."""

    def passed(graph: Any) -> None:
        for node in graph.find_nodes(op="call_function", target=operator):
            with graph.inserting_after(node):
                new = change(graph, node)
            if new is not node:
                new.meta.update(node.meta)
                node.replace_all_uses_with(
                    new, delete_user_cb=lambda user, new=new: user is not new
                )
        graph.lint()

    return {"post_grad_custom_post_pass": passed}


def with_argument(position: int, value: Any) -> Change:
    def change(graph: Any, node: Any) -> Any:
        args = list(node.args)
        args[position] = value(args[position])
        node.args = tuple(args)
        return node

    return change


def halved(graph: Any, node: Any) -> Any:
    return graph.call_function(aten.mul.Tensor, (node, 0.5))


def in_fours(graph: Any, node: Any) -> Any:
    """Every number is that of the first of four elements."""
    (size,) = node.args[0]
    with graph.inserting_before(node):
        index = graph.call_function(
            prims.iota.default, (size,), {**IOTA, "device": node.meta["val"].device}
        )
    whole = graph.call_function(aten.bitwise_and.Scalar, (index, -4))
    index.meta["val"] = whole.meta["val"] = torch.empty_like(
        node.meta["val"], dtype=torch.int64
    )
    with graph.inserting_after(whole):
        return graph.call_function(aten.index.Tensor, (node, [whole]))


IOTA = {"start": 0, "step": 1, "dtype": torch.int64, "requires_grad": False}
rand, lookup, randint = (
    prims.inductor_random.default,
    prims.inductor_lookup_seed.default,
    prims.inductor_randint.default,
)


def uniform(x: Tensor) -> Tensor:
    return x * torch.rand_like(x)


@pytest.mark.parametrize(
    ("program", "operator", "change", "says"),
    [
        (uniform, rand, halved, "est number: "),
        (uniform, lookup, with_argument(1, lambda index: index), None),
        (uniform, rand, in_fours, "elements apart)"),
        (
            lambda x: (F.dropout(x, 0.5), F.dropout(x, 0.5)),
            lookup,
            with_argument(1, lambda index: 0),
            "output[0] and output[1]",
        ),
        (
            lambda x: torch.randint(0, 10, x.shape, device=x.device),
            randint,
            with_argument(1, lambda high: high + 1),
            "the largest number: 10 to 10",
        ),
        (
            lambda x: x + torch.randn_like(x),
            rand,
            with_argument(2, lambda kind: "rand"),
            "est number: ",
        ),
    ],
    ids=["range", "right", "lanes", "overlap", "bounds", "distribution"],
)
def test_wrong_numbers_are_found(
    program: Any, operator: Any, change: Change, says: str | None
) -> None:
    torch.manual_seed(0)
    found = numerics(
        program, torch.randn(1024), target=GPU, config=planted(operator, change)
    )
    assert bool(found) == (says is None), str(found)
    assert all(
        (each.kind, each.verdict) == ("random", "compiled") for each in found.found
    ), str(found)
    assert says is None or says in str(found), str(found)


def constant(graph: Any, node: Any) -> Any:
    return graph.call_function(
        aten.full.default,
        ([], 7),
        {"dtype": torch.int64, "device": node.meta["val"].device},
    )


def test_seeds_count() -> None:
    found = numerics(
        uniform, torch.randn(1024), target=GPU, config=planted(lookup, constant)
    )
    assert "every call gives the same numbers, with any seed" in str(found)


def in_backward(graph: Any, node: Any) -> Any:
    is_backward = any(
        "tangents" in each.name for each in graph.find_nodes(op="placeholder")
    )
    return constant(graph, node) if is_backward else node


def test_the_mask_of_forward_is_that_of_backward() -> None:
    def recomputed(x: Tensor) -> Tensor:
        return checkpoint(lambda x: F.dropout(x, 0.5).sin(), x, use_reentrant=False)

    torch.manual_seed(0)
    assert (found := numerics(recomputed, torch.randn(256), target=GPU, train=True)), (
        str(found)
    )
    config = planted(lookup, in_backward)
    found = numerics(
        recomputed, torch.randn(256), target=GPU, train=True, config=config
    )
    assert "backward uses other random numbers" in str(found)


def test_four_neighbours_get_four_numbers() -> None:
    """torch 2.13 and 2.14 give one number to four neighbours along an axis with a stride (rand4x)."""

    def masked(x: Tensor) -> Tensor:
        return x.transpose(1, 2) * (torch.rand(2, 512, 64, device=x.device) > 0.5)

    torch.manual_seed(0)
    found = numerics(masked, torch.randn(2, 64, 512), target=GPU)
    by_four = torch.__version__.startswith(("2.13", "2.14"))
    assert bool(found) != by_four, str(found)
    assert not by_four or "1 elements apart" in str(found)


def test_training_on_a_cpu_is_right() -> None:
    torch.manual_seed(0)
    found = numerics(lambda x: F.dropout(x, 0.3), torch.randn(32, 32), train=True)
    assert found and not found.not_compared, str(found)
