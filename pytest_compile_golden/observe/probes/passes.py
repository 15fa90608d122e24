"""The pass ledger: every pass of every graph phase in the order they ran, and what each did to the graph.

Graphs are compared after each phase; which of its passes made a difference is known only by watching each of them.
torch has no list of its passes, so they are read from the source of the functions that call them.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
import textwrap
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import resolve_name
from operator import is_
from types import ModuleType
from typing import Any, NamedTuple

from torch.fx import GraphModule

from pytest_compile_golden.facts.graphs import Graph, Pass, PatternMatch
from pytest_compile_golden.facts.schedules import PassDiff
from pytest_compile_golden.observe.inner_calls import InnerCalls
from pytest_compile_golden.observe.missed_patterns import missed
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import (
    DECIDED,
    GraphRecorder,
    expression,
    function_name,
)
from pytest_compile_golden.observe.source_locations import (
    matcher_source,
    pattern_source,
    source_of,
    summary,
    written_by_user,
)
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import MissingName, named
from pytest_compile_golden.torch_internals import inductor as names

_PHASES = {
    "pre_grad": names.PRE_GRAD_PASSES,
    "joint": names.JOINT_PASSES,
    "post_grad": names.POST_GRAD_PASSES,
    "freezing": names.FREEZING_PASSES,
}
# Between the phases (torch/_inductor/compile_fx.py: codegen_and_compile); it counts as part of the one that follows.
_BETWEEN = {names.VIEW_TO_RESHAPE.at: "post_grad"}
UNOBSERVED = "(unobserved)"
# These take the graph module but only read it.
_LOOK_ONLY = frozenset(
    {
        "_run_pre_dispatch_passes",
        "fake_tensor_prop",
        "fuse_fx",
        "get_all_devices",
        "numeric_check_if_enabled",
    }
)
# torch/fx/graph.py and torch/_inductor/fx_utils.py: called on an object of the phase, without the graph.
_METHODS = {
    row.last: row for row in (names.ELIMINATE_DEAD_CODE, names.INCREMENTAL_UPDATE)
}


class NodeState(NamedTuple):
    """One FX node at one moment; a tuple because a pass over a large graph makes thousands."""

    node: Any
    target: Any
    args: Any
    """Immutable, like `kwargs`: a pass that changes an argument gives the node new ones."""
    kwargs: Any
    decided: Any
    """What a pass decided about the node, other than its arguments (`observe/record_graphs.py: DECIDED`)."""

    def changed_to(self, later: NodeState) -> bool:
        """Whether a later state at the same position is of a different node, or of one that a pass changed."""
        # Identity first, which is nearly always enough: comparing symbolic sizes with `==` would add guards to the
        # program under test, and printing them takes time.
        if all(map(is_, self, later)):
            return False
        if (
            self.node is not later.node
            or self.target is not later.target
            or self.decided != later.decided
        ):
            return True
        # Different objects may be equal: a pass may write back the arguments that it found.
        arguments = (expression(self.args), expression(dict(self.kwargs)))
        return arguments != (expression(later.args), expression(dict(later.kwargs)))


Snapshot = list[NodeState]
"""A graph at one moment, in the order of its nodes."""


def _snapshot(graph: Any) -> Snapshot:
    return [
        NodeState(node, node.target, node.args, node.kwargs, node.meta.get(DECIDED))
        for node in graph.nodes
    ]


def _changed(old: Snapshot, new: Snapshot) -> bool:
    return old is not new and (
        len(old) != len(new) or any(map(NodeState.changed_to, old, new))
    )


def _in_one_order(snapshot: Snapshot) -> Snapshot:
    return sorted(snapshot, key=lambda state: id(state.node))


def _operators(snapshot: Snapshot) -> Counter[str]:
    return Counter(
        state.target if isinstance(state.target, str) else function_name(state.target)
        for state in snapshot
        if state.node.op in ("call_function", "call_method", "call_module")
    )


class Look(NamedTuple):
    """A graph module as it was at the last look."""

    state: Snapshot
    graph: Graph
    """The graph as recorded then."""


@dataclass
class Running:
    """A pass that has begun."""

    phase: str
    name: str
    where: str | None
    summary: str | None
    run: Any
    """What torch calls to run the pass, in torch's own form."""
    on_module: bool
    """Whether `run` takes the graph module rather than its graph."""
    module: Any
    before: Snapshot
    shown: Graph
    patterns: dict[str, PatternMatch] = field(default_factory=dict)
    missed: dict[str, str] = field(default_factory=dict)
    inner: InnerCalls | None = None
    """What watches the calls that it makes, if it is one of the user's."""
    started: float = 0.0


class PassesProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        ledger = _Ledger(
            recorder, functools.partial(hooks.guarded, names.APPLY_GRAPH_PASS)
        )
        for phase, function in _PHASES.items():
            hooks.around(
                function,
                functools.partial(ledger.enter_phase, phase),
                ledger.leave_phase,
            )
        for method, on_module in (
            (names.APPLY_GRAPH_PASS, False),
            (names.APPLY_GM_PASS, True),
        ):
            hooks.around(
                method,
                functools.partial(ledger.enter_observed, on_module),
                ledger.leave,
            )
        for name in (*bare_passes(), *_BETWEEN):
            # Read from torch's own source, which may call what it has not always imported.
            if name in _BETWEEN or named(name).here:
                hooks.around(
                    name, functools.partial(ledger.enter_bare, name), ledger.leave
                )
        hooks.around(names.PASS_AND_SAVE, ledger.enter_pre_dispatch, ledger.leave)
        hooks.around(names.MATCHER_APPLY, ledger.enter_matcher, ledger.leave)
        for entry in (
            names.GRAPH_PATTERN,
            names.LOWERING_PATTERN,
            names.REPLACEMENT_PATTERN,
        ):
            hooks.before(entry, ledger.matched)


class _Ledger:
    """Tracks the nesting of phases and passes, and writes a row when a pass ends."""

    def __init__(
        self,
        recorder: Recorder,
        guarded: Callable[[Callable[..., Any]], Callable[..., Any]],
    ) -> None:
        self.recorder = recorder
        self.guarded = guarded
        self.phases: list[str] = []
        self.open: list[Running] = []
        self.last: dict[int, Look] = {}
        """Each graph as the last pass left it, by the id of its module; used to notice changes that no hook saw."""
        self.parts: dict[int, int] = {}
        """The number of each graph module in the running phase, by id."""
        self.positions: dict[int, int] = {}
        """Of each graph in the record's `pass_graphs`, by id."""
        self.graphs = GraphRecorder()

    def enter_phase(self, phase: str, gm: Any, *args: Any, **kwargs: Any) -> bool:
        self.phases.append(phase)
        self._look(gm, _snapshot(gm.graph))
        return True

    def leave_phase(
        self, token: bool | None, result: Any, gm: Any, *args: Any, **kwargs: Any
    ) -> None:
        module = result if result is not None else gm
        if id(module) in self.last:
            self._notice_unobserved(module, _snapshot(module.graph))
        self.phases.pop()
        if not self.phases:
            self.last.clear()
            self.parts.clear()
            self.graphs.forget()

    def enter_observed(
        self, on_module: bool, observer: Any, run: Callable[..., Any]
    ) -> Running | None:
        name = str(observer.passname)
        matcher = getattr(run, "__self__", None)
        is_matcher = type(matcher).__name__ == "PatternMatcherPass"
        own, where = matcher_source(matcher) if is_matcher else source_of(run)
        if "custom" not in name:
            return self._begin(name, where, observer.gm, run, on_module)
        running = self._begin(f"{name} / {own}", where, observer.gm, run, on_module)
        # Two cannot be watched at once, and a profiler of the user's stays where it is.
        if running is not None and sys.getprofile() is None and written_by_user(run):
            running.inner = InnerCalls(
                own,
                begin=self.guarded(functools.partial(self._begin_inner, name)),
                end=self.guarded(self._end_inner),
            )
            sys.setprofile(running.inner)
        return running

    def _begin_inner(self, slot: str, own: str, where: str, module: Any) -> Running:
        before = _snapshot(module.graph)
        return Running(
            phase=self.phases[-1],
            name=f"{slot} / {own}",
            where=where,
            summary=None,
            run=None,
            on_module=False,
            module=module,
            before=before,
            shown=self._look(module, before),
            started=time.perf_counter(),
        )

    def _end_inner(self, done: Running) -> Pass:
        seconds = time.perf_counter() - done.started
        return self._row(done, done.module, _snapshot(done.module.graph), seconds)[0]

    def enter_bare(
        self, full_name: str, graph: Any, *args: Any, **kwargs: Any
    ) -> Running | None:
        if self.open:
            return None  # part of the running pass
        module = self._module_of(graph)
        if not (id(module) in self.last or full_name in _BETWEEN):
            return None  # not a phase's graph: a pattern is being traced
        owner, attribute = named(full_name).resolve()
        run = getattr(owner, attribute)
        name = full_name.partition(":")[2]
        return self._begin(
            name,
            source_of(run)[1],
            module,
            run,
            graph is module,
            _BETWEEN.get(full_name),
        )

    def enter_pre_dispatch(
        self, run: Any, gm: Any, *args: Any, **kwargs: Any
    ) -> Running | None:
        name, where = source_of(run)
        return self._begin(name, where, gm, run, on_module=False)

    def enter_matcher(self, matcher: Any, graph: Any) -> Running | None:
        module = self._module_of(graph)
        running = None
        if not self.open and id(module) in self.last:
            name, where = matcher_source(matcher)
            running = self._begin(name, where, module, matcher.apply, graph is module)
        if self.open:
            self.open[-1].missed.update(missed(matcher, module.graph))
        return running

    def matched(self, entry: Any, match: Any, graph: Any, node: Any) -> None:
        if not self.open:
            return
        name, where = pattern_source(entry)
        patterns = self.open[-1].patterns
        patterns.setdefault(name, PatternMatch(name, where)).count += 1

    def leave(
        self, token: Running | None, result: Any, *args: Any, **kwargs: Any
    ) -> None:
        if token is None:
            return
        seconds = time.perf_counter() - token.started
        if token.inner is not None:
            sys.setprofile(None)
            for row in token.inner.rows:
                self.recorder.add("inner_passes", row)
        # A pass that raised leaves no row, and neither does any pass it had begun.
        del self.open[self.open.index(token) :]
        module = result if isinstance(result, GraphModule) else token.module
        self.parts[id(module)] = self._part(token.module)
        self._write(token, module, _snapshot(module.graph), seconds)

    @staticmethod
    def _module_of(graph: Any) -> Any:
        """The graph module of a graph, of an object that holds one, or the argument itself if it is one."""
        if hasattr(graph, "graph"):
            return graph
        return getattr(graph, "gm", None) or getattr(graph, "owning_module", None)

    def _begin(
        self,
        name: str,
        where: str | None,
        module: Any,
        run: Any,
        on_module: bool,
        phase: str | None = None,
    ) -> Running | None:
        if module is None or not (self.phases or phase):
            return None
        phase = phase or self.phases[-1]
        before = _snapshot(module.graph)
        shown = (
            self._look(module, before)
            if self.open
            else self._notice_unobserved(module, before, phase)
        )
        running = Running(
            phase, name, where, summary(run), run, on_module, module, before, shown
        )
        self.open.append(running)
        for listener in self.recorder.on_pass:
            listener(running)
        running.started = time.perf_counter()
        return running

    def _look(self, module: Any, now: Snapshot) -> Graph:
        """The graph as it is now; the recording from the last look if it has not changed since."""
        last = self.last.get(id(module))
        # Recording costs much more than a snapshot, and most passes change nothing.
        if last is not None and not _changed(last.state, now):
            graph = last.graph
        else:
            graph = self.graphs.record(module, self.recorder.key)
        self.last[id(module)] = Look(now, graph)
        return graph

    def _notice_unobserved(
        self, module: Any, now: Snapshot, phase: str | None = None
    ) -> Graph:
        """The graph as it is now, see `_look`; a change since the last look becomes a row of its own."""
        last = self.last.get(id(module))
        graph = self._look(module, now)
        # With no pass to name, a different order of the same nodes is meaningless.
        if (
            last
            and graph is not last.graph
            and _changed(_in_one_order(last.state), _in_one_order(now))
        ):
            phase = phase or self.phases[-1]
            between = Running(
                phase=phase,
                name=UNOBSERVED,
                where=None,
                summary=None,
                run=None,
                on_module=True,
                module=module,
                before=last.state,
                shown=last.graph,
                started=time.perf_counter(),
            )
            self._write(between, module, now, 0.0)
        return graph

    def _write(
        self, done: Running, module: Any, after: Snapshot, seconds: float
    ) -> None:
        row, shown = self._row(done, module, after, seconds)
        self.recorder.add("passes", row)
        if row.changed:
            self.recorder.add(
                "pass_diffs",
                PassDiff(row.key, done.phase, done.name, done.shown, shown),
            )
        for listener in self.recorder.on_pass_done:
            listener(done, row)

    def _row(
        self, done: Running, module: Any, after: Snapshot, seconds: float
    ) -> tuple[Pass, Graph]:
        """What a pass did to its graph, and the graph as it left it."""
        shown = self._look(module, after)
        # What its last look shows has not changed since; most passes change nothing.
        changed = shown is not done.shown and _changed(done.before, after)
        old, new = (
            (_operators(done.before), _operators(after))
            if changed
            else (Counter[str](), Counter[str]())
        )
        row = Pass(
            key=self.recorder.key,
            phase=done.phase,
            name=done.name,
            where=done.where,
            before=len(done.before),
            after=len(after),
            changed=changed,
            added=dict(sorted((new - old).items())),
            removed=dict(sorted((old - new).items())),
            patterns=list(done.patterns.values()),
            missed={
                name: why
                for name, why in done.missed.items()
                if name not in done.patterns
            },
            summary=done.summary,
            started=done.started,
            seconds=seconds,
            graphs=(self._position(done.shown), self._position(shown)),
            part=self._part(done.module),
        )
        return row, shown

    def _part(self, module: Any) -> int:
        return self.parts.setdefault(id(module), len(self.parts))

    def _position(self, graph: Graph) -> int:
        """Where a graph is in the record, to which it is added if it is new."""
        if id(graph) not in self.positions:
            self.positions[id(graph)] = len(self.positions)
            self.recorder.add("pass_graphs", graph)
        return self.positions[id(graph)]


