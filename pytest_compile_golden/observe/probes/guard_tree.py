"""The guards of a frame as Dynamo evaluates them: a tree of C++ objects, some of which call Python."""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from typing import Any

from pytest_compile_golden.facts.guards import GuardCheck, GuardTree, commented
from pytest_compile_golden.formats.dynamo import scrub
from pytest_compile_golden.observe.graphs import frame_line, plain_function
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import in_torch, shown_path
from pytest_compile_golden.torch_names import dynamo as names

# The files that every guard passes through after its author asks for it.
_ON_THE_WAY = ("torch/_guards.py", "torch/_dynamo/guards.py", "torch/_dynamo/source.py")
# The classes that hold a Python function (torch/csrc/dynamo/guards.cpp).
_PYTHON = ("LAMBDA_GUARD", "PythonLambdaGuardAccessor")


class GuardTreeProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def made(_: None, manager: Any, code: types.CodeType, output: Any, *args: Any, **kwargs: Any) -> None:
            tree = _Tree(sorted(output.guards))
            checks = tuple(tree.all(manager.guard_manager.root))
            recorder.add("guard_tree", GuardTree(plain_function(code.co_name), tree.accesses, checks))

        names.EPILOGUE_GUARDS.resolve()
        hooks.after(names.CHECK_FUNCTION_MANAGER, made)


class _Tree:
    def __init__(self, guards: Sequence[Any]) -> None:
        self.accesses = 0
        self._asked: dict[str, list[Any]] = {}
        for guard in guards:
            self._asked.setdefault(guard.name, []).append(guard)

    def all(self, root: Any) -> Iterator[GuardCheck]:
        """Every guard in the order of evaluation (torch/csrc/dynamo/guards.cpp: RootGuardManager)."""
        yield from self._below(root, 0)
        for leaf in root.get_epilogue_lambda_guards():
            yield self._check(leaf, "", 0)

    def _below(self, manager: Any, depth: int) -> Iterator[GuardCheck]:
        reads = manager.get_source() if depth else ""
        for leaf in manager.get_leaf_guards():
            yield self._check(leaf, reads, depth)
        if (pairs := names.KEY_VALUE_MANAGERS.of(manager, None)) is not None:
            for _, pair in sorted(pairs().items()):
                for submanager in pair:
                    if submanager is not None:
                        self.accesses += 1
                        yield from self._below(submanager, depth + 1)
        for accessor, child in zip(manager.get_accessors(), manager.get_child_managers(), strict=True):
            self.accesses += 1
            kind = type(accessor).__name__
            if kind in _PYTHON:
                yield GuardCheck(depth + 1, kind, True, 0, scrub(child.get_source()))
            yield from self._below(child, depth + 1)

    def _check(self, leaf: Any, reads: str, depth: int) -> GuardCheck:
        kind, conditions = type(leaf).__name__, leaf.verbose_code_parts()
        guard = self._guard(kind, reads, conditions)
        comment = "" if guard is None else commented(_user_line(guard), _author(guard))
        return GuardCheck(depth, kind, kind in _PYTHON, len(conditions), scrub(reads), comment)

    def _guard(self, kind: str, reads: str, conditions: Sequence[str]) -> Any:
        """The guard that the leaf was made from: on that value, with the same condition, or else of the same kind."""
        candidates = self._asked.get(reads, [])
        for guard in candidates:
            if any(condition.startswith(part) for condition in conditions for part in guard.code_list or ()):
                return guard
        return next((guard for guard in candidates if guard.create_fn_name() == kind), None)


def _author(guard: Any) -> str | None:
    frames = guard.stack.summary() if guard.stack is not None else ()
    for frame in reversed(frames):
        path = shown_path(frame.filename)
        if path not in _ON_THE_WAY:
            return f"by {path}: {frame.name}"
    return None


def _user_line(guard: Any) -> str | None:
    own = [frame for frame in guard.user_stack or () if not in_torch(frame.filename)]
    return frame_line(own[-1].filename, own[-1].lineno or 0, own[-1].name) if own else None
