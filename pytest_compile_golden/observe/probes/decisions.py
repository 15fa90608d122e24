"""Decisions for each operator: which were decomposed during tracing, and what each was lowered to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_compile_golden.facts.graphs import Decision
from pytest_compile_golden.observe.graphs import function_name
from pytest_compile_golden.observe.hooks import Hooks
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.source_locations import source_of
from pytest_compile_golden.torch_names import inductor
from pytest_compile_golden.torch_names import scheduler as names

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
            return next(iter(reversed(mode.tracer.graph.nodes)), None), len(recorder.record.get("decomposed"))

        def decomposed(
            token: tuple[Any, int] | None, result: Any, mode: Any, operator: Any, *args: Any, **kwargs: Any
        ) -> None:
            if passes or token is None or result is None or result is NotImplemented:
                return
            last, index = token
            operators: Counter[str] = Counter()
            for node in reversed(mode.tracer.graph.nodes):
                if node is last:
                    break
                operators[_short(node.target)] += 1
            became = ", ".join(f"{name} x{times}" if times > 1 else name for name, times in sorted(operators.items()))
            where = source_of(_decompositions(mode)[operator])[1]
            decision = Decision(recorder.key, function_name(operator), became or "nothing", where)
            # Insert it before the operators that its decomposition called, which were recorded earlier.
            recorder.record.entries.setdefault("decomposed", []).insert(index, decision)

        for name in _PASSES:
            hooks.around(name, enter, leave)
        hooks.around(names.DECOMPOSE, begin, decomposed)


def _decompositions(mode: Any) -> Any:
    """The table where maybe_handle_decomp looks up an operator (torch/fx/experimental/proxy_tensor.py)."""
    if names.MODE_TABLE.expected:
        return names.MODE_TABLE.of(mode)
    table = names.DECOMPOSITION_TABLE.get()  # the table itself in 2.11, a context variable in 2.12
    return table if isinstance(table, Mapping) else table.get({})


def _short(target: Any) -> str:
    """`mul.Tensor` for aten's own operators."""
    name = target if isinstance(target, str) else function_name(target)
    return name.removeprefix("aten.")


class LoweringsProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        lowerings = names.LOWERINGS.get()

        def lowered(result: Any, graph: Any, node: Any) -> None:
            if node.op == "call_function":
                function = lowerings.get(node.target)
                where = source_of(function)[1] if function is not None else None
                kinds = ", ".join(dict.fromkeys(_kinds(result))) or "nothing"
                recorder.add("lowered", Decision(recorder.key, function_name(node.target), kinds, where))

        hooks.after(names.RUN_NODE, lowered)


def _kinds(result: Any) -> Iterator[str]:
    """The classes of torch/_inductor/ir.py that a lowering returned, without their boxes."""
    if isinstance(result, (tuple, list)):
        for value in result:
            yield from _kinds(value)
    elif type(result).__name__ in ("TensorBox", "StorageBox", "MutableBox"):
        yield from _kinds(result.data)
    elif result is not None:
        yield type(result).__name__
