"""Dynamo: bytecode, guards and their tree, graph breaks, recompilations and the captured graph."""

from __future__ import annotations

import dis
import sys
import types
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from pytest_compile_golden.facts.frames import plain_function
from pytest_compile_golden.facts.generated_code import EmittedLine
from pytest_compile_golden.facts.graphs import GraphKey
from pytest_compile_golden.facts.guards import (
    Bytecode,
    GuardCheck,
    Guards,
    GuardTree,
    Stop,
    commented,
)
from pytest_compile_golden.formats.dynamo import scrub
from pytest_compile_golden.observe.author_on_stack import author_above, author_of
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import (
    frame_at,
    is_user_file,
    record_graph,
)
from pytest_compile_golden.observe.source_locations import in_torch, shown_path
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import dynamo as names

# The files that every guard passes through after its author asks for it.
_ON_THE_WAY = ("torch/_guards.py", "torch/_dynamo/guards.py", "torch/_dynamo/source.py")
# The classes that hold a Python function (torch/csrc/dynamo/guards.cpp).
_PYTHON = ("LAMBDA_GUARD", "PythonLambdaGuardAccessor")


def _instructions(code: types.CodeType) -> tuple[str, ...]:
    """One line per instruction: its name and argument, with jump targets as line numbers of this listing."""
    instructions = [
        instruction
        for instruction in dis.get_instructions(code)
        if instruction.opname not in ("CACHE", "EXTENDED_ARG")
    ]
    numbers = {
        instruction.offset: number for number, instruction in enumerate(instructions)
    }

    def text(instruction: dis.Instruction) -> str:
        if instruction.opcode in dis.hasjrel or instruction.opcode in dis.hasjabs:
            argument = f"to {numbers.get(instruction.argval, instruction.argval)}"
        elif isinstance(instruction.argval, types.CodeType):
            argument = f"<code {instruction.argval.co_name}>"
        else:
            argument = instruction.argrepr or (
                str(instruction.arg) if instruction.arg is not None else ""
            )
        return f"{instruction.opname} {argument}".rstrip()

    return tuple(map(text, instructions))


class BytecodeProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def rewrote(old: types.CodeType, new: types.CodeType) -> None:
            recorder.add(
                "bytecode",
                Bytecode(
                    plain_function(old.co_name), _instructions(old), _instructions(new)
                ),
            )

        handle = names.REGISTER_BYTECODE_HOOK.get()(
            hooks.guarded(names.REGISTER_BYTECODE_HOOK, rewrote)
        )
        hooks.on_exit(handle.remove)


class GuardsProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def made(
            _: None, manager: Any, code: types.CodeType, *args: Any, **kwargs: Any
        ) -> None:
            parts = tuple(str(part) for part in manager.guard_manager.code_parts)
            recorder.add("guards", Guards(plain_function(code.co_name), parts))

        hooks.after(names.CHECK_FUNCTION_MANAGER, made)


class DroppedGuardsProbe:
    """Records the guards that `guard_filter_fn` left out: the user's, or that of `aot_compile`, which keeps what it can
    save (torch/_dynamo/aot_compile.py: aot_compile_fullgraph)."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        # With a filter, guards are built twice: all of them, which it then sees, and those that it keeps.
        built: list[Sequence[Any]] = []

        def begin(*args: Any, **kwargs: Any) -> None:
            built.clear()

        def building(
            manager: Any, guards: Sequence[Any], *args: Any, **kwargs: Any
        ) -> None:
            built.append(tuple(guards))

        def end(
            token: None,
            result: None,
            manager: Any,
            code: types.CodeType,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            if len(built) < 2:
                return
            every, kept = built[0], {id(guard) for guard in built[-1]}
            dropped = (
                line
                for guard in every
                if id(guard) not in kept
                for line in _conditions(guard)
            )
            recorder.add(
                "dropped_guards", Guards(plain_function(code.co_name), tuple(dropped))
            )

        hooks.around(names.CHECK_FUNCTION_MANAGER, begin, end)
        hooks.before(names.BUILD_GUARDS, building)


def _conditions(guard: Any) -> Sequence[str]:
    """What a guard checks; for one that is checked in C++, its kind and the value that it is on.

    Of the guard on a tensor, only Dynamo's marks on it are in Python (torch/_dynamo/guards.py: TENSOR_MATCH).
    """
    kind = guard.create_fn_name()
    written = () if kind == "TENSOR_MATCH" else tuple(map(str, guard.code_list or ()))
    return written or (f"{kind}({guard.name})",)


class GuardAuthorsProbe:
    """Records which method of torch's `GuardBuilder` wrote each guard."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def wrote(lines: list[str], *args: Any, **kwargs: Any) -> None:
            author = author_above(sys._getframe(1))
            for line in lines:
                if not isinstance(line, str):
                    raise TypeError(f"a line of a guard is a {type(line).__name__}")
                if author is not None:
                    recorder.add("guards_written", EmittedLine(line, author))

        sizes = author_of(names.SHAPE_GUARDS.get())

        def wrote_sizes(
            _: None, builder: Any, guard: Any, *args: Any, **kwargs: Any
        ) -> None:
            for line in guard.code_list or ():
                recorder.add("guards_written", EmittedLine(line, sizes))

        hooks.after(names.VERBOSE_CODE_PARTS, wrote)
        hooks.after(names.SHAPE_GUARDS, wrote_sizes)


class GraphBreakProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def broke(
            code_options: dict[str, Any],
            reason: str = "",
            exc: Any = None,
            user_stack: Any = None,
            **kwargs: Any,
        ) -> None:
            if isinstance(exc, Exception):
                if exc.logged:  # type: ignore[attr-defined]
                    return
                stack = names.REAL_STACK.of(exc, ()) or ()
            else:  # until 2.10 it is given the stack itself, or nothing where it is the one being traced
                stack = exc or user_stack or names.TRACING_CONTEXT.get().extract_stack()
            # If the break is in a function of torch's or Python's, the user can change only the call to it.
            own = [frame for frame in stack if is_user_file(frame.filename)] or stack
            where = own[-1] if own else None
            function = plain_function(code_options["co_name"])
            if where is None:
                recorder.add("graph_breaks", Stop(function, reason, None))
                return
            at = frame_at(where.filename, where.lineno, where.name)
            recorder.add("graph_breaks", Stop(function, reason, *at))

        # A method since 2.10, a function before.
        method = isinstance(names.LOG_GRAPH_BREAK.resolve()[0], type)
        hooks.before(
            names.LOG_GRAPH_BREAK,
            lambda *args, **kwargs: broke(*args[method:], **kwargs),
        )


class RecompileProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def recompiled(
            reasons: list[str],
            cache_entries: Any,
            frame: Any,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            code = frame.f_code
            at = frame_at(code.co_filename, code.co_firstlineno, code.co_name)
            if reasons:  # one for each earlier compilation that does not fit
                recorder.add(
                    "recompiles",
                    Stop(plain_function(code.co_name), "\n".join(reasons), *at),
                )

        def limited(result: tuple[bool, str], *args: Any, **kwargs: Any) -> None:
            # Called after the reasons are recorded (torch/_dynamo/convert_frame.py: _compile).
            exceeded, limit = result
            recompiles = recorder.record.get("recompiles")
            if exceeded and recompiles:
                reached = f"{limit} = {getattr(names.CONFIG.get(), limit)}"
                recompiles[-1] = replace(recompiles[-1], limit=reached)

        hooks.after(names.RECOMPILATION_REASONS, recompiled)
        hooks.after(names.EXCEEDS_RECOMPILE_LIMIT, limited)


class DynamoGraphProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def begin(output_graph: Any, gm: Any, example_inputs: Any) -> None:
            recorder.key = GraphKey(recorder.graphs)
            recorder.graphs += 1
            recorder.add("dynamo_graph", record_graph(gm.graph, recorder.key, gm))

        hooks.before(names.CALL_USER_COMPILER, begin)


class SplitsProbe:
    """Tells the other probes which part of a graph is being compiled if DistributedDataParallel has it split."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def begin(*args: Any, **kwargs: Any) -> None:
            split = recorder.key.split
            recorder.key = GraphKey(
                recorder.key.index, split=0 if split is None else split + 1
            )

        hooks.before(names.COMPILE_SUBMOD, begin)


class GuardTreeProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def made(
            _: None,
            manager: Any,
            code: types.CodeType,
            output: Any,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            tree = _Tree(sorted(output.guards))
            checks = tuple(tree.all(manager.guard_manager.root))
            recorder.add(
                "guard_tree",
                GuardTree(plain_function(code.co_name), tree.accesses, checks),
            )

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
        for accessor, child in zip(
            manager.get_accessors(), manager.get_child_managers(), strict=True
        ):
            self.accesses += 1
            kind = type(accessor).__name__
            if kind in _PYTHON:
                yield GuardCheck(depth + 1, kind, True, 0, scrub(child.get_source()))
            yield from self._below(child, depth + 1)

    def _check(self, leaf: Any, reads: str, depth: int) -> GuardCheck:
        kind, conditions = type(leaf).__name__, leaf.verbose_code_parts()
        guard = self._guard(kind, reads, conditions)
        comment = "" if guard is None else commented(_user_line(guard), _author(guard))
        return GuardCheck(
            depth, kind, kind in _PYTHON, len(conditions), scrub(reads), comment
        )

    def _guard(self, kind: str, reads: str, conditions: Sequence[str]) -> Any:
        """The guard that the leaf was made from: on that value, with the same condition, or else of the same kind."""
        candidates = self._asked.get(reads, [])
        for guard in candidates:
            if any(
                condition.startswith(part)
                for condition in conditions
                for part in guard.code_list or ()
            ):
                return guard
        return next(
            (guard for guard in candidates if guard.create_fn_name() == kind), None
        )


def _author(guard: Any) -> str | None:
    frames = guard.stack.summary() if guard.stack is not None else ()
    for frame in reversed(frames):
        path = shown_path(frame.filename)
        if path not in _ON_THE_WAY:
            return f"by {path}: {frame.name}"
    return None


def _user_line(guard: Any) -> str | None:
    own = [frame for frame in guard.user_stack or () if not in_torch(frame.filename)]
    return (
        frame_at(own[-1].filename, own[-1].lineno or 0, own[-1].name)[0]
        if own
        else None
    )
