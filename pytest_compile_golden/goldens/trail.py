"""Two trails compared: the first step of the pipeline that decided something else."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from pytest_compile_golden.goldens.ledger import Divergence, Row
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.stages.trail import STEPS

_STEP = re.compile(r"^(?P<name>\w+) +(?P<size>\d+ \w+)  (?P<digest>[0-9a-f]+)(?:  # order (?P<order>[0-9a-f]+))?$")
_LIST = re.compile(r"^(?P<name>\w+):$")
_PASS = re.compile(
    r"^  (?P<graph>\S+): (?P<phase>\S+) / (?P<name>.+?)  (?P<digest>[0-9a-f]{10})(?:  # (?P<where>.*))?$"
)
_DECISION = re.compile(r"^  (?P<operator>\S+) -> (?P<became>.+?)(?: \[(?P<times>\d+)\])?(?:  # (?P<where>.*))?$")

# The phase that a list of decisions belongs to.
PHASES = {"decompositions": "aot", "lowerings": "lowering", "launches": "launch"}


@dataclass
class Step:
    """One step of the pipeline, as `stages/trail.py` writes it."""

    name: str
    size: str = ""
    digest: str = ""
    order: str = ""
    """A digest of the operators in the order of the nodes, which no comparison counts."""
    decisions: dict[str, dict[str, int]] = field(default_factory=dict)
    """For each operator what it became and how often."""
    places: dict[str, str] = field(default_factory=dict)
    """Where the decomposition or lowering of an operator stands."""


def with_unseen(golden: str, text: str, unseen: Collection[str]) -> str:
    """`text` with the steps of `golden` that this torch cannot show."""
    mine, theirs = _blocks(text), _blocks(golden)
    blocks = {step: theirs[step] for step in theirs if step in unseen} | mine
    return "".join(blocks[step] for step in STEPS if step in blocks)


def _blocks(text: str) -> dict[str, str]:
    """The lines of each step."""
    blocks: dict[str, str] = {}
    here = ""
    for line in split_lines(text):
        if not line.startswith(" "):
            here = line.split()[0].rstrip(":")
        blocks[here] = f"{blocks.get(here, '')}{line}\n"
    return blocks


def read(text: str) -> dict[str, Step]:
    """The steps of a trail by name; lines that are none of ours are passed over."""
    steps: dict[str, Step] = {}
    here: Step | None = None
    for line in split_lines(text):
        if found := _STEP.match(line):
            steps[found["name"]] = Step(found["name"], found["size"], found["digest"], found["order"] or "")
        elif found := _LIST.match(line):
            here = steps[found["name"]] = Step(found["name"])
        elif here is not None and (found := _DECISION.match(line)):
            became = here.decisions.setdefault(found["operator"], {})
            became[found["became"]] = int(found["times"] or 1)
            if found["where"]:
                here.places.setdefault(found["operator"], found["where"])
    return steps


def passes(text: str) -> list[Row]:
    """The passes that changed their graph, in the order of the run, each with a digest of what it left."""
    found = map(_PASS.match, split_lines(text))
    return [
        Row(each["graph"], each["phase"], each["name"], each["where"], (0, 0), left=each["digest"])
        for each in found
        if each is not None
    ]


def divergences(golden_text: str, actual_text: str) -> list[Divergence]:
    """Each step that differs, in pipeline order; its phase is `aot`, `lowering`, `launch` or the name of the stage.

    Graphs whose nodes only stand in another order are among them where that is what lowering then differs by.
    """
    old, new = read(golden_text), read(actual_text)
    found: list[Divergence] = []
    reordered: list[Divergence] = []
    for name in dict.fromkeys([*old, *new]):
        one, other = old.get(name, Step(name)), new.get(name, Step(name))
        if one.decisions != other.decisions:
            found.append(_decided(PHASES.get(name, name), one, other))
        elif one.digest != other.digest:
            grown = f"{one.size or 'none'} -> {other.size or 'none'}"
            news = grown if one.size != other.size else "same size, other contents"
            found.append(Divergence(name, f"{name}: {news}", None))
        elif one.order != other.order:
            reordered.append(Divergence(name, f"{name}: other order of nodes", None))
    return [*reordered, *found] if found and found[0].phase == "lowered_ir" else found


def _decided(phase: str, old: Step, new: Step) -> Divergence:
    """Of the operators that became something else the first; those that are only met more or less often follow."""
    names = dict.fromkeys([*old.decisions, *new.decisions])
    different = [name for name in names if old.decisions.get(name) != new.decisions.get(name)]
    name = min(different, key=lambda name: _weight(phase, old.decisions.get(name, {}), new.decisions.get(name, {})))
    news = _news(phase, old.decisions.get(name, {}), new.decisions.get(name, {}))
    others = [each for each in different if each != name]
    also = f" (and {', '.join(others[:3])}{' ...' if len(others) > 3 else ''})" if others else ""
    return Divergence(phase, f"{phase} / {name}: {news}{also}", new.places.get(name) or old.places.get(name))


def _news(phase: str, old: dict[str, int], new: dict[str, int]) -> str:
    if phase == "aot" and not (old and new):
        return "is not decomposed any more" if old else "is decomposed now"
    gone, come = ([each for each in one if each not in other] for one, other in ((old, new), (new, old)))
    if phase == "aot" and len(gone) == len(come) == 1:
        before, after = (Counter(_operators(each)) for each in (*gone, *come))
        signed = [
            (sign, each) for sign, counts in (("-", before - after), ("+", after - before)) for each in counts.items()
        ]
        return " ".join(f"{sign}{name}{f' x{times}' if times > 1 else ''}" for sign, (name, times) in signed)
    return f"{_became(old)}, now {_became(new)}"


def _operators(made: str) -> Iterator[str]:
    for each in made.split(", "):
        name, _, times = each.partition(" x")
        yield from [name] * int(times or 1)


def _weight(phase: str, old: dict[str, int], new: dict[str, int]) -> tuple[int, int]:
    if not (old and new):
        return 1 if old else 2, 0
    if old.keys() == new.keys():
        return 3, 0
    # What a decomposition calls is in what it makes: of two that changed, the one that makes less is inside the other.
    return 0, len(max(new, key=len)) if phase == "aot" else 0


def _became(decisions: dict[str, int]) -> str:
    return "; ".join(what if times == 1 else f"{what} [{times}]" for what, times in decisions.items()) or "none"
