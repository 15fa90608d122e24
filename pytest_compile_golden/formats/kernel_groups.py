"""Which kernel each scheduler group became; neither artifact refers to the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pytest_compile_golden.formats.schedule import printed
from pytest_compile_golden.formats.schedule.form import canonical
from pytest_compile_golden.formats.schedule.printed import PrintedGroup

# Groups that become a library call, or nothing, rather than a kernel.
_CALL = re.compile(r"extern")
_NOTHING = re.compile(r"nop|unpack|concat")
_KINDS = {"poi": "pointwise", "red": "reduction", "per": "reduction", "tem": "template", "for": "foreach"}
_TRITON = re.compile(r"triton_(\w{3})_")


def kernels_of(groups: Sequence[PrintedGroup], kernels: Sequence[str]) -> list[tuple[int, ...]]:
    """For each group, the indices of the kernels that it may have become; empty for a library call.

    groups, kernels: of one graph, in the order in which they run and are first launched. A single index is certain;
    several are the candidates.
    """
    indices = [at for at, group in enumerate(groups) if makes_kernel(group)]
    kernels_by_group: list[tuple[int, ...]] = [()] * len(groups)
    for numbers in (_one_each(indices), _equal_as_one(groups, indices), _neighbours_as_one(groups, indices, kernels)):
        if numbers and max(numbers) + 1 == len(kernels):
            for at, number in zip(indices, numbers, strict=True):
                kernels_by_group[at] = (number,)
            return kernels_by_group
    for at in indices:
        kernels_by_group[at] = tuple(number for number, name in enumerate(kernels) if _fits(name, groups[at].kind))
    return kernels_by_group


def makes_kernel(group: PrintedGroup) -> bool:
    """Whether it becomes a kernel rather than a library call or nothing."""
    return bool(group.kind) and not _CALL.search(group.kind) and not is_eliminated(group)


def is_eliminated(group: PrintedGroup) -> bool:
    """Whether it becomes neither a kernel nor a call: a buffer that others write into, a part of a library's result."""
    return bool(_NOTHING.search(group.kind))


@lru_cache(maxsize=1 << 12)
def form(group: PrintedGroup) -> str:
    """Equal for groups that access the same memory in the same way, whatever they compute."""
    return repr(canonical(printed.write([printed.loose_group(group.kind, group.operations)])))


def work(group: PrintedGroup) -> str:
    """Equal for groups that do the same work: groups are printed without loop bodies, but with operators."""
    return repr((form(group), [sorted(map(str, operation.computes)) for operation in group.operations]))


def _one_each(indices: Sequence[int]) -> list[int]:
    return list(range(len(indices)))


def _equal_as_one(groups: Sequence[PrintedGroup], indices: Sequence[int]) -> list[int]:
    """A kernel is written once, however often it is launched (torch/_inductor/codegen/triton.py: define_kernel)."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(work(groups[at]), len(numbers)) for at in indices]


def _neighbours_as_one(groups: Sequence[PrintedGroup], indices: Sequence[int], kernels: Sequence[str]) -> list[int]:
    """In C++, loops form one kernel up to the next library call (torch/_inductor/codegen/cpp.py: KernelGroup)."""
    if any(_TRITON.match(name) for name in kernels):
        return []
    numbers: list[int] = []
    for before, at in zip([-1, *indices], indices, strict=False):
        called = any(_CALL.search(group.kind) for group in groups[max(before, 0) : at])
        numbers.append(0 if not numbers else numbers[-1] + called)
    return numbers


def _fits(kernel: str, kind: str) -> bool:
    named = _TRITON.match(kernel)
    return named is None or _KINDS.get(named[1], kind) == kind
