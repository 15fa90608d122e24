"""Operations of large schedules that repeat an earlier one, written in a line: `op9: as op4 with buf2=buf7`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

MANY = 400
"""Operations of a graph from which on repetitions are folded. DenseNet-201 has 2,500."""
_MOST = 8
"""Words in which a repetition may differ; one with more is written in full."""
_NUMBERED = re.compile(r"\w*\d\w*")
_REFERENCE = re.compile(r"as (\w+)(?: with (.+))?$")
_FOLDED = re.compile(r"^ +op\d+: as op\d+(?: with |$)", re.M)


def any_folded(text: str) -> bool:
    """Whether a schedule refers to operations that it repeats."""
    return _FOLDED.search(text) is not None


class Folding:
    """Folds the operations of one graph, which are given in order, each as its name and its lines."""

    def __init__(self) -> None:
        self._last_alike: dict[str, tuple[str, list[str]]] = {}
        self._shapes: dict[str, str] = {}

    def __call__(self, name: str, lines: Sequence[str]) -> str | None:
        """A reference to the last operation that reads the same but for some numbers; None if there is none."""
        text = "\n".join(lines)
        words = _NUMBERED.findall(text)
        shape = _NUMBERED.sub("#", text)
        earlier, before = self._last_alike.get(shape, ("", []))
        meant = self._shapes.get(earlier) == shape  # unless its name was given to another one since
        self._last_alike[shape], self._shapes[name] = (name, words), shape
        if meant:
            renamed = dict(zip(before, words, strict=True))
            own = _own_buffer(earlier, name)
            told = [f"{old}={new}" for old, new in renamed.items() if own.get(old, old) != new]
            if [renamed[old] for old in before] == words and len(told) <= _MOST:
                return f"as {earlier}" + (f" with {', '.join(told)}" if told else "")
        return None


def unfolded(name: str, kind: str, earlier: Mapping[str, Sequence[str]]) -> list[str] | None:
    """The lines that `kind` stands for, given those of the operations before; None if it is not a reference to one."""
    match = _REFERENCE.match(kind)
    if match is None or match[1] not in earlier:
        return None
    told = dict(pair.partition("=")[::2] for pair in (match[2] or "").split(", ") if pair)
    renamed = _own_buffer(match[1], name) | told
    return [_NUMBERED.sub(lambda word: renamed.get(word[0], word[0]), line) for line in earlier[match[1]]]


def _own_buffer(earlier: str, name: str) -> dict[str, str]:
    """The buffer that has the number of its operation, which goes without saying."""
    numbers = [operation.removeprefix("op") for operation in (earlier, name)]
    return {f"buf{numbers[0]}": f"buf{numbers[1]}"} if all(map(str.isdigit, numbers)) else {}
