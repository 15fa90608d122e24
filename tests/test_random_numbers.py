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


def elsewhere(graph: Any, node: Any, operator: Any, number: int) -> Any:
    """The numbers of a node, each from the element that an operator makes of its index and this number."""
    (size,) = node.args[0]
    with graph.inserting_before(node):
        index = graph.call_function(
            prims.iota.default, (size,), {**IOTA, "device": node.meta["val"].device}
        )
    place = graph.call_function(operator, (index, number))
    index.meta["val"] = place.meta["val"] = torch.empty_like(
        node.meta["val"], dtype=torch.int64
    )
    with graph.inserting_after(place):
        return graph.call_function(aten.index.Tensor, (node, [place]))


def in_fours(graph: Any, node: Any) -> Any:
    """Every number is that of the first of four elements."""
    return elsewhere(graph, node, aten.bitwise_and.Scalar, -4)


def of_the_first(graph: Any, node: Any) -> Any:
    """The second draw has the numbers of the first, in pairs that have changed places."""
    first, *_ = graph.find_nodes(op="call_function", target=rand)
    if node is first:
        return node
    node.args = (node.args[0], first.args[1], node.args[2])
    return elsewhere(graph, node, aten.bitwise_xor.Scalar, 1)


def one_of_four(graph: Any, node: Any) -> Any:
    """A seed of which only the last two bits count."""
    return graph.call_function(aten.bitwise_and.Scalar, (node, 3))


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
            lambda x: (torch.rand_like(x), torch.rand_like(x)),
            rand,
            of_the_first,
            "output[0] and output[1]",
        ),
        (uniform, lookup, one_of_four, "calls with different seeds give the same"),
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
    ids=[
        "range",
        "right",
        "lanes",
        "overlap",
        "overlap in another order",
        "few seeds",
        "bounds",
        "distribution",
    ],
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
    # No kernel is to blame for numbers that it is given.
    assert not found.findings, str(found)


def test_a_failure_with_its_own_numbers_is_one() -> None:
    """Only without `fallback_random`, as a program is compiled by default."""

    def fails(graph: Any, node: Any) -> Any:
        raise ValueError("no random numbers")

    found = numerics(
        uniform, torch.randn(64), target=GPU, config=planted(lookup, fails)
    )
    assert not found
    assert found.first is not None and found.first.kind == "refusal"
    assert "compiled raises ValueError: no random numbers" in str(found)


def test_its_own_numbers_have_the_dtype_of_eager() -> None:
    """torch 2.13 draws from a normal distribution with parameters of two dtypes in the wider one."""

    def widened(graph: Any, node: Any) -> Any:
        wide = graph.call_function(
            prims.convert_element_type.default, (node, torch.float64)
        )
        wide.meta["val"] = node.meta["val"].double()
        return wide

    config = planted(rand, widened)
    found = numerics(torch.rand_like, torch.randn(64), target=GPU, config=config)
    assert found.first is not None
    assert (found.first.kind, found.first.verdict) == ("dtype", "compiled")
    assert "compiled has dtype torch.float64, eager torch.float32" in str(found)


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
