"""Scheduler nodes and lowered IR: what is computed, read and written, whatever the values are called."""

from __future__ import annotations

import re

from pytest_compile_golden.stages.canonical.text import arguments, plain

_NUMBERED = re.compile(r"\b(?:op|buf)\d+\b")
_ACCESS = re.compile(r"^(?P<indent> +)(?P<what>reads|writes) (?P<list>.*)$")
_INPUT = re.compile(r"^(?!(?:op|buf)\d)\w+")


def schedule(text: str) -> object:
    """Lines with operations and buffers numbered by first appearance.

    A graph's inputs are not told apart: they are named after values of another graph, and the graph stages compare
    what each is. The reasons why pairs stayed apart may stand in any order.
    """
    places: dict[str, str] = {}

    def place(found: re.Match[str]) -> str:
        kind = found[0].rstrip("0123456789")
        return places.setdefault(found[0], f"{kind}{len(places)}")

    lines: list[str] = []
    refused: list[str] = []
    for line in plain(text):
        apart = line.startswith("    ") and not line.startswith("     ") and " with " in line
        (refused if apart else lines).append(_NUMBERED.sub(place, _accesses(line)))
    return lines, sorted(refused)


def _accesses(line: str) -> str:
    found = _ACCESS.match(line)
    if found is None:
        return line
    accesses = sorted(_INPUT.sub("input", each) for each in arguments(found["list"]))
    return f"{found['indent']}{found['what']} {', '.join(accesses)}"
