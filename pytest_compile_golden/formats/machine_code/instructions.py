"""The kinds of instructions in a GPU's machine code, and how many there are of each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from pytest_compile_golden.formats.machine_code.languages import LANGUAGES
from pytest_compile_golden.lines import split_lines

# By the start of an instruction; the first match counts (CUDA Binary Utilities, "Instruction Set Reference").
_KINDS = (
    ("tensor_core", re.compile(r"(?:[BDHIOQ]G?MMA|UTC\w*MMA)\b")),
    ("copy.global.shared", re.compile(r"LDGSTS\b|UBLKCP\b|UTMALDG\b|UTMASTG\b|UTMACMDFLUSH\b|UBLKPF\b")),
    ("atomic.global", re.compile(r"ATOMG?\b|REDG?\b|UTMAREDG\b|UBLKRED\b")),
    ("atomic.shared", re.compile(r"ATOMS\b|REDS\b")),
    ("load.tensor", re.compile(r"LDTM\b|LDT\b")),
    ("store.tensor", re.compile(r"STTM\b|STT\b|UTCCP\b")),
    ("load.global", re.compile(r"LDG\b")),
    ("store.global", re.compile(r"STG\b")),
    ("load.shared", re.compile(r"LDSM?\b")),
    ("store.shared", re.compile(r"STSM?\b")),
    ("load.local", re.compile(r"LDL\b")),
    ("store.local", re.compile(r"STL\b")),
    ("load.generic", re.compile(r"LD\b")),
    ("store.generic", re.compile(r"ST\b")),
    ("barrier", re.compile(r"BAR\b|SYNCS\b|UCGABAR_\w+|MEMBAR\b")),
    ("shuffle", re.compile(r"SHFL\b")),
    ("conversion", re.compile(r"F2FP?\b|F2IP?\b|I2FP?\b|I2I\b|I2IP\b|FRND\b|UF2FP\b|UI2FP?\b|UF2IP?\b")),
    ("special_function", re.compile(r"MUFU\b")),
)
KINDS = tuple(kind for kind, _ in _KINDS)
"""In the order in which they are reported."""
# The same kinds according to AMD's "Instinct MI300 Instruction Set Architecture": the lanes of a wavefront exchange
# values by permutations through the shared-memory hardware, or through a modifier of another instruction (DPP).
_AMD_KINDS = (
    ("tensor_core", re.compile(r"v_s?mfmac?_")),
    ("copy.global.shared", re.compile(r"(?:buffer|global)_load_lds_|buffer_load_\w+ .*\blds\b")),
    ("atomic.global", re.compile(r"(?:buffer|global|flat)_atomic_")),
    ("load.global", re.compile(r"(?:buffer|global)_load_")),
    ("store.global", re.compile(r"(?:buffer|global)_store_")),
    ("shuffle", re.compile(r"ds_b?permute_|ds_swizzle_|v_permlane|v_\w+_dpp\b")),
    ("load.shared", re.compile(r"ds_(?:read|load)")),
    ("store.shared", re.compile(r"ds_(?:write|store)")),
    ("atomic.shared", re.compile(r"ds_(?:add|sub|min|max|and|or|xor|inc|dec|cmpst|wrxchg|pk_add)_")),
    ("load.local", re.compile(r"scratch_load_")),
    ("store.local", re.compile(r"scratch_store_")),
    ("load.generic", re.compile(r"flat_load_")),
    ("store.generic", re.compile(r"flat_store_")),
    ("barrier", re.compile(r"s_barrier")),
    ("conversion", re.compile(r"v_cvt_")),
    ("special_function", re.compile(r"v_(?:exp|log|rcp|rsq|sqrt|sin|cos)_")),
)
_AMD_WIDTH = re.compile(r"_(?:[us]?(?P<named>byte|short)|dword(?:x(?P<words>\d))?|[bui](?P<bits>\d+))(?:_|\b)")
_MEMORY = ("load.", "store.")
_WIDTH = re.compile(r"\.[US]?(8|16|32|64|128|256)(?=\.|$)")
_WIDTHS_OF_MATRICES = {"LDSM", "STSM"}


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
            counts.update(_amd_kind(line.strip()) if language == "amdgcn" else _kind(operation[1]))
    order = {kind: index for index, kind in enumerate(("instructions", *KINDS))}
    ranked = sorted(counts, key=lambda name: (order[_without_width(name)], -_number(name), name))
    return {name: counts[name] for name in ranked}


def _kind(operation: str) -> tuple[str, ...]:
    for kind, pattern in _KINDS:
        if pattern.match(operation):
            if not kind.startswith(_MEMORY) or kind.endswith(".tensor"):
                return (kind,)
            first = operation.partition(".")[0]
            width = _WIDTH.search(operation)
            return (f"{kind}.{'matrix' if first in _WIDTHS_OF_MATRICES else width[1] if width else '32'}",)
    return ()


def _amd_kind(line: str) -> tuple[str, ...]:
    kind = next((kind for kind, pattern in _AMD_KINDS if pattern.match(line)), None)
    if kind is None or not kind.startswith(_MEMORY):
        return () if kind is None else (kind,)
    operation = line.partition(" ")[0]
    width = _AMD_WIDTH.search(operation)
    if width is None or "_tr_" in operation:  # transposes a matrix on the way
        return (f"{kind}.matrix",)
    named = {"byte": 8, "short": 16}.get(width["named"] or "")
    return (f"{kind}.{named or int(width['bits'] or 32 * int(width['words'] or 1))}",)


def _without_width(name: str) -> str:
    return name if name in KINDS or name == "instructions" else name.rpartition(".")[0]


def _number(name: str) -> int:
    last = name.rpartition(".")[2]
    return int(last) if last.isdigit() else 0
