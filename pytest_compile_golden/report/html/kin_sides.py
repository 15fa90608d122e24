"""The parsed texts of one side of a case, with a number for each node, shared by nodes that both sides have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from pytest_compile_golden.facts.schedules import Schedule
from pytest_compile_golden.formats import authors
from pytest_compile_golden.formats.authors import Authors
from pytest_compile_golden.formats.code import KernelsFormat, Piece
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.graph import GRAPH
from pytest_compile_golden.formats.graph.printed import Function
from pytest_compile_golden.formats.schedule import links
from pytest_compile_golden.report.html.pictures import boxes_of
from pytest_compile_golden.report.model import StageReport
from pytest_compile_golden.stages import stage_of
from pytest_compile_golden.vocabulary import KERNEL_STAGES

GRAPH_STAGE, GROUPS_STAGE = "post_grad_graph", "scheduler_nodes"


@dataclass(frozen=True)
class KernelTexts:
    """The kernels of one side."""

    file: str
    text: str
    form: KernelsFormat
    pieces: tuple[Piece, ...]
    known: str
    """The evidence of the text."""


@dataclass
class Side:
    """One side's texts, parsed."""

    functions: Mapping[str, Function]
    schedules: tuple[Schedule, ...]
    kernels: KernelTexts | None
    wrote: Authors
    """The functions that wrote each line of the kernels."""
    ids: dict[tuple[str, str], int] = field(default_factory=dict)
    """The number of each node, by graph and name."""
    authors: dict[tuple[str, str | None], int] = field(default_factory=dict)
    """The number of each torch function that wrote a line."""


def text_of(stage: StageReport, which: str) -> str:
    """The text of a stage on a side, `old` or `new`; if both are the same, the report holds only the new one."""
    return (stage.old if which == "old" and stage.old is not None else stage.new) or ""


def read(stages: Mapping[str, StageReport], which: str) -> Side | None:
    """A side of a case from its stages, which include `post_grad_graph`; None if a text is unreadable."""
    try:
        functions = GRAPH.read(text_of(stages[GRAPH_STAGE], which))
        schedules = _schedules(stages[GROUPS_STAGE], which) if GROUPS_STAGE in stages else ()
        kernels = next((_kernels_of(stages[name], which) for name in KERNEL_STAGES if name in stages), None)
    except Unreadable:
        return None
    wrote = {} if kernels is None else authors.read(kernels.text, kernels.known)
    return Side({function.name: function for function in functions}, schedules, kernels, wrote)


def _schedules(stage: StageReport, which: str) -> tuple[Schedule, ...]:
    return links.read(text_of(stage, which), _known(stage, which))


def _known(stage: StageReport, which: str) -> str:
    return stage.old_evidence if which == "old" else stage.new_evidence


def _kernels_of(stage: StageReport, which: str) -> KernelTexts | None:
    form, text = stage_of(stage.stage, "").format, text_of(stage, which)
    if not isinstance(form, KernelsFormat):
        return None
    return KernelTexts(stage.file, text, form, form.read(text), _known(stage, which))


def number_nodes(old: Side, new: Side) -> None:
    """Number the nodes of both sides; a node that both have gets the same number."""
    count = 0
    for name in {**old.functions, **new.functions}:
        before, after = _keys(old.functions.get(name)), _keys(new.functions.get(name))
        matcher = SequenceMatcher(None, [key for _, key in before], [key for _, key in after], autojunk=False)
        for kind, low, high, start, end in matcher.get_opcodes():
            paired = kind == "equal"
            for at in range(low, high):
                old.ids[name, before[at][0]] = count + at - low
                if paired:
                    new.ids[name, after[start + at - low][0]] = count + at - low
            count += high - low
            for at in range(start, end) if not paired else ():
                new.ids[name, after[at][0]] = count
                count += 1


def _keys(function: Function | None) -> list[tuple[str, str]]:
    """The names of a graph's inputs and lines, each with a key that is equal if they do the same in two graphs."""
    if function is None:
        return []
    named = [*(argument.name for argument in function.inputs), *(line.name for line in function.lines)]
    return [(name, box.key) for name, box in zip(named, boxes_of(function), strict=True)]
