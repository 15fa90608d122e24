"""Lowering and scheduling: Inductor's operations before fusion, the groups after it, and pairs that did not fuse."""

from __future__ import annotations

import functools
import re
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

from torch.fx import Node as FxNode

from pytest_compile_golden.facts.schedules import (
    Choice,
    Computed,
    Group,
    NotFused,
    Operation,
    Schedule,
)
from pytest_compile_golden.observe.author_on_stack import author_above
from pytest_compile_golden.observe.probe import Recorder
from pytest_compile_golden.observe.record_graphs import (
    device_name,
    dtype_name,
    function_name,
)
from pytest_compile_golden.observe.torch_hooks import Hooks
from pytest_compile_golden.torch_internals import inductor as names


def _layout(buffer: Any) -> str:
    """`f32[64, 1024]`, with strides if the tensor is not contiguous."""
    layout: Any = buffer.get_output_spec()
    if names.DTYPE.of(layout, None) is None:
        return type(
            layout
        ).__name__  # an operation without a tensor of its own: it writes to others
    size = layout.size
    dtype = dtype_name(layout.dtype)
    text = f"{dtype}[{', '.join(map(str, size))}]"
    stride = list(layout.stride)
    flexible = isinstance(layout, names.FLEXIBLE_LAYOUT.get())
    if flexible and stride != list(names.CONTIGUOUS_STRIDES.get()(size)):
        text += f"[{', '.join(map(str, stride))}]"
    return f"{text} {device_name(layout.device)}"


def _kind(node: Any) -> str:
    operation = node.node
    if type(operation).__name__ == "MultiOutput":
        return "unpack"  # picks one result of a library call; nothing runs
    if type(operation).__name__ == "OrderingBarrier":
        return "nop ordering"  # a name for a buffer, so that its readers come after what else has that name
    if node.is_extern():
        kernel = names.KERNEL_NAME.of(operation, None) or names.OVERLOAD.of(
            operation, None
        )
        return f"extern {type(operation).__name__}" + (f" {kernel}" if kernel else "")
    if node.is_template():
        return f"template {type(operation).__name__}"
    data = names.LOOPS.of(operation, None)
    name = type(data).__name__ if data is not None else type(operation).__name__
    reduction = names.REDUCTION.of(data, None)
    return f"{name} {reduction}".lower() if reduction else name.lower()


def _dependency(dep: Any) -> str:
    # Only a MemoryDep has an index; for other classes the property raises.
    return (
        f"{dep.name}[{_printed(dep.index)}]"
        if type(dep).__name__ == "MemoryDep"
        else str(dep.name)
    )


# SymPy takes long to print, and groups are described after each step of the scheduler.
@functools.lru_cache(maxsize=1 << 12)
def _printed(index: Any) -> str:
    return str(index)


def _operator(origin: Any) -> Iterator[str]:
    """The operator of an FX node, the operator it was decomposed from, and the user's call behind it."""
    if origin.op == "call_function":
        yield function_name(origin.target)
    original = origin.meta.get("original_aten")
    if original is not None:
        yield str(original)
    for _, source in origin.meta.get("source_fn_stack") or ():
        yield source if isinstance(source, str) else function_name(source)


def _body(node: Any) -> Iterator[str]:
    body = names.BODY.of(node, None)
    if body is None:
        return
    yield "for " + (
        ", ".join(f"{var} < {size}" for var, size in body.var_ranges.items())
        or "one element"
    )
    for name, index in body.indexing_exprs.items():
        yield f"{name} = {index}"
    for name, block in (("", body.root_block), *body.subblocks.items()):
        if name:
            yield f"{name}:"
        yield from _block(block)


def _block(block: Any) -> Iterator[str]:
    inline: dict[Any, str] = {}

    def value(argument: Any) -> str:
        if isinstance(argument, FxNode):
            return str(inline.get(argument, argument.name))
        if isinstance(argument, (tuple, list)):
            return f"({', '.join(map(value, argument))})"
        return (
            repr(argument)
            if isinstance(argument, (str, float, int, bool)) or argument is None
            else str(argument)
        )

    for node in block.graph.nodes:
        if node.op == "placeholder":
            inline[node] = node.name
        elif node.op == "call_module" and node.target == "get_index":
            inline[node] = str(node.args[0])
        elif node.op == "output":
            continue
        else:
            callee = (
                f"ops.{node.target}"
                if node.op == "call_method"
                else function_or_target(node.target)
            )
            arguments = node.args[1:] if node.op == "call_method" else node.args
            texts = [
                *map(value, arguments),
                *(f"{key}={value(item)}" for key, item in node.kwargs.items()),
            ]
            yield f"{node.name} = {callee}({', '.join(texts)})"


def function_or_target(target: Any) -> str:
    """What a node of a graph calls, by the name that texts have."""
    return target if isinstance(target, str) else function_name(target)


def computed(operation: Any) -> dict[str, int]:
    """The operators of the post-grad graph that an operation was made from, by name, with the count of each."""
    return dict(Counter(function_name(call.target) for call in calls_of(operation)))


