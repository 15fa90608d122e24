"""What the text of a kernel, or a library call of a graph, says about its speed beyond bytes and FLOPs."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator

from packaging.version import Version

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.graphs import Graph, Node
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.inductor_module import PrintedKernel, read_module
from pytest_compile_golden.formats.kernel_metadata import entries

_BITS = re.compile(r"\d+")
# A pointer; what is not given at run time takes nothing.
_POINTER, _CONSTANT = 8, "constexpr"
# Memory that a launch adds: a pointer each for what a kernel, and what a profiler, may write to in global memory
# (triton/backends/nvidia/driver.py: global_scratch, profile_scratch).
_SCRATCH = 2 * _POINTER
# A tensor map of CUDA's (cuda.h: CUtensorMap); Triton passes the sizes and strides after it.
_TENSOR_MAP = 128

_PARALLEL = "#pragma omp parallel"
_LOOP = re.compile(
    r"for *\([\w:]+ (?P<name>\w+)=(?P<start>[^;]*); *(?P=name)<(?P<end>[^;]*); *(?P=name)\+=(?P<step>[^)]*\)?)\)"
)
_NUMBER = re.compile(r"(?:static_cast<\w+>\()?(\d+)L?\)?")
_LEAST_REPEATED = 2
# As much as a loop must have more rounds than the loops around it for Inductor to start the threads inside of these
# (torch/_inductor/codegen/cpp.py: LoopNest.max_parallel_depth). Up to torch 2.14 it counts a vectorised loop of fewer
# elements than a vector has as none, and starts them inside whatever the others are.
_ENOUGH_ROUNDS = 300

# oneDNN's inner product in bfloat16, which is what a frozen linear layer calls. On Arm it has no other kernel than its
# reference implementation until the Arm Compute Library of torch 2.15 (oneDNN 3.12: cpu/aarch64/acl_inner_product.cpp).
_ARM = "cpu-neon"
_REFERENCE_CALLS = ("mkldnn._linear_pointwise", "mkldnn._linear_pointwise.default")
_SINCE_OPTIMISED = Version("2.15")


def parameter_bytes(record: Record) -> int | None:
    """Bytes of the parameters of the Triton kernel that takes most; None if there is no Triton kernel."""
    sizes = [
        size
        for kernel in _kernels(record)
        if kernel.language == "triton"
        and (size := _bytes_of(kernel.source)) is not None
    ]
    return max(sizes, default=None)


def _bytes_of(source: str) -> int | None:
    """Bytes of one kernel's parameters, each aligned to its size; None if its types are not written as a dictionary."""
    signature = entries(line.strip() for line in split_lines(source)).get("signature")
    try:
        types = ast.literal_eval(signature) if signature else None
    except (SyntaxError, ValueError):
        return None
    if not isinstance(types, dict):
        return None
    total = 0
    for size in map(_size, map(str, types.values())):
        if size:
            aligned = min(size, _POINTER)
            total = -(-total // aligned) * aligned + size
    return -(-total // _POINTER) * _POINTER + _SCRATCH


def _size(type_name: str) -> int:
    """Bytes of a parameter by Triton's name of its type: `*fp32`, `i64`, `fp64`, `tensordesc<fp16[64, 64]>`."""
    if type_name == _CONSTANT:
        return 0
    if type_name.startswith("*"):
        return _POINTER
    if type_name.startswith(("tensordesc", "nvTmaDesc")):
        return _TENSOR_MAP + 2 * _POINTER * (type_name.count(",") + 1)
    bits = _BITS.search(type_name)
    return max(int(bits[0]) // 8, 1) if bits else _POINTER


def thread_starts(record: Record) -> int | None:
    """How often C++ kernels start threads inside a serial loop, for little work; None if there is no C++ kernel."""
    kernels = [kernel for kernel in _kernels(record) if kernel.language == "cpp"]
    return (
        sum(starts for kernel in kernels for starts in _starts(kernel.source))
        if kernels
        else None
    )


def _starts(source: str) -> Iterator[int]:
    """For each parallel region in a serial loop, how often it is entered, unless its threads then have enough to do."""
    # The rounds of the loop that each open block is the body of, else 1, and whether threads are running in it.
    blocks: list[tuple[int, bool]] = []
    rounds, parallel = 1, False
    entered = 1
    for line in map(str.strip, split_lines(source)):
        if line == "{":
            blocks.append((rounds, parallel))
            rounds, parallel = 1, False
        elif line.startswith("}"):
            blocks = blocks[:-1]
        elif line.startswith(_PARALLEL) and not any(running for _, running in blocks):
            entered, parallel = math.prod(before for before, _ in blocks), True
        elif (loop := _LOOP.match(line)) is not None:
            rounds = _rounds(loop)
            if entered > 1 and rounds <= entered * _ENOUGH_ROUNDS:
                yield entered
            entered = 1


def _rounds(loop: re.Match[str]) -> int:
    """How often the body of a loop runs; where its bounds vary, the least that repeats it."""
    numbers = [
        _NUMBER.fullmatch(loop[part].strip()) for part in ("start", "end", "step")
    ]
    if not all(numbers):
        return _LEAST_REPEATED
    start, end, step = (int(number[1]) for number in numbers if number)
    return max(-(-(end - start) // max(step, 1)), 0)


def reference_calls(record: Record) -> int | None:
    """Library calls for which oneDNN has only its reference implementation; None where it may have others."""
    if (
        record.target != _ARM
        or Version(record.environment.torch).release >= _SINCE_OPTIMISED.release
    ):
        return None
    graphs: list[Graph] = record.get("post_grad_graph")
    nodes = (
        node
        for graph in graphs
        for part in graph.with_subgraphs()
        for node in part.nodes
    )
    return sum(map(_is_reference_call, nodes))


def _is_reference_call(node: Node) -> bool:
    called = node.target.removeprefix("torch.ops.") in _REFERENCE_CALLS
    return (
        called
        and not isinstance(node.type, str)
        and node.type is not None
        and node.type.dtype == "bf16"
    )


def _kernels(record: Record) -> Iterator[PrintedKernel]:
    for code in record.get("output_code"):
        yield from read_module(code.code).kernels
