"""Trails in a notation that tests can read and edit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_compile_golden.facts.trail import (
    Decomposed,
    Fact,
    Item,
    LaunchConfigs,
    Lowered,
    PassOutput,
    StageContents,
    StageDigest,
    Stopped,
)
from pytest_compile_golden.formats.trail import TRAIL

_MADE = re.compile(r"(\w+) +(\d+ \w+)  (\w+)(?:  # order (\w+))?$")
_LEFT = re.compile(r"  (\S+): (\S+) / (.+?)  (\w+)$")
_DECIDED = re.compile(r"  (\S+) -> (.+?)(?: \[(\d+)\])?(?:  # (?:(\w+) in )?(\S+))?$")


def trail(readable: str) -> str:
    """The text of the trail that is noted as

    aot_graph        20 nodes  e00d  # order 1a2b
      # input x2 k2, getitem x6, output
    lowerings:
      aten.mm.default -> ExternKernelOut [2]  # torch/_inductor/kernel/mm.py:313
    launches:
      kernel_0 -> XBLOCK=512  # pointwise in torch/_inductor/runtime/triton_heuristics.py:2414
    """
    return TRAIL.write(dict.fromkeys(_facts(readable)))


def _facts(readable: str) -> Iterator[Fact]:
    here = ""
    for at, line in enumerate(readable.splitlines()):
        if made := _MADE.match(line):
            here = made[3]
            yield StageDigest(at, made[1], made[2], here, made[4] or "")
        elif line.endswith(":"):
            here = line.removesuffix(":")
        elif line.startswith("  # "):
            yield StageContents(
                here, tuple(map(_item, line.removeprefix("  # ").split(", ")))
            )
        elif here == "passes" and (left := _LEFT.match(line)):
            yield PassOutput(at, left[1], left[2], left[3], left[4], None)
        elif here in ("graph_breaks", "recompiles"):
            yield Stopped(at, here, *line.strip().split("  # "))
        else:
            decided = _DECIDED.match(line)
            assert decided is not None, line
            operator, became, times, by, where = decided.groups()
            if here == "launches":
                yield LaunchConfigs(at, operator, became, by, where)
            else:
                kind = Decomposed if here == "decompositions" else Lowered
                yield kind(at, operator, became, int(times or 1), where)


def _item(text: str) -> Item:
    name, *more = text.split(" ")
    times = [part[1:] for part in more if re.fullmatch(r"x\d+", part)]
    details = [part for part in more if not re.fullmatch(r"x\d+", part)]
    return Item(name, int("".join(times) or 1), "".join(details))
