"""The kinds of instructions in a GPU's machine code, and how many there are of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.formats.canonical_text import by_start
from pytest_compile_golden.formats.machine_code.languages import LANGUAGES

# By the start of an instruction; the first match counts (CUDA Binary Utilities, "Instruction Set Reference").
_KINDS = {
    "tensor_core": r"(?:[BDHIOQ]G?MMA|UTC\w*MMA)\b",
    "copy.global.shared": r"LDGSTS\b|UBLKCP\b|UTMALDG\b|UTMASTG\b|UTMACMDFLUSH\b|UBLKPF\b",
    "atomic.global": r"ATOMG?\b|REDG?\b|UTMAREDG\b|UBLKRED\b",
    "atomic.shared": r"ATOMS\b|REDS\b",
    "load.tensor": r"LDTM\b|LDT\b",
    "store.tensor": r"STTM\b|STT\b|UTCCP\b",
    "load.global": r"LDG\b",
    "store.global": r"STG\b",
    "load.shared": r"LDSM?\b",
    "store.shared": r"STSM?\b",
    "load.local": r"LDL\b",
    "store.local": r"STL\b",
    "load.generic": r"LD\b",
    "store.generic": r"ST\b",
    "barrier": r"BAR\b|SYNCS\b|UCGABAR_\w+|MEMBAR\b",
    "shuffle": r"SHFL\b",
    "conversion": r"F2FP?\b|F2IP?\b|I2FP?\b|I2I\b|I2IP\b|FRND\b|UF2FP\b|UI2FP?\b|UF2IP?\b",
    "special_function": r"MUFU\b",
}
KINDS = tuple(_KINDS)
"""In the order in which they are reported."""
# The same kinds according to AMD's "Instinct MI300 Instruction Set Architecture": the lanes of a wavefront exchange
# values by permutations through the shared-memory hardware, or through a modifier of another instruction (DPP).
_AMD_KINDS = {
    "tensor_core": r"v_s?mfmac?_",
    "copy.global.shared": r"(?:buffer|global)_load_lds_|buffer_load_\w+ .*\blds\b",
    "atomic.global": r"(?:buffer|global|flat)_atomic_",
    "load.global": r"(?:buffer|global)_load_",
    "store.global": r"(?:buffer|global)_store_",
    "shuffle": r"ds_b?permute_|ds_swizzle_|v_permlane|v_\w+_dpp\b",
    "load.shared": r"ds_(?:read|load)",
    "store.shared": r"ds_(?:write|store)",
    "atomic.shared": r"ds_(?:add|sub|min|max|and|or|xor|inc|dec|cmpst|wrxchg|pk_add)_",
    "load.local": r"scratch_load_",
    "store.local": r"scratch_store_",
    "load.generic": r"flat_load_",
    "store.generic": r"flat_store_",
    "barrier": r"s_barrier",
    "conversion": r"v_cvt_",
    "special_function": r"v_(?:exp|log|rcp|rsq|sqrt|sin|cos)_",
}
_kind_of, _amd_kind_of = by_start(_KINDS), by_start(_AMD_KINDS)
_AMD_WIDTH = re.compile(
    r"_(?:[us]?(?P<named>byte|short)|dword(?:x(?P<words>\d))?|[bui](?P<bits>\d+))(?:_|\b)"
)
_MEMORY = ("load.", "store.")
_WIDTHS = ("8", "16", "32", "64", "128", "256")
_OF_MATRICES = {"LDSM", "STSM"}


def counted(text: str, language: str = "sass") -> Mapping[str, int]:
    """The number of instructions of each kind; `load.global.128` reads 128 bits per thread.

    text: the text of the stage called `language`, `sass` or `amdgcn`. `instructions` counts all of them. Loads and
    stores of matrices have no width of their own.
    """
    counts: Counter[str] = Counter()
    for line in split_lines(text):
        operation = LANGUAGES[language].operation.match(line.strip())
        if operation is not None:
            counts["instructions"] += 1
            counts.update(
                _amd_kind(line.strip()) if language == "amdgcn" else _kind(operation[1])
            )
    return ranked(counts, KINDS)


def ranked(counts: Mapping[str, int], kinds: Iterable[str]) -> Mapping[str, int]:
    """The sum, then `kinds` in their order, each with what is part of it: the widest first, `load.global.128`."""
    order = tuple(enumerate(("instructions", *kinds)))

    def rank(name: str) -> tuple[int, int, str]:
        return (
            next(at for at, kind in order if f"{name}.".startswith(f"{kind}.")),
            -bits(name),
            name,
        )

    return {name: counts[name] for name in sorted(counts, key=rank)}


def _kind(operation: str) -> tuple[str, ...]:
    kind = _kind_of(operation)
    if not kind.startswith(_MEMORY) or kind.endswith(".tensor"):
        return (kind,) if kind else ()
    name, *parts = operation.split(".")
    width = next(
        (part.lstrip("US") for part in parts if part.lstrip("US") in _WIDTHS), "32"
    )
    return (f"{kind}.{'matrix' if name in _OF_MATRICES else width}",)


def _amd_kind(line: str) -> tuple[str, ...]:
    kind = _amd_kind_of(line)
    if not kind.startswith(_MEMORY):
        return (kind,) if kind else ()
    operation = line.partition(" ")[0]
    width = _AMD_WIDTH.search(operation)
    if width is None or "_tr_" in operation:  # transposes a matrix on the way
        return (f"{kind}.matrix",)
    named = {"byte": 8, "short": 16}.get(width["named"] or "")
    return (f"{kind}.{named or int(width['bits'] or 32 * int(width['words'] or 1))}",)


def bits(kind: str) -> int:
    """The width at the end of a kind; 0 without one."""
    last = kind.rpartition(".")[2]
    return int(last) if last.isdigit() else 0
