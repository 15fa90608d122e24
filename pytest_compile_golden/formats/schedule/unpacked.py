"""Rewrites schedules so that what torch only represents or lists otherwise is the same on both sides.

A library call with one result gives it directly. Up to torch 2.13, every `FallbackKernel` call gave a
`MultiOutputLayout`, and a `MultiOutput` took out its one result (torch/_inductor/lowering.py: fallback_handler). What
runs is the same, but torch counts the bytes differently.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from msgspec.structs import replace

from pytest_compile_golden.facts.schedules import Operation, Schedule, buffer
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.schedule import form, printed

OPTION = re.compile(r"(\w+)=('[^']*'|[^,()]+)")
"""An option of a template in a choice of autotuning, and its value."""
_SEVERAL = "MultiOutputLayout"
_WORD = re.compile(r"\w+")


def equal_except_unpacking(old: str, new: str) -> bool:
    """Whether two schedules run the same, and differ only in how the one result of a library call is represented."""
    try:
        return old != new and form.canonical(unpacked(old)) == form.canonical(unpacked(new))
    except Unreadable:
        return False


def equal_except_lists(old: str, new: str) -> bool:
    """Whether two schedules run the same, and differ only in that, or in what torch lists of autotuning."""
    try:
        before, after = ([_section(section) for section in printed.read(text)] for text in (old, new))
    except Unreadable:
        return False
    if len(before) != len(after):
        return False
    pairs = [_listed_in_both(*pair) for pair in zip(before, after, strict=True)]
    return old != new and form.canonical(printed.write(one for one, _ in pairs)) == form.canonical(
        printed.write(other for _, other in pairs)
    )


def _listed_in_both(old: Schedule, new: Schedule) -> tuple[Schedule, Schedule]:
    """Both with only the options of chosen templates that both sides list, and with as many candidates as there are now
    if there were fewer."""
    if len(old.choices) != len(new.choices):
        return old, new
    pairs = list(zip(old.choices, new.choices, strict=True))
    common = [dict(OPTION.findall(was.chosen)).keys() & dict(OPTION.findall(now.chosen)).keys() for was, now in pairs]
    before, after = (
        tuple(
            replace(
                pair[side],
                chosen=f"{pair[side].chosen.partition(' ')[0]} {_options(pair[side].chosen, names)}",
                candidates=max(pair[side].candidates, pair[1].candidates),
            )
            for pair, names in zip(pairs, common, strict=True)
        )
        for side in (0, 1)
    )
    return replace(old, choices=before), replace(new, choices=after)


def _options(chosen: str, names: Collection[str]) -> str:
    """Those of its options, and whatever else it says."""
    return OPTION.sub(lambda match: match[0] if match[1] in names else "", chosen).replace(", ", "")


def unpacked(text: str) -> str:
    """The schedule with each call of one result giving it directly. Raises Unreadable for any other text."""
    return printed.write(map(_section, printed.read(text)))


def _section(section: Schedule) -> Schedule:
    """The section without operations that take out the only result of a call, which then has that result's type."""
    producers = {buffer(output): op for op in section.operations for output in op.outputs}
    unpacks: dict[str, list[Operation]] = {}
    for op in section.operations:
        if op.kind == "unpack":
            for read in op.reads:
                unpacks.setdefault(read, []).append(op)
    only = {
        name: ops[0].outputs[0]
        for name, ops in unpacks.items()
        if len(ops) == 1
        and len(ops[0].outputs) == 1
        and name in producers
        and _SEVERAL in " ".join(producers[name].outputs)
    }
    names = {buffer(output): name for name, output in only.items()}
    groups = [
        replace(group, operations=tuple(_renamed(op, only, names) for op in group.operations if not _drops(op, names)))
        for group in section.groups
    ]
    return replace(section, groups=tuple(group for group in groups if group.operations), apart=())


def _drops(operation: Operation, names: Mapping[str, str]) -> bool:
    return operation.kind == "unpack" and all(buffer(output) in names for output in operation.outputs)


def _renamed(operation: Operation, only: Mapping[str, str], names: Mapping[str, str]) -> Operation:
    def named(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(_WORD.sub(lambda match: names.get(match[0], match[0]), text) for text in texts)

    outputs = tuple(
        f"{buffer(output)}:{only[buffer(output)].partition(':')[2]}" if buffer(output) in only else output
        for output in operation.outputs
    )
    return replace(operation, outputs=outputs, reads=named(operation.reads), writes=named(operation.writes))
