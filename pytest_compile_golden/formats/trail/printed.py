"""The trail as printed: the steps of a compile as plain data, the text that they are written as, and the way back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.lines import split_lines

PASSES = "passes"
"""The list of the passes that changed their graph."""
LISTS: Mapping[str, str] = {"aot": "decompositions", "post_grad": PASSES, "lowering": "lowerings", "launch": "launches"}
"""For a phase of the pipeline the list that the trail has at its place: what was decided there."""
FEEDS: Mapping[str, str] = {"decompositions": "aot_graph", "lowerings": "lowered_ir"}
"""For a list of decisions the step whose digest tells what they came to."""

_DIGESTED = re.compile(r"(\w+) +(\d+ \w+)  ([0-9a-f]+)(?:  # order ([0-9a-f]+))?$")
_LIST = re.compile(r"(\w+):$")
_LEFT = re.compile(r"  (\S+): (\S+) / (.+?)  ([0-9a-f]{10})(?:  # (.*))?$")
_DECISION = re.compile(r"  (\S+) -> (.+?)(?: \[(\d+)\])?(?:  # (.*))?$")


@dataclass(frozen=True)
class Decision:
    """What an operator became, how often, and where that is defined; of a kernel, the launches that are offered."""

    operator: str
    became: str
    times: int = 1
    where: str | None = None


@dataclass(frozen=True)
class Left:
    """What a pass that changed its graph made of it."""

    graph: str
    phase: str
    name: str
    digest: str
    where: str | None = None


@dataclass(frozen=True)
class Step:
    """One step of the pipeline: a stage with its digest, or a list."""

    name: str
    size: str = ""
    """Of a stage, for the reader: `6 nodes`."""
    digest: str = ""
    """Of a stage's canonical form; empty for a list."""
    order: str = ""
    """A digest of the operators in the order of the nodes, which no comparison counts."""
    decisions: tuple[Decision, ...] = ()
    left: tuple[Left, ...] = ()


def write(steps: Iterable[Step]) -> str:
    """The steps in their order."""
    return "".join(f"{line}\n" for step in steps for line in _lines(step))


def _lines(step: Step) -> Iterator[str]:
    if step.digest:
        yield f"{step.name:<16} {step.size}  {step.digest}" + _comment(step.order and f"order {step.order}")
        return
    yield f"{step.name}:"
    for decision in step.decisions:
        times = f" [{decision.times}]" if decision.times > 1 else ""
        yield f"  {decision.operator} -> {decision.became}{times}{_comment(decision.where)}"
    for left in step.left:
        yield f"  {left.graph}: {left.phase} / {left.name}  {left.digest}{_comment(left.where)}"


def _comment(text: str | None) -> str:
    return f"  # {text}" if text else ""


def read(text: str) -> tuple[Step, ...]:
    """The steps of a trail. Raises Unreadable for a line that `write` does not write."""
    steps: list[Step] = []
    decisions: list[Decision] = []
    left: list[Left] = []
    here = ""

    def end_list() -> None:
        nonlocal here
        if here:
            steps.append(Step(here, decisions=tuple(decisions), left=tuple(left)))
        here = ""
        decisions.clear()
        left.clear()

    for line in split_lines(text):
        if not line.strip() or line.startswith("#"):
            continue
        if found := _DIGESTED.match(line):
            end_list()
            steps.append(Step(found[1], found[2], found[3], found[4] or ""))
        elif found := _LIST.match(line):
            end_list()
            here = found[1]
        elif here == PASSES and (found := _LEFT.match(line)):
            left.append(Left(*found.groups()))
        elif here and (found := _DECISION.match(line)):
            decisions.append(Decision(found[1], found[2], int(found[3] or 1), found[4]))
        else:
            raise Unreadable(line)
    end_list()
    return tuple(steps)
