"""The languages below Triton and C++: what in their texts is insignificant, and what compiled them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, groupby

from pytest_compile_golden.changes.common_types import Replaced
from pytest_compile_golden.common.lines import split_lines

KERNEL = "kernel"
"""The name of every kernel in its own text; its real name is in the title above."""
_DATA = frozenset(
    {
        ".byte",
        ".value",
        ".short",
        ".word",
        ".long",
        ".int",
        ".quad",
        ".octa",
        ".zero",
        ".float",
        ".double",
        ".ascii",
        ".asciz",
        ".string",
        ".2byte",
        ".4byte",
        ".8byte",
    }
)
_SECTIONS = frozenset({".section", ".text", ".data", ".bss"})
_SYMBOL = re.compile(r"[A-Za-z_.$][\w.$]*")
_QUOTED = re.compile(r'"(?:\\.|[^"\\])*"')
# A failing check names the header that it is in.
_FOLDERS = re.compile(r"(?<![\w.])(?:/[\w.+@~-]+)+/(?=[\w.+-]+)")
# `# Triton 3.7.1, ptxas 12.8 for sm90`, `# g++ 12.2.0`, also in parentheses.
COMPILER = re.compile(
    r"#.*\b(((?:Triton|g\+\+|clang) \d[^()\n]*?)(?: for \w+)?)\)?$", re.M
)
"""The first group says what it compiles for, too."""


def cleaned(text: str) -> Iterator[str]:
    """The externally visible C functions, followed by what they refer to, in order of reference.

    Without directives, comments, alignment, debug information, unused functions of headers, labels that are not jumped
    to, and code that the compiler sets apart because it only runs on the way to an exception (`.cold`).
    """
    blocks, roots = _blocks(text)
    order = [name for name in roots if name in blocks]
    for name in order:  # grows as it goes
        for target in chain.from_iterable(map(_referred_to, blocks[name])):
            if (
                target in blocks
                and target not in order
                and not target.endswith(".cold")
            ):
                order.append(target)
    jumped_to = {
        target
        for name in order
        for line in blocks[name]
        for target in _referred_to(line)
    }
    for name in order:
        yield f"{name}:"
        for line, same in groupby(blocks[name]):
            times = len(list(same))
            if line.split()[0] in _DATA:
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
        word, _, operands = line.partition(" ")
        if word in _SECTIONS:
            code, block = ".text" in (word, operands[:5]), None
        elif word == ".globl":
            roots.append(operands)
        elif word == ".set":
            blocks[operands.partition(",")[0].strip()] = [f"    {line}"]
        elif line.endswith(":") and not operands:
            # In code, `.L4:` is a location in a function; among constants, each label begins a new one.
            if code and line.startswith(".L") and block is not None:
                block.append(line)
            elif not line.startswith((".LF", ".LCOLD", ".LHOT")):
                block = blocks[line[:-1]] = []
        elif block is not None and (
            word in _DATA if line.startswith(".") else code and line
        ):
            block.append(f"    {line}")
    # C++ names are mangled; those from headers are in every file that includes them.
    return blocks, [name for name in roots if not name.startswith("_Z")]


def _significant(line: str) -> str:
    """A line without its comment and the directories of files, and with whitespace collapsed."""
    if '"' in line:
        return " ".join(
            _QUOTED.sub(lambda match: _FOLDERS.sub("", match[0]), line).split()
        )
    return " ".join(line.partition("#")[0].split())


def _referred_to(line: str) -> list[str]:
    return _SYMBOL.findall(
        _QUOTED.sub("", line)
        .replace("@PLT", "")
        .replace("@GOTPCREL", "")
        .strip()
        .partition(" ")[2]
    )


@dataclass(frozen=True)
class Language:
    """One language. Texts are stripped of source locations, addresses and metadata numbers."""

    lines: Callable[[str], Iterator[str]]
    """Yields the significant lines of a text."""
    name: re.Pattern[str]
    """Matches a value or a label, whose names do not matter."""
    operation: re.Pattern[str]
    """Matches the start of a line that is an instruction; the first group is its name."""

    def cleaned(self, text: str, kernel: str) -> str:
        """The significant lines of `text`, with its function `kernel` renamed to KERNEL."""
        named = re.compile(rf"(?<!\w){re.escape(kernel)}(?=\b|_param_)")
        return "".join(f"{named.sub(KERNEL, line)}\n" for line in self.lines(text))


_LOCATION = " loc("
_QUOTED_OR_BRACKET = re.compile(r'"(?:\\.|[^"\\])*"|[()]')


def _mlir(text: str) -> Iterator[str]:
    """Lines without source locations: `loc(...)` after a value or an operation, and their definitions."""
    for line in split_lines(text):
        if line.strip() and not line.startswith("#loc"):
            yield _without_locations(line).rstrip()


def _without_locations(line: str) -> str:
    while (start := line.find(_LOCATION)) >= 0:
        depth = 1
        end = len(line)
        for bracket in _QUOTED_OR_BRACKET.finditer(line, start + len(_LOCATION)):
            depth += {"(": 1, ")": -1}.get(bracket[0], 0)
            if depth == 0:
                end = bracket.end()
                break
        line = line[:start] + line[end:]
    return line


# The file of a kernel's source, which a failed `tl.device_assert` prints; its directory is gone after the capture.
_ASSERTED_IN = re.compile(r"(\bassertFile_\d+)(?:\[\d+\])? = .*")
_LLVM_NOTE = re.compile(r",? ![\w.]+ !(?:\d+|\{\})|\s+; preds = .*$")


def _llvm(text: str) -> Iterator[str]:
    """Lines without comments, and without metadata, which is for debuggers."""
    for line in split_lines(text):
        line = _ASSERTED_IN.sub(r"\1 = ...", _LLVM_NOTE.sub("", line)).rstrip()
        if (
            line
            and not line.startswith((";", "!", "source_filename"))
            and not line.lstrip().startswith("#dbg_")
        ):
            yield line


_PTX_DEBUG = (".loc ", ".file ", "$L__tmp", "$L__func_begin", "$L__func_end")


def _ptx(text: str) -> Iterator[str]:
    """Lines without comments, and without the debug sections at the end."""
    for line in split_lines(text):
        code = " ".join(line.partition("//")[0].split())
        if code.startswith(".section"):
            return
        if code and not code.startswith(_PTX_DEBUG):
            code = _ASSERTED_IN.sub(r"\1 = ...", code)
            yield f"    {code}" if line.startswith(("\t", " ")) else code


_SASS_LINE = re.compile(
    r"\s*/\*[0-9a-f]+\*/\s*(?P<instruction>.*?)\s*;|(?P<label>\.L_\w+):"
)


def _sass(text: str) -> Iterator[str]:
    """Instructions and the labels that are jumped to, without addresses and the padding at the end of a function."""
    filling: list[str] = []
    for line in split_lines(text):
        match = _SASS_LINE.match(line)
        if line.startswith("//---"):
            filling.clear()
        if match is None:
            continue
        if match["instruction"] == "NOP" or (
            match["label"] and f"`({match['label']})" not in text
        ):
            filling += ["    NOP"] if match["instruction"] else []
            continue
        yield from filling
        filling.clear()
        yield f"{match['label']}:" if match["label"] else f"    {match['instruction']}"


def _amdgcn(text: str) -> Iterator[str]:
    """Instructions and the labels that are jumped to, up to the kernel's metadata for the loader."""
    lines = [
        line.partition(";")[0].rstrip()
        for line in split_lines(text.partition("\t.section")[0])
    ]
    jumped_to = {
        label
        for line in lines
        if line.startswith("\ts_")
        for label in line.split()[1:2]
    }
    for line in lines:
        if line.partition(":")[0] in jumped_to:
            yield line
        elif line.startswith("\t") and not line.startswith("\t."):
            yield f"    {' '.join(line.split())}"


