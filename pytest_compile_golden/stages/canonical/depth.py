"""How deep a structural change goes: a label for two texts of one stage that differ in canonical form."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator

from pytest_compile_golden.stages.canonical import cpp_kernels, graphs, schedules, triton_kernels, wrappers
from pytest_compile_golden.stages.canonical.dataflow import keys
from pytest_compile_golden.stages.canonical.text import arguments

# Arguments that change how a kernel is cached, never what it computes.
_HINTS = re.compile(r",\s*(?:eviction_policy|cache_modifier|volatile)=(?:'[^']*'|True|False)")
_CPP_HINTS = re.compile(r"^\s*#pragma (?:GCC|unroll|clang)[^\n]*$", re.M)
_PRAGMA = re.compile(r"^\s*#pragma[^\n]*$|^\s*int tid = omp_get_thread_num\(\);$", re.M)
_ACCESS = re.compile(r"\b(tl\.(?:load|store|atomic_\w+))\(")
_LAUNCH = re.compile(r"\.run\(|\bextern_kernels\.|\btorch\.ops\.|^\0\(|\baten\.")


def graph_depth(old: str, new: str) -> str:
    """`tensor types` where only shapes, strides, dtypes or devices differ, else `graph`."""
    try:
        one, other = graphs.read(old), graphs.read(new)
    except graphs.NotAGraph:
        return "graph"
    for function in (*one, *other):
        function.inputs[:] = [(name, "") for name, _ in function.inputs]
        function.lines[:] = [(name, "", call) for name, _, call in function.lines]
    return "tensor types" if graphs.forms(one) == graphs.forms(other) else "graph"


def schedule_depth(old: str, new: str) -> str:
    """`lowering` or `fusion`: other operations or groups; then what the operations access and compute."""
    try:
        one, other = schedules.read(old), schedules.read(new)
    except ValueError:
        return "fusion"
    for label, part in _SCHEDULE:
        if [part(each) for each in one] != [part(each) for each in other]:
            return "lowering" if label == "fusion" and "group 0" not in old else label
    return "tuning"


def _groups(each: schedules.Graph) -> Hashable:
    return each.label, tuple((kind, tuple(op.kind for op in operations)) for kind, operations in each.groups)


def _accesses(each: schedules.Graph) -> Hashable:
    operations = [op for _, group in each.groups for op in group]
    # In a loop body an input has a line for its role: where other arithmetic moved it, the access is the same.
    used = Counter(tuple(use for use in uses if isinstance(use[1], str)) for uses in each.inputs.values())
    return tuple((*op.outputs, *op.reads, *op.writes) for op in operations), frozenset(used.items())


def _bodies(each: schedules.Graph) -> Hashable:
    return tuple(tuple(op.body) for _, group in each.groups for op in group)


_SCHEDULE = (
    ("fusion", _groups),
    ("kernel memory accesses", _accesses),
    ("kernel arithmetic", _bodies),
)


def triton_depth(old: str, new: str) -> str:
    """From the number of kernels (`fusion`) over memory and arithmetic to the launch and mere hints."""
    one, other = triton_kernels.read(old), triton_kernels.read(new)
    if len(one.kernels) != len(other.kernels):
        return "fusion"
    if triton_kernels.triton(_HINTS.sub("", old)) == triton_kernels.triton(_HINTS.sub("", new)):
        return "hints only"
    if _computations(old) == _computations(new):
        return "launch metadata"
    if Counter(_triton_accesses(one)) != Counter(_triton_accesses(other)):
        return "kernel memory accesses"
    return "kernel arithmetic"


def _computations(text: str) -> Hashable:
    module = triton_kernels.read(_HINTS.sub("", text))
    return [triton_kernels.computation(each) for each in module.functions], module.loose


def _triton_accesses(module: triton_kernels.Module) -> Iterator[Hashable]:
    """Each load and store of each function: its pointer and mask by how they are computed."""
    for number, function in enumerate(module.functions):
        statements = triton_kernels.steps(function.body)
        known = keys([name for name, _ in function.parameters], statements)
        for step in statements:
            for found in _ACCESS.finditer(step.text):
                called = list(arguments(step.text[found.end() :].rpartition(")")[0]))
                # `load(pointer, mask)`; `store(pointer, value, mask)`
                places = (0, 1) if found[1] == "tl.load" else (0, 2)
                text = step.text[: found.end()]
                parts: list[Hashable] = [number, found[1]]
                for place, argument in enumerate(called):
                    before = text.count("\0") - len(step.targets)
                    text += argument
                    if place in places:
                        names = step.reads[max(before, 0) : text.count("\0") - len(step.targets)]
                        parts.append((_HINTS.sub("", argument), tuple(known.get(name, name) for name in names)))
                yield tuple(parts)


def cpp_depth(old: str, new: str) -> str:
    """As `triton_depth`; how loops are spread over threads is a matter of the launch."""
    if old.count('extern "C"') != new.count('extern "C"'):
        return "fusion"
    for label, pattern in (("hints only", _CPP_HINTS), ("launch metadata", _PRAGMA)):
        if cpp_kernels.cpp(pattern.sub("", old)) == cpp_kernels.cpp(pattern.sub("", new)):
            return label
    if Counter(_cpp_accesses(old)) != Counter(_cpp_accesses(new)):
        return "kernel memory accesses"
    return "kernel arithmetic"


def _cpp_accesses(text: str) -> Iterator[tuple[str, ...]]:
    """Each `pointer[index]` and `pointer + index`, whatever the variables are called."""
    found = ["%" if token[0] == "%" else token for token in cpp_kernels.tokens(text)]
    for index, token in enumerate(found[:-2]):
        if token == "%" and (found[index + 1] == "[" or found[index + 1 : index + 3] == ["+", "static_cast"]):
            depth, end = 0, index + 1
            while end < len(found):
                depth += (found[end] in "([") - (found[end] in ")]")
                if depth < 0 or (depth == 0 and found[end] in ("]", ",", ";")):
                    break
                end += 1
            yield tuple(found[index:end])


def wrapper_depth(old: str, new: str) -> str:
    """`kernel calls` where other kernels or arguments are called, `order of calls`, or else `allocations`."""
    one, other = [_calls(text) for text in (old, new)]
    if Counter(one) != Counter(other):
        return "kernel calls"
    return "order of calls" if one != other else "allocations"


def _calls(text: str) -> list[Hashable]:
    """Launches and library calls, whatever the buffers are called."""
    return [
        (code, tuple(name for name in names if isinstance(name, str)))
        for _, code, names in wrappers.wrapper(text)
        if _LAUNCH.search(code)
    ]
