"""FX graphs as plain data: nodes with their arguments as Python expressions, and the user's line behind each node."""

from __future__ import annotations

import functools
import linecache
import sysconfig
from collections.abc import Callable
from dataclasses import replace
from operator import is_
from pathlib import Path
from typing import Any

import torch
from torch.fx import Graph as FxGraph
from torch.fx import GraphModule
from torch.fx import Node as FxNode

from pytest_compile_golden.common.regular_expressions import without_addresses
from pytest_compile_golden.facts.frames import Frame, frames
from pytest_compile_golden.facts.graphs import Graph, GraphKey, Node, TensorType
from pytest_compile_golden.torch_internals import tensors as names

_DTYPES = {
    torch.bool: "b8",
    torch.uint8: "u8",
    torch.uint16: "u16",
    torch.uint32: "u32",
    torch.uint64: "u64",
    torch.int8: "i8",
    torch.int16: "i16",
    torch.int32: "i32",
    torch.int64: "i64",
    torch.float16: "f16",
    torch.bfloat16: "bf16",
    torch.float32: "f32",
    torch.float64: "f64",
    torch.complex64: "c64",
    torch.complex128: "c128",
}
# The file name of code that torch.fx generates for a graph.
_GENERATED = "<eval_with_key>"
_TORCH_FOLDER = str(Path(torch.__file__).parent)
# pip installs both in one place.
_TRITON_FOLDER = str(Path(torch.__file__).parents[1] / "triton") + "/"
_STANDARD_LIBRARY = sysconfig.get_paths()["stdlib"] + "/"
_PACKAGES = tuple(f"{_STANDARD_LIBRARY}{name}-packages/" for name in ("site", "dist"))
# Reinplacing leaves its decision here for the pass that decomposes the call (torch/_inductor/fx_passes/reinplace.py).
DECIDED = "only_clone_these_tensors"
_MKL_LINEAR = "mkl._mkl_linear"


def dtype_name(dtype: torch.dtype) -> str:
    """`f32` for torch.float32; torch's own name for dtypes without a short one (`float8_e4m3fn`)."""
    return _DTYPES.get(dtype) or str(dtype).removeprefix("torch.")


def device_name(device: torch.device) -> str:
    """`cpu`, `cuda:0`: how goldens name a device."""
    return str(device)


def tensor_type(tensor: torch.Tensor) -> TensorType:
    """The static properties of a (fake) tensor; `stride` is empty for layouts without strides."""
    strided = tensor.layout is torch.strided
    return TensorType(
        dtype=dtype_name(tensor.dtype),
        shape=tuple(map(str, tensor.shape)),
        stride=tuple(map(str, tensor.stride())) if strided else (),
        contiguous=not strided or _is_contiguous(tensor),
        device=device_name(tensor.device),
    )


def _is_contiguous(tensor: torch.Tensor) -> bool:
    # Tensor.is_contiguous() on symbolic sizes would add guards to the program under test.
    expected: Any = 1
    sizes, strides = tensor.shape, tensor.stride()
    if any(isinstance(size, int) and size == 0 for size in sizes):
        return True
    for size, stride in zip(reversed(sizes), reversed(strides), strict=True):
        if isinstance(size, int) and size == 1:
            continue
        if str(stride) != str(expected):
            return False
        expected = expected * size
    return True


def value_type(value: object) -> TensorType | str | None:
    """What a node's value is: a tensor type, the expression of a symbolic number, or None."""
    if isinstance(value, torch.Tensor):
        return tensor_type(value)
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return str(value)
    return None


@functools.lru_cache(maxsize=4096)
def function_name(target: Any) -> str:
    """The qualified name of the function that a node calls, the same in every process and torch version."""
    if isinstance(target, names.OPERATOR.get()):
        return str(target)
    if isinstance(target, names.HIGHER_ORDER.get()):
        return f"higher_order.{target.name()}"
    if isinstance(target, names.PACKET.get()):
        return str(target)
    name = (
        getattr(target, "__qualname__", None)
        or getattr(target, "__name__", None)
        or type(target).__qualname__
    )
    module = getattr(target, "__module__", None) or ""
    if module in ("_operator", "builtins", "math"):
        return f"{module.removeprefix('_')}.{name}" if module != "builtins" else name
    if module.startswith("torch._C") or getattr(torch, name, None) is target:
        return (
            f"torch.{name}"
            if getattr(torch, name, None) is target
            else f"{module}.{name}"
        )
    return f"{module}.{name}" if module else name


