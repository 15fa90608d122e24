"""The contents of wrapper code, counted: allocations, reuses, frees, launches, library calls and checks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from pytest_compile_golden.formats.inventory import ALLOCATION, FREE, LAUNCH, REUSE, Counted
from pytest_compile_golden.formats.statements import statement
from pytest_compile_golden.lines import split_lines

_ALLOCATES = re.compile(r"(?:empty_strided\w*|alloc_from_pool|torch\.empty\w*|aoti_torch_empty_strided\w*)\(")
_LAUNCHES = re.compile(r"(?:\w+\.run|(?:call_)?(?:triton|cpp)_\w+)\(")
_CHECK = re.compile(r"(assert_\w+|AOTI_TORCH_CHECK\w*)\(")
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
_REUSE = "# reuse"
_FREED = re.compile(r"\bdel ([\w, ]+)|\b(\w+)\.reset\(\);")
# Handling of streams, devices and arguments, which does no work.
_ASIDE = re.compile(r"get_raw_stream|args\.clear|_DeviceGuard|set_device|^(?:def|return|with) |^//|^#")
# torch 2.13 used another name (torch/_inductor/utils.py).
RENAMED = {"copy_misaligned": "copy_if_misaligned"}


def counted(text: str, names: Collection[str]) -> Iterator[Counted]:
    """Each thing that wrapper code does, line by line, in C++ or Python; `names` are names that are not values."""
    for line in split_lines(text):
        code = line.strip()
        for freed in _FREED.finditer(code):
            yield from (Counted(FREE) for _ in (freed[1] or freed[2]).split(","))
        first = code.partition("; del ")[0]
        if _REUSE in code:
            yield Counted(REUSE)
        elif match := _CHECK.search(first):
            yield Counted(match[1])
        elif not (_ASIDE.search(first) or first.startswith("del ")):
            yield from _calls(first.partition("  #")[0], frozenset(names))


def _calls(code: str, names: frozenset[str]) -> Iterator[Counted]:
    if match := _ALLOCATES.search(code):
        yield Counted(ALLOCATION, _arguments(code[match.start() :], names))
    elif match := _LAUNCHES.search(code):
        yield Counted(LAUNCH, _arguments(code[match.end() - 1 :], names))
    elif match := _CALLED.search(code):
        yield Counted(RENAMED.get(match[1], match[1]), _arguments(code[match.start() :], names))


def _arguments(code: str, names: frozenset[str]) -> str:
    return statement(code, names).text
