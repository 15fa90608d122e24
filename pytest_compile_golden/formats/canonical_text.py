"""Plain text, short names of operators, and helpers shared by the canonical forms of all formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import replaced

_COMMENT = re.compile(r"\s+# .*$|^# .*$")
_BRACKET_OR_COMMA = re.compile(r"""[\[\](){},]|'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\"""")
_PIECES = {
    comment: re.compile(rf"^(?={comment} graph_)", re.M) for comment in ("#", "//")
}
_WHOLE_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
_STRIDE = re.compile(rf"{_WHOLE_NUMBER.pattern}(?= ?\*)")
_ALIGNED = (16, 32, 64, 128)
"""Elements of 8, 4, 2 and 1 bytes in 128 bytes."""
_SYMBOL = re.compile(r"\b[su]\d+\b")


def plain(text: str) -> tuple[str, ...]:
    """The lines of `text` without comments and trailing space; empty lines are dropped."""
    lines = (_COMMENT.sub("", line).rstrip() for line in split_lines(text))
    return tuple(line for line in lines if line)


def pieces(text: str, comment: str) -> list[str]:
    """What comes before the first title in generated code, and each piece with its title, which is a comment."""
    return _PIECES[comment].split(text)


def with_times(name: str, times: int) -> str:
    """`name`, with the number of times it occurs if more than once: `aten.mul x3`."""
    return f"{name} x{times}" if times > 1 else name


def counted(text: str) -> tuple[str, int]:
    """The name and the number of times that `with_times` wrote."""
    name, _, times = text.rpartition(" x")
    return (name, int(times)) if name and times.isdecimal() else (text, 1)


def arguments(text: str) -> Iterator[str]:
    """`text` split at the commas that are outside all brackets."""
    depth, start = 0, 0
    for match in _BRACKET_OR_COMMA.finditer(text):
        char = match[0]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[start : match.start()].strip()
            start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def sizes_by_appearance(texts: Iterable[str]) -> dict[str, str]:
    """Names for the symbolic sizes in `texts` (`s77`) by first appearance, since torch's numbers are arbitrary."""
    names: dict[str, str] = {}
    for text in texts:
        for name in _SYMBOL.findall(text):
            names.setdefault(name, f"size{len(names)}")
    return names


def with_sizes(text: str, names: dict[str, str]) -> str:
    """`text` with its symbolic sizes renamed; those not in `names` are kept."""
    return (
        _SYMBOL.sub(lambda match: names.get(match[0], match[0]), text)
        if names
        else text
    )


def without_overload(operator: str) -> str:
    """`aten.mul` for `aten.mul.Tensor`."""
    return ".".join(operator.split(".")[:2])


def by_start(kinds: Mapping[str, str]) -> Callable[[str], str]:
    """What tells a text's kind, the first whose pattern matches the text's start; empty if none does.

    kinds: regular expressions without groups of their own, by kind.
    """
    names = tuple(kinds)
    pattern = re.compile("|".join(f"({start})" for start in kinds.values()))

    def kind(text: str) -> str:
        match = pattern.match(text)
        return (
            names[match.lastindex - 1] if match is not None and match.lastindex else ""
        )

    return kind


short = replaced(
    (
        (r"\.(?:default|Tensor|Scalar|self)$", ""),
        # How Dynamo names torch's own functions, and functions defined inside another function.
        (r"^torch\._(?:VariableFunctionsClass|C\._nn)\.", "torch."),
        (
            r"^torch\._(?:\S*functorch\S*\.locals|C\._functorch(?:\.pybind11_\w+)?|functorch\.predispatch)\.",
            "torch._functorch.",
        ),
        (r"^torch\._\S+\.locals\.", ""),
    )
)
"""An operator's name without an overload or module that adds nothing."""


def padding(was: str, now: str) -> tuple[int, int] | None:
    """A stride before and after, if two indices differ in nothing but that rows are padded to an aligned address, or no
    longer are; None if they differ otherwise.

    torch rounds a stride up to a whole number of 128 bytes, and the strides of outer dimensions grow with it
    (torch/_inductor/ir.py: Layout._pad_strides).
    """
    if _WHOLE_NUMBER.sub("#", was) != _WHOLE_NUMBER.sub("#", now):
        return None
    sides = [list(map(int, _WHOLE_NUMBER.findall(side))) for side in (was, now)]
    differ = sorted({pair for pair in zip(*sides, strict=True) if pair[0] != pair[1]})
    if not differ:
        return None
    # A number that something is divided by is no stride.
    if _STRIDE.sub("#", was) != _STRIDE.sub("#", now):
        return None
    row = differ[0]
    smaller, larger = sorted(row)
    rounded = any(-(-smaller // elements) * elements == larger for elements in _ALIGNED)
    return (
        row
        if rounded and all(old * row[1] == new * row[0] for old, new in differ)
        else None
    )
