"""Decisions that are not passes': decompositions, the partitioner, and what each operator was lowered to."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.facts.graphs import Decision, Pass
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import function_name
from pytest_compile_golden.observe.source_locations import (
    source_of,
    summary,
    written_by_user,
)
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import inductor, scheduler

# Passes trace the replacements that they make, and tracing decomposes.
_PASSES = (inductor.PRE_GRAD_PASSES, inductor.JOINT_PASSES, inductor.POST_GRAD_PASSES)


class DecompositionsProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        passes = 0

        def enter(*args: Any, **kwargs: Any) -> None:
            nonlocal passes
            passes += 1

        def leave(*args: Any, **kwargs: Any) -> None:
            nonlocal passes
            passes -= 1

        def begin(mode: Any, *args: Any, **kwargs: Any) -> tuple[Any, int]:
            return next(iter(reversed(mode.tracer.graph.nodes)), None), len(
                recorder.record.get("decomposed")
            )

        def decomposed(
            token: tuple[Any, int] | None,
            result: Any,
            mode: Any,
            operator: Any,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            if passes or token is None or result is None or result is NotImplemented:
                return
            last, index = token
            operators: Counter[str] = Counter()
            for node in reversed(mode.tracer.graph.nodes):
                if node is last:
                    break
                target = node.target
                name = target if isinstance(target, str) else function_name(target)
                operators[name.removeprefix("aten.")] += 1
            became = ", ".join(
                f"{name} x{times}" if times > 1 else name
                for name, times in sorted(operators.items())
            )
            where = source_of(_decompositions(mode)[operator])[1]
            decision = Decision(
                recorder.key, function_name(operator), became or "nothing", where
            )
            # Insert it before the operators that its decomposition called, which were recorded earlier.
            recorder.record.entries.setdefault("decomposed", []).insert(index, decision)

        for name in _PASSES:
            hooks.around(name, enter, leave)
        hooks.around(scheduler.DECOMPOSE, begin, decomposed)


def _decompositions(mode: Any) -> Any:
    """The table where maybe_handle_decomp looks up an operator (torch/fx/experimental/proxy_tensor.py)."""
    if scheduler.MODE_TABLE.expected:
        return scheduler.MODE_TABLE.of(mode)
    # The table itself in 2.11, a context variable in 2.12.
    table = scheduler.DECOMPOSITION_TABLE.get()
    return table if isinstance(table, Mapping) else table.get({})


class LoweringsProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        lowerings = scheduler.LOWERINGS.get()

        def lowered(result: Any, graph: Any, node: Any) -> None:
            if node.op == "call_function":
                function = lowerings.get(node.target)
                where = source_of(function)[1] if function is not None else None
                kinds = ", ".join(dict.fromkeys(_kinds(result))) or "nothing"
                recorder.add(
                    "lowered",
                    Decision(recorder.key, function_name(node.target), kinds, where),
                )

        hooks.after(scheduler.RUN_NODE, lowered)


def _kinds(result: Any) -> Iterator[str]:
    """The classes of torch/_inductor/ir.py that a lowering returned, without their boxes."""
    if isinstance(result, (tuple, list)):
        for value in result:
            yield from _kinds(value)
    elif type(result).__name__ in ("TensorBox", "StorageBox", "MutableBox"):
        yield from _kinds(result.data)
    elif result is not None:
        yield type(result).__name__


class PartitionerProbe:
    """One row for splitting the joint graph in two, including what backward recomputes."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        default = inductor.DEFAULT_PARTITIONER.get()
        joint: list[tuple[int, Counter[str]]] = []
        began = 0.0

        def passed(result: Any, module: Any, *args: Any, **kwargs: Any) -> None:
            nonlocal began
            # The last one is the outermost graph's. Until 2.10 the passes return nothing.
            joint[:] = [_count(module if result is None else result)]
            began = time.perf_counter()

        def split(result: Any, gm: Any, inputs: Any, *args: Any, **kwargs: Any) -> None:
            if not joint:
                return
            override, custom = (
                kwargs.get("partitioner_fn_override"),
                inductor.CUSTOM_PARTITIONER.get(),
            )
            run = override or custom or default
            name, where = source_of(run)
            if run is not default:
                name = f"{'partitioner_fn_override' if override else 'custom_partitioner_fn'} / {name}"
            before, old = joint.pop()
            sizes = [_count(module) for module in result]
            new = sizes[0][1] + sizes[1][1]
            recorder.add(
                "passes",
                Pass(
                    key=recorder.key,
                    phase="partition",
                    name=name,
                    where=where,
                    before=before,
                    after=sum(size for size, _ in sizes),
                    changed=True,
                    added=dict(sorted((new - old).items())),
                    removed=dict(sorted((old - new).items())),
                    summary=summary(run),
                    started=began,
                    seconds=time.perf_counter() - began,
                ),
            )

        hooks.after(inductor.JOINT_PASSES, passed)
        hooks.after(inductor.PARTITION, split)


def _count(module: Any) -> tuple[int, Counter[str]]:
    """The nodes of a graph, and its calls by operator."""
    nodes = list(module.graph.nodes)
    return len(nodes), Counter(
        function_name(node.target) for node in nodes if node.op == "call_function"
    )


@dataclass
class _Lowered:
    """What one of the user's lowerings did in a graph."""

    row: Pass
    made: Counter[str] = field(default_factory=Counter)
    taken: Counter[str] = field(default_factory=Counter)


class CustomLoweringsProbe:
    """One row for each of the user's lowerings that a graph uses: the operators it took and what it made from them."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        users: dict[Any, dict[Any, _Lowered]] = {}
        # Older versions have one table for all.
        tables = [
            row.get()
            for row in (scheduler.USER_LOWERINGS, scheduler.LOWERINGS)
            if row.expected or row.here
        ]

        def lowered(
            began: float | None,
            result: Any,
            graph: Any,
            target: Any,
            *args: Any,
            **kwargs: Any,
        ) -> None:
            run = next((table[target] for table in tables if target in table), None)
            if (
                began is None
                or run is None
                or result is None
                or not written_by_user(run)
            ):
                return
            name, where = source_of(run)
            row = Pass(
                recorder.key,
                "lowering",
                name,
                where,
                0,
                0,
                True,
                summary=summary(run),
                started=began,
            )
            entry = users.setdefault(graph, {}).setdefault(run, _Lowered(row))
            entry.taken[function_name(target)] += 1
            entry.made.update(
                _kind(value)
                for value in (result if isinstance(result, (list, tuple)) else [result])
            )
            entry.row.seconds += time.perf_counter() - began

        def done(
            began: float | None, result: Any, graph: Any, *args: Any, **kwargs: Any
        ) -> None:
            for entry in users.pop(graph, {}).values():
                row = entry.row
                row.before, row.after = entry.taken.total(), entry.made.total()
                row.removed, row.added = (
                    dict(sorted(entry.taken.items())),
                    dict(sorted(entry.made.items())),
                )
                recorder.add("passes", row)

        hooks.around(
            scheduler.CALL_FUNCTION,
            lambda *args, **kwargs: time.perf_counter(),
            lowered,
        )
        hooks.around(scheduler.RUN, lambda *args, **kwargs: time.perf_counter(), done)


def _kind(value: Any) -> str:
    """`Pointwise`, `Reduction`, `FallbackKernel`: the class inside the boxes that a lowering returns."""
    box, computed = inductor.BOX.get(), inductor.COMPUTED.get()
    while isinstance(value, (box, computed)):
        value = (inductor.BOXED if isinstance(value, box) else inductor.LOOPS).of(value)
    return type(value).__name__
