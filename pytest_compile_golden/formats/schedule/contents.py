"""The contents of a schedule, counted: operations by kind, and what loop bodies compute."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pytest_compile_golden.facts.schedules import Operation, Schedule
from pytest_compile_golden.formats.inventory import Counted
from pytest_compile_golden.formats.text import sizes_by_appearance, with_sizes

_ASSIGNED = re.compile(r"(\w+) = (.+)$")
_CALL = re.compile(r"(ops\.\w+)\((.*)\)$")
_BUFFER = re.compile(r"^\w+(?=\[|$|:)")
_BUFFER_NAME = re.compile(r"(?<=ops\.load\(')\w+(?=')|(?<=ops\.store\(')\w+(?=')|(?<=ops\.store_reduction\(')\w+(?=')")
_NAME = re.compile(r"(?<![\w.'])[A-Za-z_]\w*\b(?![\w.(])")


def operations(sections: Sequence[Schedule]) -> Iterator[Counted]:
    """Each operation before fusion, and each call in its loop body."""
    for section in sections:
        sizes = sizes_by_appearance(
            text for operation in section.operations for text in (*operation.outputs, *operation.reads)
        )
        for operation in section.operations:
            kind, _, callee = operation.kind.partition(" ")
            # `extern ExternKernelOut extern_kernels.mm`
            name = callee.split()[-1] if kind == "extern" and callee else kind
            yield Counted(name, with_sizes(f"{_accesses(operation)} -> {_outputs(operation)}", sizes))
            yield from _body(operation, sizes)


def _accesses(operation: Operation) -> str:
    return "; ".join(_BUFFER.sub("", access) for access in (*operation.reads, "", *operation.writes))


def _outputs(operation: Operation) -> str:
    return "; ".join(_BUFFER.sub("", output) for output in operation.outputs)


def _body(operation: Operation, sizes: dict[str, str]) -> Iterator[Counted]:
    assigned = {match[1] for line in operation.body if (match := _ASSIGNED.match(line))}
    for line in operation.body:
        match = _ASSIGNED.match(line)
        call = _CALL.match(match[2]) if match else None
        if call is not None:
            text = _NAME.sub(
                lambda name_match: "_" if name_match[0] in assigned else name_match[0], _BUFFER_NAME.sub("_", call[0])
            )
            yield Counted(call[1], with_sizes(text, sizes))
