"""Results that nothing will read: a virtual GPU's are then not inferred, nor a virtual CPU's real ones computed."""

from __future__ import annotations

import functools
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from pytest_compile_golden.torch_internals import dynamo, tensors

COSTLY = 1 << 20
"""Elements of all values of a graph on the CPU, from which on its results are not computed; below, that is as fast."""

Answer = Callable[[list[Any]], list[Any]]


class LastCall:
    """The last call of a captured program, whose results are thrown away."""

    def __init__(self, caller: CodeType, broke: Callable[[], bool]) -> None:
        """`caller` is the code that makes the call; `broke` says whether a graph has been broken."""
        self._caller = caller
        self._broke = broke

    def reads_nothing(self) -> bool:
        """Whether no code of the program runs after the graph that is called right now.

        None does if the only one of its functions that is running is the one that Dynamo compiled, without a break.
        """
        if self._broke():
            return False
        frame: FrameType | None = sys._getframe(1)
        running = 0
        while frame is not None and frame.f_code is not self._caller:
            running += not _belongs_to_tools(frame.f_code.co_filename)
            frame = frame.f_back
        return frame is not None and running <= 1


@functools.lru_cache(maxsize=256)
def _belongs_to_tools(file: str) -> bool:
    """Whether code is torch's, Python's or ours: what surrounds the functions of a program."""
    modules = Path(torch.nn.__file__).parent
    path = Path(file)
    # A module of torch's own may be the program; calling any module is not.
    if modules in path.parents:
        return path == modules / "modules" / "module.py"
    ours, python = Path(__file__).parents[1], Path(sysconfig.get_paths()["stdlib"])
    installed = any(part in path.parts for part in ("site-packages", "dist-packages"))
    return (
        file.startswith("<")
        or not {Path(torch.__file__).parent, ours}.isdisjoint(path.parents)
        or (python in path.parents and not installed)
    )


def stand_ins(graph: Any, strides: list[tuple[int, ...] | None]) -> Answer | None:
    """A function from a lowered graph's inputs to results of the right shapes, with any values.

    None if the graph is cheap, does anything besides computing, or has results of other kinds or of sizes that vary.
    """
    nodes = list(graph.orig_gm.graph.nodes)
    *_, output = nodes
    results = output.args[0]
    if (
        not isinstance(results, (list, tuple))
        or len(results) != len(strides)
        or not _is_costly(nodes)
    ):
        return None
    calls = [node for node in nodes if node.op == "call_function"]
    impure = [node for node in calls if node.is_impure()]
    writes_inputs = all(
        node.target is torch.ops.aten.copy_.default and node.args[0].op == "placeholder"
        for node in impure
    )
    if not writes_inputs or any(map(depends_on_values, calls)):
        return None
    inputs = [node for node in nodes if node.op == "placeholder"]
    made = [
        _maker(result, inputs, stride)
        for result, stride in zip(results, strides, strict=True)
    ]
    context = dynamo.TRACING_CONTEXT.get().try_get()
    metadata = None if context is None else tensors.FORWARD_METADATA.of(context, None)
    # Results may be copied to the program's own tensors afterwards.
    if None in made or metadata is None or tensors.WRITTEN_INPUTS.of(metadata, True):
        return None
    return lambda given: [make(given) for make in made if make is not None]


def _maker(
    result: Any, inputs: list[Any], strides: tuple[int, ...] | None
) -> Callable[[list[Any]], Any] | None:
    if result is None:
        return lambda given: None
    if result in inputs:
        index = inputs.index(result)
        return lambda given: given[index]
    value = result.meta.get("val") if isinstance(result, torch.fx.Node) else None
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return None
    sizes = list(value.size())
    if (
        strides is None
        or len(strides) != len(sizes)
        or not all(type(size) is int for size in sizes)
    ):
        return None
    return lambda given: torch.empty_strided(
        sizes, strides, dtype=value.dtype, device=value.device
    )


def _is_costly(nodes: list[Any]) -> bool:
    elements = 0
    for node in nodes:
        value = node.meta.get("val")
        if isinstance(value, torch.Tensor) and value.device.type != "cpu":
            return True
        if isinstance(value, torch.Tensor) and all(
            type(size) is int for size in value.size()
        ):
            elements += value.numel()
    return elements >= COSTLY


_DATA_DEPENDENT = frozenset({"data_dependent_output", "dynamic_output_shape"})


def depends_on_values(node: Any) -> bool:
    """Whether the shapes or numbers that an operator gives depend on values of tensors."""
    return bool(
        _DATA_DEPENDENT & {tag.name for tag in getattr(node.target, "tags", ())}
    )
