"""The printed trail: the steps of a compile as plain data, written as text and read back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pytest_compile_golden.formats import authors, inventory
from pytest_compile_golden.formats.authors import Authorship
from pytest_compile_golden.formats.format import Unreadable
from pytest_compile_golden.formats.inventory import Inventory
from pytest_compile_golden.formats.stops import STOPS, Stop
from pytest_compile_golden.lines import split_lines

AUTHORS = "authors"
"""Who wrote which lines of kernels; in comments, since comparisons ignore it."""
REFUSALS = "refusals"
"""Who refused to fuse operations, and for which reasons; also in comments."""
BY = " by "
"""Separates a kernel's name from the function that offers its launches."""
PASSES = "passes"
"""The list of the passes that changed their graph."""
LISTS: Mapping[str, str] = {
    **dict(zip(STOPS, STOPS, strict=True)),
    "aot": "decompositions",
    "post_grad": PASSES,
    "lowering": "lowerings",
    "scheduler": REFUSALS,
    "codegen": AUTHORS,
    "launch": "launches",
}
"""For a phase or stage of the pipeline, the list that the trail has for it: what was decided there."""
FEEDS: Mapping[str, str] = {
    **dict.fromkeys(STOPS, "dynamo_graph"),
    "decompositions": "aot_graph",
    "lowerings": "lowered_ir",
}
"""For a list of decisions, the step whose digest shows their outcome."""

_DIGESTED = re.compile(r"(\w+) +(\d+ \w+)  ([0-9a-f]+)(?:  # order ([0-9a-f]+))?$")
_CONTENTS = "  # "
_LEADS = {REFUSALS: authors.REFUSED, AUTHORS: authors.BY}
_LIST = re.compile(r"(\w+):$")
_LEFT = re.compile(r"  (\S+): (\S+) / (.+?)  ([0-9a-f]{10})(?:  # (.*))?$")
_STOP = re.compile(r"  (.+?)  # (.+)$")
_DECISION = re.compile(r"  (\S+) -> (.+?)(?: \[(\d+)\])?(?:  # (.*))?$")


@dataclass(frozen=True)
class Decision:
    """What an operator became, how often, and where that is defined; for a kernel, the launches that are offered."""

    operator: str
    became: str
    times: int = 1
    where: str | None = None


@dataclass(frozen=True)
class Left:
    """The result of a pass that changed its graph."""

    graph: str
    phase: str
    name: str
    digest: str
    where: str | None = None


@dataclass(frozen=True)
class TrailStep:
    """One step of the pipeline: a stage with its digest, or a list."""

    name: str
    size: str = ""
    """The size of a stage, for the reader: `6 nodes`."""
    digest: str = ""
    """The digest of a stage's canonical form; empty for a list."""
    order: str = ""
    """A digest of the operators in the order of the nodes, which comparisons ignore."""
    decisions: tuple[Decision, ...] = ()
    left: tuple[Left, ...] = ()
    stops: tuple[Stop, ...] = ()
    contents: Inventory = ()
    """The inventory of the stage's text, which comparisons ignore; empty in a trail from before this was kept."""
    wrote: tuple[Authorship, ...] = ()


def write(steps: Iterable[TrailStep]) -> str:
    """The steps in their order."""
    written: list[str] = []
    written_steps: dict[str, TrailStep] = {}
    for step in steps:
        written += lines(step)
        # Steps with the same digest have the same inventory.
        if step.contents and step.digest not in written_steps:
            base = next(iter(reversed(written_steps.values())), None)
            written.append(
                _CONTENTS + inventory.write(step.contents, None if base is None else (base.name, base.contents))
            )
            written_steps[step.digest] = step
    return "".join(f"{line}\n" for line in written)


def lines(step: TrailStep) -> Iterator[str]:
    """The lines of a step, without its inventory."""
    if step.digest:
        yield f"{step.name:<16} {step.size}  {step.digest}" + _comment(step.order and f"order {step.order}")
        return
    if step.name in _LEADS:
        yield from authors.write(step.wrote, _LEADS[step.name])
        return
    yield f"{step.name}:"
    for decision in step.decisions:
        times = f" [{decision.times}]" if decision.times > 1 else ""
        yield f"  {decision.operator} -> {decision.became}{times}{_comment(decision.where)}"
    for stop in step.stops:
        yield f"  {stop.reason}{_comment(stop.at)}"
    for left in step.left:
        yield f"  {left.graph}: {left.phase} / {left.name}  {left.digest}{_comment(left.where)}"


def _comment(text: str | None) -> str:
    return f"  # {text}" if text else ""


def read(text: str) -> tuple[TrailStep, ...]:
    """The steps of a trail. Raises Unreadable for a line that `write` does not write."""
    reader = _Reader()
    for line in split_lines(text):
        reader.line(line)
    reader.end_list()
    return tuple(reader.steps)


class _Reader:
    def __init__(self) -> None:
        self.steps: list[TrailStep] = []
        self.here = ""
        """The list that the lines belong to."""
        self.decisions: list[Decision] = []
        self.left: list[Left] = []
        self.stops: list[Stop] = []
        self.known: dict[str, Inventory] = {}
        """Inventories by digest."""

    def line(self, line: str) -> None:
        if not line.strip() or line.startswith("#"):
            return
        for name, lead in _LEADS.items():
            if line.startswith(lead):
                self.end_list()
                if not (self.steps and self.steps[-1].name == name):
                    self.steps.append(TrailStep(name))
                self.steps[-1] = replace(self.steps[-1], wrote=(*self.steps[-1].wrote, *authors.read(line)))
                return
        if match := _DIGESTED.match(line):
            self.end_list()
            self.steps.append(
                TrailStep(match[1], match[2], match[3], match[4] or "", contents=self.known.get(match[3], ()))
            )
        elif match := _LIST.match(line):
            self.end_list()
            self.here = match[1]
        elif not self.here and self.steps and line.startswith(_CONTENTS):
            self._read_contents(line)
        elif self.here == PASSES and (match := _LEFT.match(line)):
            self.left.append(Left(*match.groups()))
        elif self.here in STOPS and (match := _STOP.match(line)):
            self.stops.append(Stop(match[1], match[2]))
        elif self.here and (match := _DECISION.match(line)):
            self.decisions.append(Decision(match[1], match[2], int(match[3] or 1), match[4]))
        else:
            raise Unreadable(line)

    def _read_contents(self, line: str) -> None:
        step = self.steps[-1]
        try:
            contents = inventory.read(
                line.removeprefix(_CONTENTS), {earlier.name: earlier.contents for earlier in self.steps}
            )
        except ValueError:
            raise Unreadable(line) from None
        self.steps[-1] = replace(step, contents=contents)
        self.known[step.digest] = contents

    def end_list(self) -> None:
        if self.here:
            self.steps.append(
                TrailStep(self.here, decisions=tuple(self.decisions), left=tuple(self.left), stops=tuple(self.stops))
            )
        self.here = ""
        self.decisions.clear()
        self.left.clear()
        self.stops.clear()
