"""The pass ledger: every pass of every graph phase in the order it ran, and what it did to the graph."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.capture.graphs import expression, function_name
from pytest_compile_golden.capture.hooks import Hooks, MissingName
from pytest_compile_golden.capture.probe import Recorder
from pytest_compile_golden.capture.record import Pass, PatternMatch

_COMPILE_FX = "torch._inductor.compile_fx:"
_OBSERVER = "torch.fx.passes.graph_transform_observer:GraphTransformObserver."
_MATCHER = "torch._inductor.pattern_matcher:"
_PHASES = {
    "pre_grad": _COMPILE_FX + "_recursive_pre_grad_passes",
    "joint": _COMPILE_FX + "_recursive_joint_graph_passes",
    "post_grad": _COMPILE_FX + "_recursive_post_grad_passes",
}
# Passes that torch runs without its observer (torch/_inductor/fx_passes); which of them exist differs by version.
_BARE_PASSES = (
    "torch._inductor.fx_passes.pre_grad:numpy_compat_normalization",
    "torch._inductor.fx_passes.pre_grad:sink_cat_after_pointwise",
    "torch._inductor.fx_passes.pre_grad:fuse_conv_bn",
    "torch._inductor.fx_passes.pre_grad:linear_permute_fusion",
    "torch._inductor.fx_passes.pre_grad:permute_linear_fusion",
    "torch._inductor.fx_passes.pre_grad:permute_matmul_fusion",
    "torch._inductor.fx_passes.pre_grad:remove_identity",
    "torch._inductor.fx_passes.joint_graph:canonicalize_aten_ir_passes",
    "torch._inductor.fx_passes.joint_graph:replace_random_passes",
    "torch._inductor.fx_passes.post_grad:micro_pipeline_tp_pass",
    "torch._inductor.fx_passes.mkldnn_fusion:grouped_gemm_pass",
    "torch._inductor.compile_fx:view_to_reshape",
)
_UNOBSERVED = "(unobserved)"

Snapshot = list[tuple[Any, Any, Any, Any]]


def _snapshot(graph: Any) -> Snapshot:
    """What a graph is now. Arguments are immutable tuples: the same object later means that nothing changed."""
    return [(node, node.target, node.args, node.kwargs) for node in graph.nodes]


def _changed(old: Snapshot, new: Snapshot) -> bool:
    # Identity first: comparing symbolic sizes with `==` would add guards to the program under test.
    if len(old) != len(new):
        return True
    for before, after in zip(old, new, strict=True):
        if all(a is b for a, b in zip(before, after, strict=True)):
            continue
        if before[0] is not after[0] or before[1] is not after[1]:
            return True
        if expression(before[2]) != expression(after[2]) or expression(dict(before[3])) != expression(dict(after[3])):
            return True
    return False


def _operators(snapshot: Snapshot) -> Counter[str]:
    return Counter(
        target if isinstance(target, str) else function_name(target)
        for node, target, _, _ in snapshot
        if node.op in ("call_function", "call_method", "call_module")
    )


def source_of(function: Any) -> tuple[str, str | None]:
    """The name of what a pass or pattern runs, and `file:line` of it, unwrapped and relative to torch where it is."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        else:
            break
    plain = getattr(function, "__func__", function)
    code = getattr(plain, "__code__", None) or getattr(vars(type(plain)).get("__call__"), "__code__", None)
    name = getattr(plain, "__qualname__", type(plain).__qualname__)
    return name, f"{_shown_path(code.co_filename)}:{code.co_firstlineno}" if code is not None else None


