"""Identities: what a user could have written instead, applied to the graph that Dynamo makes of a program."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch.fx import Graph, Node

Rewrite = Callable[[Node], bool]
"""Rewrites one node in place if it has the identity's form, and says whether it did."""

_ADD = {operator.add, torch.add, "add"}
_MUL = {operator.mul, torch.mul, "mul"}
_DIV = {operator.truediv, torch.div, "div"}
_PRODUCTS = {operator.matmul, torch.matmul, torch.bmm, "matmul", "bmm"}


@dataclass(frozen=True)
class Identity:
    """A way to write the same values differently: a graph pass for `pre_grad_custom_pass`."""

    name: str
    rewrite: Rewrite

    def __call__(self, graph: Graph) -> None:
        for node in [*graph.nodes]:
            if node.op in ("call_function", "call_method"):
                self.rewrite(node)

    def uuid(self) -> str:
        return f"{__name__}: {self.name}"


def _tensor(node: object) -> torch.Tensor | None:
    """The tensor that a node of a Dynamo graph stands for (`example_value`: torch/_dynamo/utils.py)."""
    value = node.meta.get("example_value") if isinstance(node, Node) else None
    return value if isinstance(value, torch.Tensor) else None


def _binary(node: Node, targets: set[Any]) -> bool:
    return (
        node.target in targets
        and len(node.args) == 2
        and not node.kwargs
        and _tensor(node) is not None
    )


def _becomes(node: Node, function: Callable[..., Any], *args: Any) -> bool:
    node.op, node.target, node.args, node.kwargs = "call_function", function, args, {}
    return True


def _commuted(targets: set[Any], function: Callable[..., Any], node: Node) -> bool:
    return _binary(node, targets) and _becomes(
        node, function, node.args[1], node.args[0]
    )


def _constant(node: Node) -> float | None:
    """What it multiplies or divides by, if that is a number that can be divided by, and the values are floats."""
    value, result = node.args[1], _tensor(node)
    plain = isinstance(value, (int, float)) and not isinstance(value, bool) and value
    return (
        float(value)
        if plain and result is not None and result.is_floating_point()
        else None
    )


def _by_reciprocal(targets: set[Any], function: Callable[..., Any], node: Node) -> bool:
    by = _constant(node) if _binary(node, targets) else None
    return by is not None and _becomes(node, function, node.args[0], 1 / by)


def _scaled_first(node: Node) -> bool:
    """`(q @ k) / c` as `(q / c) @ k`."""
    product = (
        node.args[0]
        if _binary(node, _MUL | _DIV) and _constant(node) is not None
        else None
    )
    if (
        not isinstance(product, Node)
        or product.target not in _PRODUCTS
        or len(product.users) > 1
        or product.kwargs
    ):
        return False
    left, right = product.args
    with node.graph.inserting_before(product):
        scaled = node.graph.create_node(node.op, node.target, (left, node.args[1]))
    scaled.meta = dict(left.meta) if isinstance(left, Node) else {}
    _becomes(node, torch.matmul, scaled, right)
    node.graph.erase_node(product)
    return True


def _transpose_as_permute(node: Node) -> bool:
    value = _tensor(node.args[0]) if node.args else None
    if (
        node.target not in {"transpose", torch.transpose}
        or value is None
        or len(node.args) != 3
        or node.kwargs
    ):
        return False
    order = list(range(value.dim()))
    one, other = (int(dim) for dim in node.args[1:])
    order[one], order[other] = order[other], order[one]
    return _becomes(node, torch.permute, node.args[0], tuple(order))


def _view_as_reshape(node: Node) -> bool:
    # view(dtype) is something else.
    if (
        node.op != "call_method"
        or node.target != "view"
        or any(isinstance(arg, torch.dtype) for arg in node.args)
    ):
        return False
    node.target = "reshape"
    return True


ALL = (
    Identity("a + b as b + a", partial(_commuted, _ADD, operator.add)),
    Identity("a * b as b * a", partial(_commuted, _MUL, operator.mul)),
    Identity("x / c as x * (1/c)", partial(_by_reciprocal, _DIV, operator.mul)),
    Identity("x * c as x / (1/c)", partial(_by_reciprocal, _MUL, operator.truediv)),
    Identity("(q @ k) / c as (q / c) @ k", _scaled_first),
    Identity("transpose as permute", _transpose_as_permute),
    Identity("view as reshape", _view_as_reshape),
)