def calls_of(operation: Any) -> list[Any]:
    """The calls in the post-grad graph that an operation was made from, sorted by operator name."""
    origins = () if operation is None else names.ORIGINS.of(operation)
    calls = [origin for origin in origins if origin.op == "call_function"]
    return sorted(calls, key=lambda call: function_name(call.target))


def _describe(node: Any, with_body: bool) -> Operation:
    operation = node.node
    origins = list(() if operation is None else names.ORIGINS.of(operation))
    operators = dict.fromkeys(name for origin in origins for name in _operator(origin))
    reads = node.read_writes.reads
    return Operation(
        name=node.get_name(),
        kind=_kind(node),
        outputs=tuple(
            f"{buffer.get_name()}: {_layout(buffer.node)}"
            for buffer in node.get_outputs()
        ),
        computes=tuple(
            Computed(name, times) for name, times in computed(operation).items()
        ),
        reads=tuple(sorted(map(_dependency, reads))),
        writes=tuple(sorted(map(_dependency, node.read_writes.writes))),
        body=tuple(_body(node)) if with_body else (),
        nodes=tuple(sorted(call.name for call in calls_of(operation))),
        operators=tuple(sorted(operators)),
    )


def group_kind(group: Any) -> str:
    """What a group becomes: `pointwise`, `reduction`, `foreach`, `template`, `extern`; `unpack` and `nop`: nothing."""
    members = list(group.get_nodes())
    if group.is_foreach():
        return "foreach"
    if any(member.is_template() for member in members):
        return "template"
    if len(members) == 1:
        return _kind(members[0]).split()[0]
    return "reduction" if group.is_reduction() else "pointwise"


def stream_of(group: Any) -> int:
    """The number of the stream that torch runs its first node on, before and after fusion; 0 is the current one."""
    first = next(iter(group.get_nodes()))
    return (
        int(names.STREAMS.of(group.scheduler, {}).get(first, 0))
        if names.STREAMS.here
        else 0
    )


def groups_of(nodes: list[Any], with_body: bool) -> tuple[Group, ...]:
    """The scheduler's nodes as facts. with_body: with what their loops compute."""
    groups = []
    for group in nodes:
        described = tuple(_describe(member, with_body) for member in group.get_nodes())
        groups.append(Group(group_kind(group), described, stream=stream_of(group)))
    return tuple(groups)


class LoweredIrProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def lowered(nodes: list[Any]) -> None:
            recorder.add(
                "lowered_ir",
                Schedule(recorder.key.label, groups_of(nodes, with_body=True)),
            )

        hooks.before(names.PRE_FUSION, lowered)


class SchedulerProbe:
    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def fused(nodes: list[Any]) -> None:
            recorder.add(
                "scheduler_nodes",
                Schedule(recorder.key.label, groups_of(nodes, with_body=False)),
            )

        hooks.before(names.POST_FUSION, fused)


class RefusalsProbe:
    """Records which operations were not fused, with the reasons that torch gives."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        seen: set[tuple[str, NotFused]] = set()

        def refused(why: Any, reason: str, *args: Any) -> None:
            # The frames of the hook and its guard are in between.
            words = " ".join((reason % args).split())
            said = (
                recorder.key.label,
                NotFused(why.name1, why.name2, words, author_above(sys._getframe(1))),
            )
            if said not in seen:  # asked again in every round of fusion
                seen.add(said)
                recorder.add("not_fused", said)

        hooks.before(names.WHY_NO_FUSE, refused)


class KernelNamesProbe:
    """Records which kernel each group became: torch names it when it has written the kernel's source."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def named(
            kernel: str,
            scheduling: Any,
            source: str,
            nodes: list[Any],
            *args: Any,
            **kwargs: Any,
        ) -> None:
            # Among a kernel's nodes, Triton's code generator has marks of where a reduction begins and ends
            # (torch/_inductor/codegen/simd.py: EnableReduction).
            groups = [node for node in nodes if isinstance(node, names.SCHEDULED.get())]
            members = tuple(
                dict.fromkeys(
                    each.get_name() for group in groups for each in group.get_nodes()
                )
            )
            recorder.add("kernels", (recorder.key.label, kernel, members))

        hooks.after(names.DEFINE_TRITON_KERNEL, named)
        hooks.after(names.DEFINE_CPP_KERNEL, named)


class AutotuneProbe:
    """Records which kernel max-autotune chose for each operator."""

    def install(self, hooks: Hooks, recorder: Recorder) -> None:
        def chose(
            times: Any, selector: Any, operator: str, *args: Any, **kwargs: Any
        ) -> None:
            if times:
                best = min(times, key=times.__getitem__)
                # A template's name ends in a per-process counter; its description identifies the variant.
                variant = names.DESCRIPTION.of(best, "")
                chosen = re.sub(r"_\d+$", "", best.name) + (
                    f" ({variant})" if variant else ""
                )
                recorder.add(
                    "autotuned",
                    (recorder.key.label, Choice(operator, chosen, len(times))),
                )

        hooks.after(names.DO_AUTOTUNING, chose)