def _shown_path(filename: str) -> str:
    root = Path(torch.__file__).parent.parent
    path = Path(filename)
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _pattern_source(entry: Any) -> tuple[str, str | None]:
    """A pattern's name and place: what it searches for, or the function that handles its matches.

    A replacement pattern keeps its search function only in the closure of its check
    (torch/_inductor/pattern_matcher.py: register_replacement).
    """
    check = getattr(entry, "extra_check", None)
    names = getattr(getattr(check, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(check, "__closure__", None) or (), strict=False):
        if name == "search_fn":
            return source_of(cell.cell_contents)
    handler = getattr(entry, "handler", None)
    if handler is not None:
        return source_of(handler)
    return str(getattr(entry, "pattern_name", None) or type(entry).__name__), None


@functools.lru_cache(maxsize=256)
def _matcher_name(matcher: Any) -> str:
    """The name under which torch keeps an unnamed PatternMatcherPass, found in the module that holds it."""
    if matcher.pass_name:
        return str(matcher.pass_name)
    for module_name, module in list(sys.modules.items()):
        if not module_name.startswith("torch._inductor.fx_passes."):
            continue
        for name, value in vars(module).items():
            if value is matcher:
                return f"{module_name.rpartition('.')[2]}.{name}"
            if isinstance(value, list):
                for place, each in enumerate(value):
                    if each is matcher:
                        return f"{module_name.rpartition('.')[2]}.{name}[{place}]"
    return "pattern_matcher"


@dataclass
class _Open:
    """A pass that is running."""

    name: str
    where: str | None
    graph: Any
    before: Snapshot
    patterns: dict[str, PatternMatch] = field(default_factory=dict)


class PassesProbe:
    stages = ("passes",)
    touches = (
        *_PHASES.values(),
        _OBSERVER + "apply_graph_pass",
        _OBSERVER + "apply_gm_pass",
        _MATCHER + "PatternMatcherPass.apply",
    )

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        ledger = _Ledger(recorder)
        for phase, function in _PHASES.items():
            hooks.around(function, functools.partial(ledger.enter_phase, phase), ledger.leave_phase)
        for method in ("apply_graph_pass", "apply_gm_pass"):
            hooks.around(_OBSERVER + method, ledger.enter_observed, ledger.leave)
        for name in _BARE_PASSES:
            try:
                hooks.around(name, functools.partial(ledger.enter_bare, name.partition(":")[2]), ledger.leave)
            except MissingName:
                continue
        hooks.around(_MATCHER + "PatternMatcherPass.apply", ledger.enter_matcher, ledger.leave)
        for kind in ("GraphPatternEntry", "LoweringPatternEntry", "ReplacementPatternEntry"):
            hooks.before(_MATCHER + kind + ".apply", ledger.matched)


class _Ledger:
    """Follows the nesting of phases and passes, and writes a row when a pass is done."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.phases: list[str] = []
        self.open: list[_Open] = []
        self.last: dict[int, Snapshot] = {}
        """Each graph as the last pass left it, to notice changes that no hook saw."""

    def enter_phase(self, phase: str, gm: Any, *args: Any, **kwargs: Any) -> bool:
        self.phases.append(phase)
        self.last[id(gm)] = _snapshot(gm.graph)
        return True

    def leave_phase(self, token: bool | None, result: Any, gm: Any, *args: Any, **kwargs: Any) -> None:
        module = result if result is not None else gm
        self._notice_unobserved(module)
        self.last.clear()
        self.phases.pop()

    def enter_observed(self, observer: Any, run: Callable[..., Any]) -> _Open | None:
        name, where = source_of(run)
        passname = str(observer.passname)
        if "custom" in passname:
            passname = f"{passname} / {name}"
        matcher = getattr(run, "__self__", None)
        if type(matcher).__name__ == "PatternMatcherPass":
            where = None
        return self._begin(passname, where, observer.gm)

    def enter_bare(self, name: str, graph: Any, *args: Any, **kwargs: Any) -> _Open | None:
        owner = graph if hasattr(graph, "graph") else getattr(graph, "owning_module", None)
        module, _, attribute = next(each for each in _BARE_PASSES if each.endswith(":" + name)).partition(":")
        _, where = source_of(getattr(sys.modules[module], attribute))
        return self._begin(name, where, owner) if owner is not None else None

    def enter_matcher(self, matcher: Any, graph: Any) -> _Open | None:
        if self.open or not matcher.patterns:
            return None  # a part of the pass that is running
        owner = graph if hasattr(graph, "graph") else graph.owning_module
        return self._begin(_matcher_name(matcher), None, owner)

    def matched(self, entry: Any, match: Any, graph: Any, node: Any) -> None:
        if not self.open:
            return
        name, where = _pattern_source(entry)
        patterns = self.open[-1].patterns
        patterns.setdefault(name, PatternMatch(name, where)).count += 1

    def leave(self, token: _Open | None, result: Any, *args: Any, **kwargs: Any) -> None:
        if token is None:
            return
        # A pass that raised leaves no row; whatever it had opened goes with it.
        del self.open[self.open.index(token) :]
        module = result if hasattr(result, "graph") and hasattr(result, "code") else token.graph
        after = _snapshot(module.graph)
        if not self.open:
            self.last[id(module)] = after
        self._write(token.name, token.where, token.before, after, list(token.patterns.values()))

    def _begin(self, name: str, where: str | None, graph: Any) -> _Open | None:
        if not self.phases:
            return None  # outside the phases: patterns being traced, a graph of another tool
        if not self.open:
            self._notice_unobserved(graph)
        opened = _Open(name, where, graph, _snapshot(graph.graph))
        self.open.append(opened)
        return opened

    def _notice_unobserved(self, module: Any) -> None:
        last = self.last.get(id(module))
        now = _snapshot(module.graph)
        if last is not None and _changed(last, now):
            self._write(_UNOBSERVED, None, last, now, [])
        self.last[id(module)] = now

    def _write(
        self, name: str, where: str | None, before: Snapshot, after: Snapshot, patterns: list[PatternMatch]
    ) -> None:
        changed = _changed(before, after)
        old, new = (_operators(before), _operators(after)) if changed else (Counter[str](), Counter[str]())
        self.recorder.add(
            "passes",
            Pass(
                key=self.recorder.key,
                phase=self.phases[-1],
                name=name,
                where=where,
                before=len(before),
                after=len(after),
                changed=changed,
                added=dict(sorted((new - old).items())),
                removed=dict(sorted((old - new).items())),
                patterns=patterns,
            ),
        )
