"""The languages below Triton and C++: which parts of their texts are insignificant, and which names may differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pytest_compile_golden.formats.machine_code import assembly
from pytest_compile_golden.lines import split_lines

KERNEL = "kernel"
"""The name of every kernel in its own text; its real name is in the title above."""


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


_LOCATION = re.compile(r" loc\(")
_QUOTED_OR_BRACKET = re.compile(r'"(?:\\.|[^"\\])*"|[()]')


def _mlir(text: str) -> Iterator[str]:
    """Lines without source locations: `loc(...)` after a value or an operation, and their definitions."""
    for line in split_lines(text):
        if line.strip() and not line.startswith("#loc"):
            yield _without_locations(line).rstrip()


def _without_locations(line: str) -> str:
    while location := _LOCATION.search(line):
        depth = 1
        end = len(line)
        for bracket in _QUOTED_OR_BRACKET.finditer(line, location.end()):
            depth += {"(": 1, ")": -1}.get(bracket[0], 0)
            if depth == 0:
                end = bracket.end()
                break
        line = line[: location.start()] + line[end:]
    return line


# The file of a kernel's source, which a failed `tl.device_assert` prints; its directory is gone after the capture.
_ASSERTED_IN = re.compile(r"(\bassertFile_\d+)(?:\[\d+\])? = .*")
_LLVM_NOTE = re.compile(r",? ![\w.]+ !(?:\d+|\{\})|\s+; preds = .*$")


def _llvm(text: str) -> Iterator[str]:
    """Lines without comments, and without metadata, which is for debuggers."""
    for line in split_lines(text):
        line = _ASSERTED_IN.sub(r"\1 = ...", _LLVM_NOTE.sub("", line)).rstrip()
        if line and not line.startswith((";", "!", "source_filename")) and not line.lstrip().startswith("#dbg_"):
            yield line


_PTX_DEBUG = re.compile(r"(?:\.loc\b|\.file\b|\$L__(?:tmp|func_begin|func_end)\d+:)")


def _ptx(text: str) -> Iterator[str]:
    """Lines without comments, and without the debug sections at the end."""
    for line in split_lines(text):
        code = " ".join(line.partition("//")[0].split())
        if code.startswith(".section"):
            return
        if code and not _PTX_DEBUG.match(code):
            code = _ASSERTED_IN.sub(r"\1 = ...", code)
            yield f"    {code}" if line.startswith(("\t", " ")) else code


_SASS_LINE = re.compile(r"\s*/\*[0-9a-f]+\*/\s*(?P<instruction>.*?)\s*;|(?P<label>\.L_\w+):")


def _sass(text: str) -> Iterator[str]:
    """Instructions and the labels that are jumped to, without addresses and the padding at the end of a function."""
    filling: list[str] = []
    for line in split_lines(text):
        match = _SASS_LINE.match(line)
        if line.startswith("//---"):
            filling.clear()
        if match is None:
            continue
        if match["instruction"] == "NOP" or (match["label"] and f"`({match['label']})" not in text):
            filling += ["    NOP"] if match["instruction"] else []
            continue
        yield from filling
        filling.clear()
        yield f"{match['label']}:" if match["label"] else f"    {match['instruction']}"


_AMDGCN_LABEL = re.compile(r"(\.L\w+):")
_AMDGCN_JUMP = re.compile(r"^\ts_\w+ (\.L\w+)", re.M)


def _amdgcn(text: str) -> Iterator[str]:
    """Instructions and the labels that are jumped to, up to the kernel's metadata for the loader."""
    code = text.partition("\t.section")[0]
    jumped_to = {*_AMDGCN_JUMP.findall(code)}
    for line in split_lines(code):
        instruction = line.partition(";")[0].rstrip()
        label = _AMDGCN_LABEL.match(instruction)
        if label is not None and label[1] in jumped_to:
            yield instruction
        elif instruction.startswith("\t") and not instruction.startswith("\t."):
            yield f"    {' '.join(instruction.split())}"


_MLIR_VALUE = re.compile(r"%[\w$.-]+")
_MLIR_OPERATION = re.compile(r'(?:%[^=]+ = )?"?([a-z_]\w*\.[\w.]+)')

LANGUAGES: Mapping[str, Language] = {
    "ttir": Language(_mlir, _MLIR_VALUE, _MLIR_OPERATION),
    "ttgir": Language(_mlir, _MLIR_VALUE, _MLIR_OPERATION),
    "llir": Language(
        _llvm,
        re.compile(r"%[\w.$-]+|^[\w.$-]+(?=:)"),
        re.compile(r"(?:%\S+ = )?(?:tail )?([a-z]\w*(?: [^(]*@[\w.]+(?=\())?)"),
    ),
    "ptx": Language(
        _ptx, re.compile(r"%[a-z]+\d+\b|\$L__\w+"), re.compile(r"(?:@!?%p\d+ )?([a-z][\w.:]*)(?=\s)[^:]*;$")
    ),
    # Registers are part of machine code, as instructions are: their choice decides what is spilled.
    "amdgcn": Language(_amdgcn, re.compile(r"\.L\w+"), re.compile(r"([a-z]\w*)(?: |$)")),
    "sass": Language(_sass, re.compile(r"\.L_\w+"), re.compile(r"(?:@!?U?P\w+ )?([A-Z][\w.]*)(?: |$)")),
    "assembly": Language(assembly.cleaned, assembly.LABEL, re.compile(r"((?:lock |rep )?[a-z]\w*)(?: |$)")),
}

MACHINE_CODE = ("assembly", "amdgcn", "sass")
"""The languages that devices execute; a kernel has one of them."""