def plain_expression(value: Any, inside: Callable[[Any], str]) -> str | None:
    """A node, a plain value or a container as Python, its elements as `inside` writes them; None for anything else."""
    if isinstance(value, FxNode):
        return str(value.name)
    if (
        value is None
        or value is ...
        or isinstance(value, (bool, int, float, complex, str))
    ):
        return "..." if value is ... else repr(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(inside, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, list):
        return f"[{', '.join(map(inside, value))}]"
    if isinstance(value, dict):
        return (
            "{"
            + ", ".join(f"{key!r}: {inside(item)}" for key, item in value.items())
            + "}"
        )
    if isinstance(value, slice):
        return (
            f"slice({inside(value.start)}, {inside(value.stop)}, {inside(value.step)})"
        )
    return None


def expression(value: Any) -> str:
    """A node's argument as a Python expression over the names of other nodes."""
    if (plain := plain_expression(value, expression)) is not None:
        return plain
    if isinstance(value, torch.dtype):
        return str(value)
    if isinstance(value, torch.device):
        return f"device('{device_name(value)}')"
    if isinstance(
        value,
        (
            torch.memory_format,
            torch.layout,
            torch.SymInt,
            torch.SymFloat,
            torch.SymBool,
        ),
    ):
        return str(value)
    if isinstance(value, torch.Tensor):
        return f"tensor({', '.join(tensor_type(value).shape)})"
    if callable(value):
        return function_name(value)
    return without_addresses(repr(value))


@functools.lru_cache(maxsize=512)
def user_frame(trace: str | None) -> tuple[str | None, str | None]:
    """`function: source line` and `file:line` of the user's innermost frame in a stack trace kept by torch."""
    own = [
        frame
        for frame in frames(trace or "")
        if not frame.file.startswith((_TORCH_FOLDER, _GENERATED))
    ]
    inside = next((frame for frame in reversed(own) if frame.code), None)
    return (None, None) if inside is None else (inside.quoted, inside.location)


def frame_at(filename: str, line: int, function: str) -> tuple[str, str]:
    """`function: source line` and `file:line` of a location in the user's code."""
    frame = Frame(filename, line, function, linecache.getline(filename, line))
    return frame.quoted.rstrip(": "), frame.location


def is_user_file(filename: str) -> bool:
    """Whether a file is neither torch's nor Triton's nor generated by torch nor in the standard library."""
    installed = filename.startswith(_PACKAGES) or not filename.startswith(
        _STANDARD_LIBRARY
    )
    return installed and not filename.startswith(
        (_TORCH_FOLDER, _TRITON_FOLDER, _GENERATED)
    )


def _node(node: FxNode) -> Node:
    meta = node.meta
    value = meta.get("val", meta.get("example_value"))
    target = node.target if isinstance(node.target, str) else function_name(node.target)
    keywords = (
        {**node.kwargs, DECIDED: meta[DECIDED]} if DECIDED in meta else node.kwargs
    )
    code, where = user_frame(node.stack_trace)
    # Whether `node` is a weight that freezing packed for MKL (torch/_inductor/fx_passes/mkldnn_fusion.py).
    readers = node.users if node.op == "get_attr" else ()
    is_packed = any(
        str(user.target) == _MKL_LINEAR and user.args[1] is node for user in readers
    )
    return Node(
        name=node.name,
        op=node.op,
        target=target,
        args=tuple(map(expression, node.args)),
        kwargs=tuple((key, expression(item)) for key, item in keywords.items()),
        type=_packed(value) if is_packed else value_type(value),
        code=code,
        location=where,
    )


def _packed(value: Any) -> TensorType | str | None:
    """The type of a packed weight without its length, which depends on the processor that packed it."""
    packed_type = value_type(value)
    return (
        replace(packed_type, shape=("packed",), stride=("1",))
        if isinstance(packed_type, TensorType)
        else packed_type
    )


def record_graph(
    graph: FxGraph,
    key: GraphKey,
    module: GraphModule | None = None,
    node: Callable[[FxNode], Node] = _node,
) -> Graph:
    """`graph` and every graph that it reaches through `get_attr`, as plain data; `node` converts one node."""
    owner = module if module is not None else graph.owning_module
    subgraphs: list[tuple[str, Graph]] = []
    for fx_node in graph.nodes:
        if fx_node.op == "get_attr" and owner is not None:
            child = getattr(owner, str(fx_node.target), None)
            if isinstance(child, GraphModule) and str(fx_node.target) not in dict(
                subgraphs
            ):
                subgraphs.append(
                    (str(fx_node.target), record_graph(child.graph, key, child, node))
                )
    return Graph(
        key=key, nodes=tuple(map(node, graph.nodes)), subgraphs=tuple(subgraphs)
    )


class GraphRecorder:
    """Records a graph repeatedly while passes change it; an unchanged node is converted only once."""

    def __init__(self) -> None:
        self._known: dict[FxNode, tuple[tuple[Any, ...], Node]] = {}

    def record(self, module: GraphModule, key: GraphKey) -> Graph:
        """The graph as a fact; nodes that are as they were when last recorded are not read again."""
        if any(
            node.name != recorded.name for node, (_, recorded) in self._known.items()
        ):
            self._known.clear()  # the arguments of other nodes use the old name
        return record_graph(module.graph, key, module, self._node)

    def forget(self) -> None:
        """Read every node again next time."""
        self._known.clear()

    def _node(self, node: FxNode) -> Node:
        meta = node.meta
        value = meta.get("val", meta.get("example_value"))
        state = (
            node.target,
            node.args,
            node.kwargs,
            value,
            node.stack_trace,
            meta.get(DECIDED),
        )
        cached = self._known.get(node)
        if cached is None or not all(map(is_, cached[0], state)):
            cached = self._known[node] = state, _node(node)
        return cached[1]
