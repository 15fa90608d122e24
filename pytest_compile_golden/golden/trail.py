"""Two trails compared: the first step of the pipeline that decided something else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pytest_compile_golden.golden.ledger import Divergence

_STEP = re.compile(r"^(?P<name>\w+) +(?P<size>\d+ \w+)  (?P<digest>[0-9a-f]+)$")
_LIST = re.compile(r"^(?P<name>\w+):$")
_DECISION = re.compile(r"^  (?P<operator>\S+) -> (?P<became>.+?)(?: \[(?P<times>\d+)\])?(?:  # (?P<where>.*))?$")

# The phase that a list of decisions belongs to.
PHASES = {"decompositions": "aot", "lowerings": "lowering", "launches": "launch"}


@dataclass
class Step:
    """One step of the pipeline, as `stages/trail.py` writes it."""

    name: str
    size: str = ""
    digest: str = ""
    decisions: dict[str, dict[str, int]] = field(default_factory=dict)
    """For each operator what it became and how often."""
    places: dict[str, str] = field(default_factory=dict)
    """Where the decomposition or lowering of an operator stands."""


def read(text: str) -> dict[str, Step]:
    """The steps of a trail by name; lines that are none of ours are passed over."""
    steps: dict[str, Step] = {}
    here: Step | None = None
    for line in text.splitlines():
        if found := _STEP.match(line):
            steps[found["name"]] = Step(found["name"], found["size"], found["digest"])
        elif found := _LIST.match(line):
            here = steps[found["name"]] = Step(found["name"])
        elif here is not None and (found := _DECISION.match(line)):
            became = here.decisions.setdefault(found["operator"], {})
            became[found["became"]] = int(found["times"] or 1)
            if found["where"]:
                here.places.setdefault(found["operator"], found["where"])
    return steps


def divergences(golden_text: str, actual_text: str) -> Iterator[Divergence]:
    """Each step that differs, in pipeline order; its phase is `aot`, `lowering`, `launch` or the name of the stage."""
    old, new = read(golden_text), read(actual_text)
    for name in dict.fromkeys([*old, *new]):
        one, other = old.get(name, Step(name)), new.get(name, Step(name))
        if one.decisions != other.decisions:
            yield _decided(PHASES.get(name, name), one, other)
        elif one.digest != other.digest:
            grown = f"{one.size or 'none'} -> {other.size or 'none'}"
            yield Divergence(name, f"{name}: {grown if one.size != other.size else 'same size, other contents'}", None)


def _decided(phase: str, old: Step, new: Step) -> Divergence:
    """Of the operators that became something else the first; those that are only met more or less often follow."""
    names = dict.fromkeys([*old.decisions, *new.decisions])
    different = [name for name in names if old.decisions.get(name) != new.decisions.get(name)]
    name = min(different, key=lambda name: _weight(old.decisions.get(name), new.decisions.get(name)))
    text = f"{phase} / {name}: {_became(old.decisions.get(name))}, now {_became(new.decisions.get(name))}"
    others = [each for each in different if each != name]
    if others:
        text += f" (and {', '.join(others[:3])}{' ...' if len(others) > 3 else ''})"
    return Divergence(phase, text, new.places.get(name) or old.places.get(name))


def _weight(old: dict[str, int] | None, new: dict[str, int] | None) -> int:
    if old and new:
        return 0 if old.keys() != new.keys() else 3
    return 1 if old else 2


def _became(decisions: dict[str, int] | None) -> str:
    if not decisions:
        return "none"
    return "; ".join(what if times == 1 else f"{what} [{times}]" for what, times in decisions.items())
