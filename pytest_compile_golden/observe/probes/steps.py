"""Rows of the pass ledger for steps that are not graph passes: the partitioner, and lowerings written by the user."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from pytest_compile_golden.facts.graphs import Pass
from pytest_compile_golden.observe.graphs import function_name
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import source_of, summary, written_by_user
from pytest_compile_golden.torch_names import inductor as names
from pytest_compile_golden.torch_names import scheduler


class PartitionerProbe:
    """One row for splitting the joint graph in two, including what backward recomputes."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        default = names.DEFAULT_PARTITIONER.get()
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
            override, custom = kwargs.get("partitioner_fn_override"), names.CUSTOM_PARTITIONER.get()
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

        hooks.after(names.JOINT_PASSES, passed)
        hooks.after(names.PARTITION, split)


def _count(module: Any) -> tuple[int, Counter[str]]:
    """The nodes of a graph, and its calls by operator."""
    nodes = list(module.graph.nodes)
    return len(nodes), Counter(function_name(node.target) for node in nodes if node.op == "call_function")


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
        tables = [row.get() for row in (scheduler.USER_LOWERINGS, scheduler.LOWERINGS) if row.expected or row.here]

        def lowered(began: float | None, result: Any, graph: Any, target: Any, *args: Any, **kwargs: Any) -> None:
            run = next((table[target] for table in tables if target in table), None)
            if began is None or run is None or result is None or not written_by_user(run):
                return
            name, where = source_of(run)
            row = Pass(recorder.key, "lowering", name, where, 0, 0, True, summary=summary(run), started=began)
            entry = users.setdefault(graph, {}).setdefault(run, _Lowered(row))
            entry.taken[function_name(target)] += 1
            entry.made.update(_kind(value) for value in (result if isinstance(result, (list, tuple)) else [result]))
            entry.row.seconds += time.perf_counter() - began

        def done(began: float | None, result: Any, graph: Any, *args: Any, **kwargs: Any) -> None:
            for entry in users.pop(graph, {}).values():
                row = entry.row
                row.before, row.after = entry.taken.total(), entry.made.total()
                row.removed, row.added = dict(sorted(entry.taken.items())), dict(sorted(entry.made.items()))
                recorder.add("passes", row)

        hooks.around(scheduler.CALL_FUNCTION, lambda *args, **kwargs: time.perf_counter(), lowered)
        hooks.around(scheduler.RUN, lambda *args, **kwargs: time.perf_counter(), done)


def _kind(value: Any) -> str:
    """`Pointwise`, `Reduction`, `FallbackKernel`: the class inside the boxes that a lowering returns."""
    box, computed = names.BOX.get(), names.COMPUTED.get()
    while isinstance(value, (box, computed)):
        value = (names.BOXED if isinstance(value, box) else names.LOOPS).of(value)
    return type(value).__name__
