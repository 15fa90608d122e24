"""Wrapper code: the sequence of allocations, reuses, launches and extern calls."""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator
from functools import lru_cache
from itertools import count

from pytest_compile_golden.changes.change import Change
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.generated_code import OutputCode
from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.formats import cpp_kernels, cpp_wrapper
from pytest_compile_golden.formats.align_texts import align, without_comment
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.canonical_text import arguments
from pytest_compile_golden.formats.format import Significant
from pytest_compile_golden.formats.inductor_module import CodeFormat, Piece, read_module
from pytest_compile_golden.formats.inductor_names import numbered
from pytest_compile_golden.formats.op_counts import (
    ALLOCATION,
    FREE,
    LAUNCH,
    REUSE,
    Inventory,
    Occurrence,
    inventory,
)
from pytest_compile_golden.formats.statements import (
    ALIAS,
    Statement,
    logical,
    statement,
)

_KERNELS = ("triton_", "cpp_")
_GLOBAL = frozenset(
    {
        "extern_kernels",
        "torch",
        "reinterpret_tensor",
        "aten",
        "async_compile",
        "empty_strided",
        "self",
        "math",
    }
)
_ALLOCATORS = (
    "empty_strided",
    "alloc_from_pool",
    "torch.empty",
    "aoti_torch_empty_strided",
)
_CHECKS = ("assert_", "AOTI_TORCH_CHECK")
# Checks of inputs and of the results of library calls, whose positions differ between versions. For frees, only the
# set of freed buffers counts, not the positions; reuse is an assignment.
_DROPPED = ("assert_size_stride", "assert_tensor_metadata", "assert_alignment", "del ")
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\(")
# Sizes given to a library, which takes them in a tuple as it does in a list; torch writes either.
_LIBRARY_CALL = re.compile(r"(.*\btorch\.ops\.[\w.]+\()(.*)\)$")
_SIZES = re.compile(r"\((\d+(?:, \d+)*),?\)")
# The rest of a reduction, whose result torch 2.13 and later view in the shape that it has.
_VIEWED_AS_IT_IS = re.compile(r"(\.view\(\w+, (\w+)\)\.\w+\(dim=0)\)\.view\(\[\2\]\)")
_REUSE = "# reuse"
# Handling of streams, devices and arguments, which does no work.
_BOOKKEEPING = ("get_raw_stream", "args.clear", "_DeviceGuard", "set_device")
# How a wrapper gets at streams that the program made (torch/_inductor/codegen/wrapper.py; the second up to 2.14).
OF_THE_PROGRAM = frozenset({"_get_stream_by_index", "get_external_object_by_index"})
_NO_WORK = ("def ", "return ", "with ", "del ", "//", "#")
# torch 2.13 used another name (torch/_inductor/utils.py).
RENAMED = {"copy_misaligned": "copy_if_misaligned"}
_RENAMED = re.compile(rf"\b({'|'.join(RENAMED)})(?=\()")


def canonical(text: str) -> tuple[tuple[int, str, tuple[int | str, ...]], ...]:
    """The statements in order, without checks and comments; buffers, kernels and streams by order of appearance.

    Each function is followed by what it frees and does not return.
    """
    lines = [
        (indent, _without_stream(statement(code, _GLOBAL)))
        for indent, code in _statements(text)
    ]
    numbers: dict[str, int] = {}
    statements: list[tuple[int, str, tuple[int | str, ...]]] = []
    local = {
        name
        for (_, parsed) in lines
        for name in (
            parsed.names
            if parsed.text.startswith(" def ")
            else parsed.names[: parsed.targets]
        )
    }
    fresh = count()
    freed: set[int | str] = set()
    for indent, parsed in lines:
        if parsed.text.startswith(" def "):
            numbers.clear()
            freed.clear()
            fresh = count()
        if parsed.text.startswith(" del "):
            freed.update(numbers.get(name, name) for name in parsed.names)
            continue
        if parsed.text == ALIAS and parsed.names[1] in numbers:
            # The same buffer under another name, which is used from here on: reuse, or a plain alias.
            numbers[parsed.names[0]] = numbers[parsed.names[1]]
            continue
        names: list[int | str] = []
        for name in parsed.names:
            if name not in numbers and (name in local or name.startswith(_KERNELS)):
                numbers[name] = next(fresh)
            names.append(numbers.get(name, RENAMED.get(name, name)))
        statements.append((indent, parsed.text, tuple(names)))
        if parsed.text.startswith(" return "):
            statements.append(
                (indent, "frees", tuple(sorted(freed.difference(names), key=str)))
            )
    return tuple(statements)


def _statements(text: str) -> Iterator[tuple[int, str]]:
    for line in logical(text):
        # `buf1 = buf0; del buf0  # reuse`
        first, *more = line.code.split("; ")
        if first.startswith("del ") or not _is_dropped(first):
            yield line.indent, _normalised(first)
        yield from ((line.indent, code) for code in more if not _is_dropped(code))


def _is_dropped(code: str) -> bool:
    return code.startswith(_DROPPED) or " = get_raw_stream(" in code


@lru_cache(maxsize=1 << 13)
def _without_stream(parsed: Statement) -> Statement:
    """The launch, independent of the name of the current stream; which of its own streams a program enters counts."""
    entered = parsed.text.startswith(" with ") or not OF_THE_PROGRAM.isdisjoint(
        parsed.names
    )
    if entered or not any("stream" in name for name in parsed.names):
        return parsed
    names = tuple("stream" if "stream" in name else name for name in parsed.names)
    return parsed._replace(names=names)


class WrapperFormat(CodeFormat):
    """For each graph, the functions that allocate, launch and free."""

    def render(self, record: Record, stage: str) -> Artifact | None:
        codes: list[OutputCode] = record.get("output_code")
        pieces = [
            Piece(code.key.label, "\n\n".join(read_module(code.code).calls))
            for code in codes
        ]
        return Artifact(stage, self.write(pieces)) if pieces else None

    def canonical(self, text: str) -> Hashable:
        if cpp_wrapper.is_wrapper(text):
            return cpp_kernels.canonical_calls(text)
        return canonical(text)

    def inventory(self, text: str) -> Inventory:
        """Allocations, reuses, frees, launches, library calls and checks."""
        return inventory(counted(text, _GLOBAL))

    @property
    def describes_edits(self) -> bool:
        return False

    def edits(self, old: str, new: str) -> tuple[Change, ...]:
        return super().edits(
            *(
                _RENAMED.sub(lambda found: RENAMED[found[0]], text)
                for text in (old, new)
            )
        )

    def significant(self, old: str, new: str) -> Significant:
        """The lines without checks, and without frees if anything else differs."""
        if cpp_wrapper.is_wrapper(new):
            texts = cpp_wrapper.with_arrays(old), cpp_wrapper.with_arrays(new)
            return Significant(*align(texts, numbered, cpp_kernels.significant_line))
        lines = Significant(*align((old, new), numbered, _significant))
        return (
            lines
            if lines.differ
            else Significant(*align((old, new), numbered, without_comment))
        )


def _significant(line: str) -> str | None:
    code = without_comment(line)
    return (
        None
        if code is None or _is_dropped(code.strip())
        else code.partition("; del ")[0]
    )


WRAPPER = WrapperFormat()


def counted(text: str, names: Collection[str]) -> Iterator[Occurrence]:
    """Each thing that wrapper code does, line by line, in C++ or Python; `names` are names that are not values."""
    for line in split_lines(text):
        code = line.strip()
        freed = [part for part in code.split("; ") if part.startswith("del ")]
        yield from [Occurrence(FREE)] * (
            sum(part.count(",") + 1 for part in freed) + code.count(".reset();")
        )
        first = code.partition("; del ")[0]
        check = next(
            (
                call[1]
                for call in _CALLED.finditer(first)
                if call[1].startswith(_CHECKS)
            ),
            "",
        )
        if _REUSE in code:
            yield Occurrence(REUSE)
        elif check:
            yield Occurrence(check)
        elif not (
            first.startswith(_NO_WORK) or any(aside in first for aside in _BOOKKEEPING)
        ):
            yield from _called(_normalised(first.partition("  #")[0]), frozenset(names))


def _normalised(code: str) -> str:
    """A statement with what versions of torch write in different ways written in one."""
    code = _VIEWED_AS_IT_IS.sub(r"\1, keepdim=False)", code)
    call = _LIBRARY_CALL.match(code)
    if call is None:
        return code
    given = [
        sizes.expand(r"[\1]") if (sizes := _SIZES.fullmatch(one)) else one
        for one in arguments(call[2])
    ]
    return f"{call[1]}{', '.join(given)})"


def _called(code: str, names: frozenset[str]) -> Iterator[Occurrence]:
    calls = list(_CALLED.finditer(code))
    if match := next((call for call in calls if call[1].startswith(_ALLOCATORS)), None):
        yield Occurrence(ALLOCATION, _arguments(code[match.start() :], names))
    elif match := next((call for call in calls if _launches(call[1])), None):
        yield Occurrence(LAUNCH, _arguments(code[match.end() - 1 :], names))
    elif calls:
        name = calls[0][1]
        yield Occurrence(
            RENAMED.get(name, name), _arguments(code[calls[0].start() :], names)
        )


def _launches(name: str) -> bool:
    return name.endswith(".run") or any(kernel in name for kernel in _KERNELS)


def _arguments(code: str, names: frozenset[str]) -> str:
    return statement(code, names).text