_MLIR = r"%[\w$.-]+", r'(?:%[^=]+ = )?"?([a-z_]\w*\.[\w.]+)'

LANGUAGES: Mapping[str, Language] = {
    name: Language(lines, re.compile(value), re.compile(operation))
    for name, lines, value, operation in (
        ("ttir", _mlir, *_MLIR),
        ("ttgir", _mlir, *_MLIR),
        (
            "llir",
            _llvm,
            r"%[\w.$-]+|^[\w.$-]+(?=:)",
            r"(?:%\S+ = )?(?:tail )?([a-z]\w*(?: [^(]*@[\w.]+(?=\())?)",
        ),
        (
            "ptx",
            _ptx,
            r"%[a-z]+\d+\b|\$L__\w+",
            r"(?:@!?%p\d+ )?([a-z][\w.:]*)(?=\s)[^:]*;$",
        ),
        # Registers are part of machine code, as instructions are: their choice decides what is spilled.
        ("amdgcn", _amdgcn, r"\.L\w+", r"([a-z]\w*)(?: |$)"),
        ("sass", _sass, r"\.L_\w+", r"(?:@!?U?P\w+ )?([A-Z][\w.]*)(?: |$)"),
        # A label is a location in a function, or a constant, which its position or content identifies, not its name.
        (
            "assembly",
            cleaned,
            r"(?<![\w.$])\.L\w+",
            r"((?:lock |rep )?[a-z]\w*)(?: |$)",
        ),
    )
}

MACHINE_CODE = ("assembly", "amdgcn", "sass")
"""The languages that devices execute; a kernel has one of them."""


def other_compiler(old: Iterable[str], new: Iterable[str]) -> tuple[Replaced, ...]:
    """One edit if the compilers differ, which accounts for all differences unless the kernel's own text changed before.
    Empty if they are the same, or if a side does not name its compiler.

    old, new: texts with comments that name compilers.
    """
    before, after = (
        {name: None for text in side for _, name in COMPILER.findall(text)}
        for side in (old, new)
    )
    if not before or not after or before == after:
        return ()
    return (Replaced("compilers", ", ".join(before), ", ".join(after)),)