@functools.cache
def bare_passes() -> tuple[str, ...]:
    """`module:name`, as the phase looks it up, of each function that a phase calls directly on its graph."""
    calls: list[str] = []
    for source in names.PHASE_SOURCES:
        try:
            owner, attribute = source.resolve()
            tree = ast.parse(
                textwrap.dedent(
                    inspect.getsource(inspect.unwrap(getattr(owner, attribute)))
                )
            )
        except (MissingName, OSError, TypeError, SyntaxError):
            continue
        function = tree.body[0]
        if isinstance(function, ast.FunctionDef):
            calls += _calls(owner, function)
    return tuple(dict.fromkeys(calls))


def _calls(module: ModuleType, function: ast.FunctionDef) -> Iterator[str]:
    graph = function.args.args[0].arg
    imported = {
        alias.asname or alias.name: (
            resolve_name(
                "." * node.level + (node.module or ""), module.__package__ or ""
            ),
            alias.name,
        )
        for node in ast.walk(function)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    observed = set(_inside_observer(function))
    for call in ast.walk(function):
        if not isinstance(call, ast.Call) or call in observed:
            continue
        called = call.func
        name = (
            called.attr
            if isinstance(called, ast.Attribute)
            else getattr(called, "id", "")
        )
        if isinstance(called, ast.Attribute) and name in _METHODS:
            yield _METHODS[name].at
        elif name in _LOOK_ONLY or not any(
            _is_graph(arg, graph) for arg in call.args[:1]
        ):
            continue
        elif isinstance(called, ast.Name) and name in imported:
            yield ":".join(imported[name])
        elif isinstance(called, ast.Name) and _is_pass(vars(module).get(name)):
            yield f"{module.__name__}:{name}"
        elif isinstance(called, ast.Attribute) and _is_module(
            package := ast.unparse(called.value)
        ):
            yield f"{package}:{name}"


def _inside_observer(function: ast.FunctionDef) -> Iterator[Any]:
    """The nodes inside passes that the observer runs: `GraphTransformObserver(...).apply_graph_pass(lambda ...)`."""
    for call in ast.walk(function):
        if isinstance(call, ast.Call) and getattr(call.func, "attr", "") in (
            "apply_graph_pass",
            "apply_gm_pass",
        ):
            yield from (node for argument in call.args for node in ast.walk(argument))


def _is_graph(node: ast.expr, graph: str) -> bool:
    if isinstance(node, ast.Attribute) and node.attr == "graph":
        node = node.value
    return isinstance(node, ast.Name) and node.id == graph


def _is_pass(value: Any) -> bool:
    # A phase makes its observers from a class, with some of the arguments bound.
    return (
        callable(value)
        and not inspect.isclass(value)
        and not isinstance(value, functools.partial)
    )


def _is_module(dotted: str) -> bool:
    try:
        importlib.import_module(dotted)
    except ImportError:
        return False
    return True
