"""Passes, patterns, operators and lowerings as users write them, for `test_eject.py`."""

from __future__ import annotations

import functools
import logging
import re
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass, get_hash_for_files
from torch._inductor.lowering import lowerings, register_lowering
from torch._inductor.pattern_matcher import (
    CallFunction,
    KeywordArg,
    Match,
    PatternMatcherPass,
    fwd_only,
    register_graph_pattern,
    register_replacement,
)

import tests.users_helpers as helpers
from tests import users_helpers
from tests.users_helpers import Pass, after

if TYPE_CHECKING:
    from torch.fx import Graph

aten = torch.ops.aten
LIMIT = 6.0  # not the same as the helpers'
log = logging.getLogger(__name__)
lock = threading.Lock()
pattern = re.compile(r"^re.u$")  # the script has its own patterns
diff = {aten.relu.default: "relu"}  # and a function of this name


@dataclass(frozen=True)
class Limits:
    upper: float = LIMIT
    names: frozenset[str] = field(default_factory=frozenset)

    @property
    def lower(self) -> float:
        return helpers.LIMIT - self.upper


class Clamp(Pass, CustomGraphPass):
    """Has a base class, a dataclass and a uuid, as torch recommends."""

    operator = aten.relu.default

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.seen: Counter[str] = Counter()

    def arguments(self):
        return aten.clamp_max.default, Limits(self.limits.upper + 1).upper

    def uuid(self) -> bytes:
        return get_hash_for_files((__file__,))


@functools.lru_cache
def is_relu(target: object) -> bool:
    return target in diff and bool(pattern.match(diff[target]))


def reads_its_module(graph: Graph) -> None:
    with lock:
        log.info("begins")
        for node in graph.nodes:
            if is_relu(node.target):
                helpers.limited(graph, node)
                users_helpers.after(graph, node, aten.clamp_min.default, LIMIT)


def limit_to(limit, then=None):
    def limited(graph):
        for node in graph.find_nodes(op="call_function", target=aten.relu.default):
            after(graph, node, aten.clamp_max.default, limit)
        if then is not None:
            then(graph)

    limited.__name__ = f"limited_to_{limit}"
    return limited


limits = limit_to(1.5, then=limit_to(2.5))


def scaled(graph, by):
    """An entry of a table in which it looks itself up."""
    assert TABLE["scaled"] is scaled
    for node in graph.find_nodes(op="call_function", target=aten.relu.default):
        after(graph, node, aten.mul.Tensor, by)


TABLE = {"scaled": scaled}
own = PatternMatcherPass(pass_name="own")


@register_graph_pattern(
    CallFunction(aten.relu.default, CallFunction(aten.sin.default, KeywordArg("x"))),
    pass_dict=own,
)
def cos_for_relu_of_sin(match: Match, x: torch.fx.Node) -> None:
    match.replace_by_example(lambda x: x.cos(), [x])


@torch.library.custom_op("users::quarter", mutates_args=())
def quarter(x: torch.Tensor) -> torch.Tensor:
    """Only in a replacement, not in the program."""
    return x / 4


@quarter.register_fake
def _(x):
    return like(x)


def half(x):
    return x * 0.5


def divided(x):
    return x / 2


def third(x):
    return x * 0.25


def quartered(x):
    return torch.ops.users.quarter(x)


def is_large(match: Match) -> bool:
    return match.kwargs["x"].meta["val"].numel() > helpers.LIMIT


for search, replacement in ((half, divided), (third, quartered)):
    register_replacement(
        search, replacement, [torch.empty(4)], fwd_only, own, extra_check=is_large
    )


def with_own_patterns(graph: Graph) -> None:
    own.apply(graph)


@torch.library.custom_op("users::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2


@torch.library.custom_op("users::clipped", mutates_args=())
def clipped(x: torch.Tensor, limit: float) -> torch.Tensor:
    return x.clamp(max=limit)


@twice.register_fake
def _(x):
    return torch.empty_like(x)


@clipped.register_fake
def _(x, limit):
    return like(x)


def like(x):
    return torch.empty_like(x)


@register_lowering(torch.ops.users.twice.default, type_promotion_kind=None)
def lowered_twice(x):
    return lowerings[aten.mul.Tensor](x, FACTOR)


FACTOR = 2.5


def program(x):
    y = x.sin().relu()
    return twice(y) * 0.5 + clipped(y, 1.0) * 0.25 + y * 0.125
