"""How deep a change of Triton kernels goes: from their number, through accesses and arithmetic, to mere hints."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator

from pytest_compile_golden.formats.dataflow import keys
from pytest_compile_golden.formats.text import arguments
from pytest_compile_golden.formats.triton import kernels

HINTS = re.compile(r",\s*(?:eviction_policy|cache_modifier|volatile)=(?:'[^']*'|True|False)")
"""Arguments that change how a kernel is cached, never what it computes."""
_ACCESS = re.compile(r"\b(tl\.(?:load|store|atomic_\w+))\(")


def depth(old: str, new: str) -> str:
    """From the number of kernels (`fusion`), through memory and arithmetic, to the launch and mere hints."""
    before, after = kernels.read(old), kernels.read(new)
    if len(before.kernels) != len(after.kernels):
        return "fusion"
    if kernels.canonical(HINTS.sub("", old)) == kernels.canonical(HINTS.sub("", new)):
        return "hints only"
    if _computations(old) == _computations(new):
        return "launch metadata"
    if Counter(_triton_accesses(before)) != Counter(_triton_accesses(after)):
        return "kernel memory accesses"
    return "kernel arithmetic"


def _computations(text: str) -> Hashable:
    module = kernels.read(HINTS.sub("", text))
    return [function.computation for function in module.functions], module.loose


def _triton_accesses(module: kernels.Module) -> Iterator[Hashable]:
    """Each load and store of each function: its pointer and mask by how they are computed."""
    for number, function in enumerate(module.functions):
        statements = function.steps
        hashes = keys([name for name, _ in function.parameters], statements)
        for step in statements:
            for match in _ACCESS.finditer(step.text):
                called = list(arguments(step.text[match.end() :].rpartition(")")[0]))
                # `load(pointer, mask)`; `store(pointer, value, mask)`
                positions = (0, 1) if match[1] == "tl.load" else (0, 2)
                text = step.text[: match.end()]
                parts: list[Hashable] = [number, match[1]]
                for position, argument in enumerate(called):
                    before = text.count("\0") - len(step.targets)
                    text += argument
                    if position in positions:
                        names = step.reads[max(before, 0) : text.count("\0") - len(step.targets)]
                        parts.append((HINTS.sub("", argument), tuple(hashes.get(name, name) for name in names)))
                yield tuple(parts)
