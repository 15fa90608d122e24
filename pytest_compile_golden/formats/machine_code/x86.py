"""The kinds of instructions in the assembly of a C++ kernel, and its use of registers, stack frame and loops."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.generated_code import CpuResources
from pytest_compile_golden.formats.canonical_text import by_start
from pytest_compile_golden.formats.machine_code.instructions import bits, ranked

KINDS = (
    "load.vector",
    "store.vector",
    "gather",
    "scatter",
    "masked",
    "load.scalar",
    "store.scalar",
    "load.stack",
    "store.stack",
    "load.constant",
    "fma.vector",
    "fma.scalar",
    "arithmetic.vector",
    "arithmetic.scalar",
    "conversion.vector",
    "conversion.scalar",
    "shuffle",
    "branch",
    "call",
)
"""In the order in which they are reported."""
_MOVES_DATA = ("load.vector", "store.vector", "gather", "scatter", "masked")
_COMPUTES = ("fma.vector", "arithmetic.vector", "conversion.vector")
_ONE_BY_ONE = (
    "load.scalar",
    "store.scalar",
    "fma.scalar",
    "arithmetic.scalar",
    "call.libm",
)

# By the start of an instruction, without the `v` of AVX (Intel's Software Developer's Manual, volume 2).
_work = by_start(
    {
        "fma": r"fn?m(?:add|sub)",
        "conversion": r"cvt|pmov(?:sx|zx|s?us?[dqw]|s?[dqw])[bdqw]",
        "arithmetic": r"(?:add|sub|mul|div|sqrt|rsqrt|rcp|min|max|hadd|hsub|dp|and|or|xor|round|rndscale|reduce|scalef"
        r"|getexp|getmant|range|fixupimm|cmp|comi|ucomi|blend"
        r"|p(?:add|sub|mul|madd|min|max|abs|avg|sad|sign|s[lr][la]|ro[lr]|and|or|xor|ternlog|cmp|test|blend|lzcnt"
        r"|popcnt|dp))",
        "none": r"mov(?:u|a|nt)?[psdq]|movdq|lddqu|broadcast|pbroadcast",
    }
)
_SCALAR = re.compile(r"(?!p|broadcast)\w*(?:s[sd]|2s[sd]l?|2u?siq?l?|si2s[sd][lq]?)$")

_MEMORY = re.compile(
    r"(?P<place>[-\w.+@$]*)\((?P<base>%\w+)?(?:,(?P<index>%\w+))?[^)]*\)"
)
_BITS = {"%xmm": 128, "%ymm": 256, "%zmm": 512}
"""The width of vector registers, by how their names start."""
# Functions declared in the C library's <math.h>; there is one of each for float, too.
_LIBM = frozenset({
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf",
    "erfc", "exp", "exp10", "exp2", "expm1", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "hypot", "ilogb",
    "j0", "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint",
    "lround", "modf", "nearbyint", "nextafter", "pow", "remainder", "remquo", "rint", "round", "roundeven", "scalbln",
    "scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn",
})  # fmt: skip


@dataclass(frozen=True)
class _Instruction:
    text: str
    kinds: tuple[str, ...]
    slot: str = ""
    """The location in the frame where it reads or writes a vector register: `-144(%rbp)`."""


def counted(assembly: str) -> Mapping[str, int]:
    """The number of instructions of each kind; `load.vector.256` reads a register of 256 bits.

    assembly: the stage's text. `instructions` counts all of them; one that reads and computes is of two kinds.
    """
    counts: Counter[str] = Counter()
    for function in _functions(assembly):
        counts["instructions"] += sum(
            isinstance(instruction, _Instruction) for instruction in function
        )
        counts.update(_kinds(function))
    return ranked(counts, KINDS)


def resources(assembly: str) -> CpuResources:
    """The resources that the kernel takes, as far as its text shows them."""
    functions = list(_functions(assembly))
    loops = [loop for function in functions for loop in _loops(function)]
    kinds = [kind for function in functions for kind in _kinds(function)]
    return CpuResources(
        vector_bits=_widest(kinds),
        spills=sum(map(_spills, functions)),
        stack=max(map(_frame, functions), default=0),
        loops=len(loops),
        scalar_loops=sum(not _widest(loop) for loop in loops),
        libm_calls=sum(kind.startswith("call.libm.") for kind in kinds),
    )


def _functions(assembly: str) -> Iterator[list[_Instruction | str]]:
    """The instructions of each function, with its labels among them."""
    function: list[str] = []
    for line in [*split_lines(assembly), "end:"]:
        if not line.startswith(".L") and line.endswith(":"):
            own_base = any(map(_points_to_frame, function))
            yield [
                text if text.endswith(":") else _read(text, own_base)
                for text in function
            ]
            function = []
        elif line.endswith(":") or not line.strip().startswith((".", "#")):
            function.append(line.strip())


def _points_to_frame(text: str) -> bool:
    return text == "movq %rsp, %rbp" or (
        text.startswith("leaq ") and text.endswith("(%rsp), %rbp")
    )


def _read(text: str, own_base: bool) -> _Instruction:
    """One instruction; own_base: whether %rbp points to the frame."""
    prefix, _, remainder = text.partition(" ")
    operation, _, operands = (
        remainder.partition(" ")
        if prefix in ("lock", "rep")
        else (prefix, "", remainder)
    )
    target = operands.lstrip("*")
    if operation in ("call", "jmp") and target[:1].isidentifier():
        return _Instruction(text, (f"call.{_callee(target.partition('@')[0])}",))
    if operation[0] == "j":
        return _Instruction(text, ("branch",))
    if operation in ("nop", "prefetcht0") or operation.startswith("lea"):
        return _Instruction(text, ())
    vectors = [width for register, width in _BITS.items() if register in operands]
    name = operation.removeprefix("v")
    width = "" if not vectors or _SCALAR.match(name) else f".{max(vectors)}"
    how = f"vector{width}" if width else "scalar"
    memory = _MEMORY.search(operands)
    last = memory is not None and memory.end() == len(
        operands.partition("{")[0].rstrip()
    )
    written = (
        last
        and "," in operands
        and not name.startswith(("cmp", "test", "comi", "ucomi"))
    )
    kinds: list[str] = []
    slot = ""
    if name.startswith(("gather", "pgather", "scatter", "pscatter")):
        kinds.append(("gather" if "gather" in name else "scatter") + width)
    elif memory is not None:
        of_frame = memory["base"] == "%rsp" or (own_base and memory["base"] == "%rbp")
        way = "store" if written else "load"
        if of_frame:
            if vectors:
                kinds.append(f"{way}.stack.{max(vectors)}")
                slot = "" if memory["index"] else memory[0]
        elif memory["base"] == "%rip":
            kinds += ["load.constant"] if vectors else []
        elif "maskmov" in name or (width and "{%k" in operands):
            kinds.append(f"masked{width}")
        elif width and "broadcast" not in name:
            kinds.append(f"{way}.vector{width}")
        else:
            kinds.append(f"{way}.scalar")
    if vectors:
        # The kind of work that an instruction does on vector registers, apart from reading and writing memory.
        work = _work(name)
        if work in ("fma", "conversion"):
            kinds.append(f"{work}.{how}")
        elif work == "arithmetic":
            # Setting a register to zero is not arithmetic.
            if len({operand.strip() for operand in operands.split(",")}) > 1:
                kinds.append(f"arithmetic.{how}")
        elif (
            not work
            and "(" not in operands
            and name not in ("zeroupper", "movss", "movsd")
        ):
            kinds.append("shuffle")
    return _Instruction(text, tuple(kinds), slot)


def _kinds(function: Sequence[_Instruction | str]) -> list[str]:
    return [
        kind
        for instruction in function
        if isinstance(instruction, _Instruction)
        for kind in instruction.kinds
    ]


def _callee(name: str) -> str:
    if name.startswith("Sleef_"):
        return f"sleef.{name}"
    plain = name.removesuffix("_r")
    return (
        f"libm.{name}"
        if plain in _LIBM or plain.removesuffix("f") in _LIBM
        else "other"
    )


def _spills(function: Sequence[_Instruction | str]) -> int:
    """The number of stores of vector registers to frame slots that are read again, plus these reads."""
    by_slot: dict[str, Counter[str]] = {}
    for instruction in function:
        if isinstance(instruction, _Instruction) and instruction.slot:
            way = next(
                kind for kind in instruction.kinds if ".stack." in kind
            ).partition(".")[0]
            by_slot.setdefault(instruction.slot, Counter())[way] += 1
    return sum(ways.total() for ways in by_slot.values() if len(ways) == 2)


def _frame(function: Sequence[_Instruction | str]) -> int:
    """The size of a function's frame in bytes: pushed registers, and the rest."""
    texts = [
        instruction.text
        for instruction in function
        if isinstance(instruction, _Instruction)
    ]
    # A frame of 128 bytes has a shorter encoding as an addition of -128.
    reserved = [
        abs(int(text.partition("$")[2].removesuffix(", %rsp")))
        for text in texts
        if text.startswith(("subq $", "addq $-")) and text.endswith(", %rsp")
    ]
    return max(reserved, default=0) + 8 * sum(text.startswith("push") for text in texts)


