"""How near the user's patterns come to a graph in which they match nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from weakref import ReferenceType, ref

from torch.fx import Node

from pytest_compile_golden.observe.record_graphs import function_name
from pytest_compile_golden.observe.source_locations import pattern_source
from pytest_compile_golden.torch_internals import inductor as names

_OF_TORCH = "torch/"
_LONGEST = 200


def missed(matcher: Any, graph: Any) -> Iterator[tuple[str, str]]:
    """The name of each of the user's patterns that matches nowhere in `graph` as it is, with the first miss.

    matcher: a PatternMatcherPass (torch/_inductor/pattern_matcher.py). It compares a node with the patterns that are
    listed under the node's target, and a failed match says what it stumbled over first.
    """
    listed = [
        (op, target, entry)
        for (op, target), entries in matcher.patterns.items()
        if op != "call_module"
        for entry in entries
        if _is_of_user(entry)
    ]
    for op, target, entry in listed:
        name, _ = pattern_source(entry)
        nodes = graph.find_nodes(op=op, target=target)
        called = _called(target)
        failures = [match for node in nodes if not (match := entry.pattern.match(node))]
        if not nodes:
            yield name, f"no call of {called} to start from"
        elif len(failures) < len(nodes):
            yield (
                name,
                "its operators are there, and its check, or a write between them, refuses them",
            )
        else:
            yield (
                name,
                f"tried at {len(nodes)} of {called}, the first: {_why(failures[0])}",
            )


_asked: dict[int, tuple[ReferenceType[Any], bool]] = {}
"""Answers about entries that exist, by identity: torch's own are hundreds, for each target, and cannot be hashed."""


def _is_of_user(entry: Any) -> bool:
    key = id(entry)
    if key not in _asked:
        where = pattern_source(entry)[1]
        gone = ref(entry, lambda _: _asked.pop(key, None))
        _asked[key] = gone, where is not None and not where.startswith(_OF_TORCH)
    return _asked[key][1]


def _why(failure: Any) -> str:
    """In torch's word for it, and the node and the pattern that it is about."""
    word = re.match(r"\w*", failure.format_string)
    text = word[0].replace("_", " ") if word else "no match"
    for about in failure.args:
        if isinstance(about, Node):
            text += f", found {about.name} ({_called(about.target)})"
        elif isinstance(about, names.PATTERN_OF_TARGETS.get()):
            text += f", wanted {' or '.join(dict.fromkeys(map(_called, about.fns)))}"
    return text[:_LONGEST]


def _called(target: Any) -> str:
    return target if isinstance(target, str) else function_name(target)
