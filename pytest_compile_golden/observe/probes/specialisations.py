"""Sizes that may vary: which symbols were made and why, the guards on them, and which became constants."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.fx import traceback

from pytest_compile_golden.facts.frames import plain_function
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.guards import GraphChoice, GraphChoices, commented
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import frame_at, user_frame
from pytest_compile_golden.observe.source_locations import shown_path
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import dynamo as names

# Modules that query sizes on behalf of others.
_ON_BEHALF = (
    "torch.fx.",
    "torch.utils.",
    "torch._dynamo.utils",
    "torch._inductor.sizevars",
)


@dataclass
class _Shapes:
    """What was decided in one environment of symbolic shapes, that is, in one attempt to trace a frame."""

    environment: Any
    choices: list[GraphChoice] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    traced: bool = False


class SpecialisationsProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        watched = _Watched(recorder)
        hooks.before(names.AUTOMATIC_DYNAMIC, watched.marks)
        hooks.after(names.CREATE_SYMBOL, watched.symbol)
        hooks.after(names.CREATE_UNBACKED, watched.unbacked)
        hooks.after(names.LOG_GUARD, watched.guard)
        hooks.around(names.SET_REPLACEMENT, watched.replacing, watched.replaced)
        hooks.before(names.CALL_USER_COMPILER, watched.traced)
        hooks.on_exit(watched.finish)


class _Watched:
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._all: dict[int, _Shapes] = {}
        self._graphs: list[tuple[Record, GraphKey, str, _Shapes]] = []
        self._marked: dict[str, str] = {}

    def _of(self, environment: Any) -> _Shapes:
        return self._all.setdefault(id(environment), _Shapes(environment))

    def marks(
        self, tensor: Any, translator: Any, source: Any, *args: Any, **kwargs: Any
    ) -> None:
        for mark, word in reversed(names.MARKS.items()):
            for index in mark.of(tensor, ()):
                self._marked[f"{_name(source)}.size()[{index}]"] = word

    def symbol(
        self,
        expr: Any,
        environment: Any,
        val: Any,
        source: Any,
        dynamic_dim: Any = None,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """The parameters have the names that torch passes to `ShapeEnv.create_symbol` by keyword."""
        shapes, name = self._of(environment), _name(source)
        static = dynamic_dim is names.DIM_DYNAMIC.get().STATIC
        # Fake tensors are made from the same inputs more than once.
        if name in shapes.sources or (static and name not in self._marked):
            return
        if not expr.free_symbols and name.endswith(".storage_offset()"):
            return
        shapes.sources.add(name)
        why = self._marked.get(name) or (
            "automatic dynamic" if names.ASSUME_STATIC.get() else "dynamic=True"
        )
        if not expr.free_symbols:
            shapes.choices.append(
                GraphChoice("static" if static else "constant", f"{expr}: {name}", why)
            )
        elif len(environment.var_to_sources.get(expr, ())) > 1:
            shapes.choices.append(GraphChoice("shared", f"{expr}: {name}", why))
        else:
            bounds = environment.var_to_range.get(expr)
            within = "" if bounds is None else f" in [{bounds.lower}, {bounds.upper}]"
            shapes.choices.append(
                GraphChoice("symbol", f"{expr}: {name}, {_example(val)}{within}", why)
            )

    def unbacked(self, symbol: Any, environment: Any, source: Any = None) -> None:
        shapes = self._of(environment)
        # `symbol` records that of an input. Later passes trace the graph again, with symbols of their own.
        if source is None and not shapes.traced:
            shapes.choices.append(_choice("unbacked", str(symbol.node.expr), ""))

    def guard(
        self,
        _: None,
        environment: Any,
        prefix: str,
        condition: Any,
        forcing_spec: bool = False,
    ) -> None:
        if "suppressed" not in prefix:
            kind = "check" if prefix == "runtime_assert" else "guard"
            self._of(environment).choices.append(_choice(kind, str(condition), ""))

    @staticmethod
    def replacing(environment: Any, symbol: Any, *args: Any) -> Any:
        return environment.replacements.get(symbol)

    def replaced(
        self,
        before: Any,
        _: None,
        environment: Any,
        symbol: Any,
        target: Any,
        reason: str,
    ) -> None:
        replacement = environment.replacements.get(symbol)
        if (
            replacement is not None
            and replacement != before
            and not replacement.free_symbols
        ):
            self._of(environment).choices.append(
                _choice("specialised", f"{symbol} = {replacement}", reason)
            )

    def traced(self, output_graph: Any, *args: Any, **kwargs: Any) -> None:
        shapes = self._of(output_graph.shape_env)
        shapes.traced = True
        function = plain_function(output_graph.root_tx.f_code.co_name)
        self._graphs.append(
            (self._recorder.record, self._recorder.key, function, shapes)
        )

    def finish(self) -> None:
        for record, key, function, shapes in self._graphs:
            if shapes.choices:
                record.add(
                    "specialisations",
                    GraphChoices(key.label, function, tuple(shapes.choices)),
                )


def _name(source: Any) -> str:
    """How a program would write it: `L['x']`. A method until 2.9."""
    return str(source.name() if callable(source.name) else source.name)


def _example(size: Any) -> str:
    """The size that a symbol was made for; `ragged` for a ragged dimension, whose number is a process-wide counter."""
    return (
        "ragged"
        if isinstance(size, torch.SymInt) and size.node.is_nested_int()
        else str(size)
    )


def _choice(kind: str, what: str, why: str) -> GraphChoice:
    code, where = _user_line()
    return GraphChoice(
        kind,
        what,
        why,
        commented(code, _author()),
        (code, where) if code and where else None,
    )


def _user_line() -> tuple[str | None, str | None]:
    """The user's line that is being traced, or that the current node comes from."""
    frames = names.TRACING_CONTEXT.get().extract_stack()
    if frames:
        last = frames[-1]
        return frame_at(last.filename, last.lineno or 0, last.name)
    return user_frame(
        (traceback.get_current_meta() or _lowered_node()).get("stack_trace")
    )


def _lowered_node() -> dict[str, Any]:
    """What is noted on the node that Inductor is lowering, if it is."""
    node = names.CURRENT_NODE.of(names.VIRTUALIZED.get().graph, None)
    return node.meta if isinstance(node, torch.fx.Node) else {}


def _author() -> str | None:
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("torch.") and not module.startswith(_ON_BEHALF):
            return f"by {shown_path(frame.f_code.co_filename)}: {frame.f_code.co_name}"
        frame = frame.f_back
    return None
