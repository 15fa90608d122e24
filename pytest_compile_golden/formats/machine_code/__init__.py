"""What compilers print for each kernel: Triton's IRs, LLVM IR, PTX and machine code; for C++, assembly.

The format of all of these is here: its canonical form numbers values and labels, and its edits are told by instruction.

instructions: the kinds of instructions in a GPU's machine code, and how many there are of each
languages: the languages below Triton and C++: what in their texts is insignificant, and what compiled them
x86: the kinds of instructions in the assembly of a C++ kernel, and its use of registers, stack frame and loops
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence, Set

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.changes.common_types import NumbersChanged, Simple
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.generated_code import MachineCode
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.canonical_text import plain
from pytest_compile_golden.formats.inductor_module import (
    CodeFormat,
    KernelsFormat,
    Piece,
)
from pytest_compile_golden.formats.machine_code.languages import (
    LANGUAGES,
    Language,
    other_compiler,
)


class MachineCodeFormat(CodeFormat):
    """Each kernel under its title and configuration; a kernel has a piece for each configuration it was compiled in."""

    lines_are_edits = False
    none = KernelsFormat.none

    def __init__(self, language: Language, device: str = "cuda") -> None:
        self._language = language
        self.word = language.name
        self._device = device
        """The device type whose kernels are compiled through this language."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        """None if nothing is compiled to this language, such as on another device type."""
        compiled: list[MachineCode] = record.get("machine_code")
        if record.device_type != self._device or not record.get("output_code"):
            return None
        pieces = [
            Piece(code.key.label, self._source(code, stage), code.kernel)
            for code in compiled
        ]
        return Artifact(stage, self.write(pieces))

    def form(self, document: Iterable[Piece]) -> Hashable:
        """The statements of each kernel, regardless of the names of values, labels and kernels, and of the compiler."""
        return tuple((piece.graph, self.renamed(piece.source)) for piece in document)

    def names(self, text: str) -> Set[str]:
        return set(self._language.name.findall(text))

    def edits_of(self, old: Sequence[Piece], new: Sequence[Piece]) -> Iterable[Change]:
        """The count of each instruction before and after; a single edit, since each follows from the others."""
        if compiler_edits := other_compiler(
            *((piece.source for piece in side) for side in (old, new))
        ):
            return compiler_edits
        before, after = self._counted(old), self._counted(new)
        changed = [name for name in {**before, **after} if before[name] != after[name]]
        changed.sort(key=lambda name: (-abs(after[name] - before[name]), name))
        if not changed:
            return (Simple("operands"),)
        shown = tuple((name, before[name], after[name]) for name in changed[:_SHOWN])
        return (NumbersChanged("instructions", shown, max(len(changed) - _SHOWN, 0)),)

    def _source(self, compiled: MachineCode, stage: str) -> str:
        compiler = f" ({compiled.compiler})" if compiled.compiler else ""
        text = self._language.cleaned(compiled.texts.get(stage, ""), compiled.symbol)
        return f"# {compiled.config}{compiler}\n" + (text or f"{compiled.dropped}\n")

    def renamed(self, source: str) -> tuple[str, ...]:
        """The lines of one kernel, with its values and labels numbered by first appearance."""
        numbers: dict[str, int] = {}

        def number(match: re.Match[str]) -> str:
            return f"%{numbers.setdefault(match[0], len(numbers))}"

        return tuple(self._language.name.sub(number, line) for line in plain(source))

    def _counted(self, document: Iterable[Piece]) -> Counter[str]:
        lines = (line for piece in document for line in split_lines(piece.source))
        operations = (self._language.operation.match(line.strip()) for line in lines)
        return Counter(
            operation[1] for operation in operations if operation is not None
        )


_SHOWN = 4

TTIR, TTGIR, LLIR, PTX, SASS, AMDGCN = (
    MachineCodeFormat(LANGUAGES[name])
    for name in ("ttir", "ttgir", "llir", "ptx", "sass", "amdgcn")
)
ASSEMBLY = MachineCodeFormat(LANGUAGES["assembly"], "cpu")