def _loops(function: Sequence[_Instruction | str]) -> Iterator[list[str]]:
    """The kinds of instructions in each innermost loop that reads, writes or computes data."""
    labels = {
        item[:-1]: index for index, item in enumerate(function) if isinstance(item, str)
    }
    ends: dict[int, int] = {}
    for index, item in enumerate(function):
        if isinstance(item, _Instruction) and item.kinds == ("branch",):
            begin = labels.get(item.text.split()[-1], index)
            if begin < index:
                ends[begin] = index
    for begin, end in ends.items():
        if any(
            begin <= other <= until <= end and (other, until) != (begin, end)
            for other, until in ends.items()
        ):
            continue
        kinds = _kinds(function[begin:end])
        if _widest(kinds) or any(kind.startswith(_ONE_BY_ONE) for kind in kinds):
            yield kinds


def _widest(kinds: Sequence[str]) -> int:
    """The width in bits of the widest vector that is read, written or computed with.

    Arithmetic on 128 bits does not count: the sign of a single number is removed that way too.
    """
    moved = [bits(kind) for kind in kinds if kind.startswith(_MOVES_DATA)]
    computed = [bits(kind) for kind in kinds if kind.startswith(_COMPUTES)]
    return max(
        [*moved, *(width for width in computed if width > _BITS["%xmm"])], default=0
    )
