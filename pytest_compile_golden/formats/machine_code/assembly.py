"""A C++ compiler's x86-64 assembly in AT&T syntax: the functions and constants that a kernel consists of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, groupby

from pytest_compile_golden.lines import split_lines

LABEL = re.compile(r"(?<![\w.$])\.L\w+")
"""A location in a function, or a constant: its position or content identifies it, not its name."""
_DEFINED = re.compile(r"(?P<name>[\w.$]+):$")
_ALIAS = re.compile(r"\.set\s+(?P<name>[\w.$]+)\s*,\s*(?P<value>[\w.$+-]+)$")
_GLOBAL = re.compile(r"\.globl\s+(?P<name>[\w.$]+)$")
_TEXT = re.compile(r"\.text\b|\.section\s+\.text")
_DATA = re.compile(
    r"\.(?:byte|value|short|word|long|int|quad|octa|zero|float|double|ascii|asciz|string|2byte|4byte|8byte)\b"
)
_SECTION = re.compile(r"\.(?:section|text|data|bss)\b")
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]*")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
# A failing check names the header that it is in.
_FOLDERS = re.compile(r"(?<![\w.])(?:/[\w.+@~-]+)+/(?=[\w.+-]+)")


def cleaned(text: str) -> Iterator[str]:
    """The externally visible C functions, followed by what they refer to, in order of reference.

    Without directives, comments, alignment, debug information, unused functions of headers, labels that are not jumped
    to, and code that the compiler sets apart because it only runs on the way to an exception (`.cold`).
    """
    blocks, roots = _blocks(text)
    order = [name for name in roots if name in blocks]
    for name in order:  # grows as it goes
        for target in chain.from_iterable(map(_referred_to, blocks[name])):
            if target in blocks and target not in order and not target.endswith(".cold"):
                order.append(target)
    jumped_to = {target for name in order for line in blocks[name] for target in _referred_to(line)}
    for name in order:
        yield f"{name}:"
        for line, same in groupby(blocks[name]):
            times = len(list(same))
            if _DATA.match(line.strip()):
                yield f"{line} * {times}" if times > 1 else line
            elif not line.endswith(":") or line[:-1] in jumped_to:
                yield from [line] * times


def _blocks(text: str) -> tuple[dict[str, list[str]], list[str]]:
    """The lines of functions and constants by name, and the functions that a loader can find."""
    blocks: dict[str, list[str]] = {}
    roots: list[str] = []
    code = True
    block: list[str] | None = None
    for line in map(_significant, split_lines(text)):
        if _SECTION.match(line):
            code, block = _TEXT.match(line) is not None, None
        elif match := _GLOBAL.match(line):
            roots.append(match["name"])
        elif match := _ALIAS.match(line):
            blocks[match["name"]] = [f"    {line}"]
        elif match := _DEFINED.match(line):
            # In code, `.L4:` is a location in a function; among constants, each label begins a new one.
            if code and line.startswith(".L") and block is not None:
                block.append(line)
            elif not line.startswith((".LF", ".LCOLD", ".LHOT")):
                block = blocks[match["name"]] = []
        elif block is not None and (_DATA.match(line) if line.startswith(".") else code and line):
            block.append(f"    {line}")
    # C++ names are mangled; those from headers are in every file that includes them.
    return blocks, [name for name in roots if not name.startswith("_Z")]


def _significant(line: str) -> str:
    """A line without its comment and the directories of files, and with whitespace collapsed."""
    if '"' in line:
        return " ".join(_QUOTED.sub(lambda match: _FOLDERS.sub("", match[0]), line).split())
    return " ".join(line.partition("#")[0].split())


def _referred_to(line: str) -> list[str]:
    return _SYMBOL.findall(_QUOTED.sub("", line).replace("@PLT", "").replace("@GOTPCREL", "").strip().partition(" ")[2])
