"""The passes that a pass of the user's calls: torch knows a pass manager, but none of the passes that it runs."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from torch.fx import Graph, GraphModule, Node

from pytest_compile_golden.observe.record_graphs import is_user_file
from pytest_compile_golden.observe.source_locations import shown_path

_OURS = str(Path(__file__).parents[1])
_MANY = 32
"""A function that a pass calls more often than this on its graphs is a helper; each call costs two looks at a graph."""
_NOT_PLAIN = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


class InnerCalls:
    """A profile function (`sys.setprofile`) that sees each of the user's functions that is called with a graph.

    begin: called with the name of the function, its `file:line` and the graph module; what it returns, unless None, is
        what `end` is called with once the function has returned, which makes the row of the call.
    """

    def __init__(
        self,
        outer: str,
        begin: Callable[[str, str, Any], Any],
        end: Callable[[Any], Any],
    ) -> None:
        self._outer = outer
        self._begin = begin
        self._end = end
        self._others: set[CodeType] = set()
        """Code that cannot be a pass: nearly all that runs."""
        self._calls: Counter[CodeType] = Counter()
        self._open: list[tuple[FrameType, str, Any]] = []
        self._ended: list[tuple[CodeType, Any]] = []

    @property
    def rows(self) -> list[Any]:
        """What `end` made of each call of a pass, in the order in which they ended."""
        return [
            row
            for code, row in self._ended
            if row is not None and self._calls[code] <= _MANY
        ]

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            if frame.f_code not in self._others:
                self._called(frame)
        elif event == "return" and self._open and self._open[-1][0] is frame:
            self._ended.append((frame.f_code, self._end(self._open.pop()[2])))

    def _called(self, frame: FrameType) -> None:
        code = frame.f_code
        foreign = code.co_filename.startswith(_OURS) or not is_user_file(
            code.co_filename
        )
        if foreign or code.co_flags & _NOT_PLAIN or self._calls[code] > _MANY:
            self._others.add(code)
            return
        parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        arguments = [frame.f_locals.get(name) for name in parameters]
        module = next(
            (
                value if isinstance(value, GraphModule) else value.owning_module
                for value in arguments
                if isinstance(value, (Graph, GraphModule))
            ),
            None,
        )
        # A function that is told the node is a helper of a pass.
        if module is None or any(isinstance(value, Node) for value in arguments):
            return
        name = _name(code, arguments)
        # A method that calls the one it overrides is a single pass.
        if name == self._outer or any(name == other for _, other, _ in self._open):
            return
        self._calls[code] += 1
        if self._calls[code] > _MANY:
            return
        begun = self._begin(
            name, f"{shown_path(code.co_filename)}:{code.co_firstlineno}", module
        )
        if begun is not None:
            self._open.append((frame, name, begun))


def _name(code: CodeType, arguments: list[Any]) -> str:
    """As the ledger names passes: an object after its class, a method after both, a function after itself."""
    owner = type(arguments[0])
    if code.co_varnames[0] == "self" and hasattr(owner, code.co_name):
        return (
            owner.__qualname__
            if code.co_name == "__call__"
            else f"{owner.__qualname__}.{code.co_name}"
        )
    # Without the functions that it is defined in before Python 3.11.
    return str(getattr(code, "co_qualname", code.co_name))
