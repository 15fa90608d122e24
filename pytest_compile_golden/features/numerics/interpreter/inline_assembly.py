"""Inline assembly of kernels: the arithmetic of PTX, computed for all elements of a block at once.

Registers hold bits, as on a GPU: each is an array of 64-bit integers, and an instruction says what they mean.
What a name, type or modifier means: NVIDIA's "Parallel Thread Execution ISA", chapter 9.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch

from pytest_compile_golden.errors import NotInterpretable

_Array = np.ndarray[Any, Any]

_TYPE = re.compile(r"(pred|[busf](8|16|32|64)|bf16|f16x2|bf16x2|e4m3x2|e5m2x2|e2m1x2)$")
_NARROW = {
    "bf16": torch.bfloat16,
    "e4m3": torch.float8_e4m3fn,
    "e5m2": torch.float8_e5m2,
}
"""Floats that NumPy does not have: they are computed in float32."""
_E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
_NOTHING = ("bar", "barrier", "membar", "fence", "nanosleep", "griddepcontrol")
"""Instructions that wait for other threads of a program, which here do everything at once."""
_TO_WHOLE: dict[str, Callable[[_Array], _Array]] = {
    "rni": np.rint,
    "rzi": np.trunc,
    "rmi": np.floor,
    "rpi": np.ceil,
}
_OTHER_ROUNDINGS = {"rz", "rm", "rp", "rs"}
"""Roundings of a result that NumPy does not have."""
_COMPARISONS: dict[str, Callable[[_Array, _Array], _Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_UNARY: dict[str, Callable[[_Array], _Array]] = {
    "abs": np.abs,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "ex2": np.exp2,
    "lg2": np.log2,
    "rcp": np.reciprocal,
    "rsqrt": lambda x: np.reciprocal(np.sqrt(x)),
}
_BINARY: dict[str, Callable[[_Array, _Array], _Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "min": lambda x, y: np.fmin(x, y) if x.dtype.kind == "f" else np.minimum(x, y),
    "max": lambda x, y: np.fmax(x, y) if x.dtype.kind == "f" else np.maximum(x, y),
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


class OperationResults(list[Any]):
    """What an operation with several results gives, as triton.language takes it."""

    def get_result(self, index: int) -> Any:
        return self[index]


def in_registers(values: _Array, pack: int) -> list[_Array]:
    """Elements as the registers that hold `pack` of them at a time: narrow ones share 32 bits.

    Triton's lib/Conversion/TritonGPUToLLVM/ElementwiseOpToLLVM.cpp: ElementwiseInlineAsmOpConversion.
    """
    width = 8 * values.itemsize
    bits = (
        np.ascontiguousarray(values)
        .view(f"u{values.itemsize}")
        .astype(np.uint64)
        .ravel()
    )
    groups = np.resize(bits, (-(-bits.size // pack), pack))
    shared = _elements_of_register(width, pack)
    registers = []
    for start in range(0, pack, shared):
        register = np.zeros(len(groups), np.uint64)
        for index in range(shared):
            register |= groups[:, start + index] << np.uint64(width * index)
        registers.append(register)
    return registers


def from_registers(
    registers: Sequence[_Array], kind: np.dtype[Any], pack: int, shape: tuple[int, ...]
) -> _Array:
    """The elements that these registers hold, as in `in_registers`."""
    width = 8 * kind.itemsize
    shared = _elements_of_register(width, pack)
    parts = [
        register >> np.uint64(width * index)
        for register in registers
        for index in range(shared)
    ]
    bits = (
        np.stack(parts, axis=-1)
        .ravel()[: int(np.prod(shape))]
        .astype(f"u{kind.itemsize}")
    )
    return (
        bits.astype(bool).reshape(shape)
        if kind.kind == "b"
        else bits.view(kind).reshape(shape)
    )


def registers_of(kind: np.dtype[Any], pack: int) -> int:
    """How many registers hold `pack` elements of this type."""
    return pack // _elements_of_register(8 * kind.itemsize, pack)


def _elements_of_register(width: int, pack: int) -> int:
    return min(pack, max(1, 32 // width))


def run(
    text: str, outputs: int, inputs: Sequence[_Array], program: int
) -> list[_Array]:
    """Run a piece of PTX and give its output registers, in 64-bit integers.

    text: with `$0` and so on for the output registers and then the inputs, which have the bits of one register each.
    program: the number of the program, which `%smid` gives. Raises NotInterpretable for what is no arithmetic.
    """
    registers = {
        f"${outputs + index}": value.astype(np.uint64)
        for index, value in enumerate(inputs)
    }
    size = len(inputs[0]) if inputs else 1
    machine = _Registers(registers, size, program)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL).replace("$$", "$")
    for statement in text.split(";"):
        machine.step(statement.strip("{} \t\n"))
    return [
        registers.get(f"${index}", np.zeros(size, np.uint64))
        for index in range(outputs)
    ]


class _Registers:
    """The registers of one run, by name."""

    def __init__(self, registers: dict[str, _Array], size: int, program: int) -> None:
        self.registers = registers
        self.size = size
        self.program = program

    def step(self, statement: str) -> None:
        if not statement or statement.startswith("."):
            return  # .reg and the like declare registers, which are here as soon as they are written
        guarded = re.match(r"@(!?)([\w%$]+)\s+(.*)", statement, re.DOTALL)
        kept: dict[str, _Array] | None = None
        if guarded is not None:
            kept = dict(self.registers)
            statement = guarded[3]
        name, _, rest = statement.partition(" ")
        if "\t" in name or "\n" in name:
            name, rest = statement.split(None, 1)
        operands = [
            part.strip()
            for part in re.findall(r"\{[^}]*\}|[^,{}]+", rest)
            if part.strip()
        ]
        parts = name.split(".")
        try:
            self._execute(parts[0], parts[1:], operands)
        except (KeyError, ValueError, IndexError) as error:
            raise NotInterpretable(
                f"inline assembly: {' '.join(statement.split())}"
            ) from error
        if guarded is not None and kept is not None:
            chosen = (self.bits(guarded[2]) != 0) ^ bool(guarded[1])
            for register, value in self.registers.items():
                before = kept.get(register)
                if before is not None and before is not value:
                    self.registers[register] = np.where(chosen, value, before)

    # -- operands

    def bits(self, operand: str) -> _Array:
        """What an operand holds: a register, a literal, or several in braces, the first of which is the lowest."""
        found = self.registers.get(operand)
        if found is not None:
            return found
        if operand.startswith("%"):
            return np.full(self.size, self._special(operand), np.uint64)
        if single := re.fullmatch(
            r"0[fF]([0-9a-fA-F]{8})|0[dD]([0-9a-fA-F]{16})", operand
        ):
            return np.full(self.size, int(single[1] or single[2], 16), np.uint64)
        if re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", operand):
            return np.full(self.size, np.float64(operand)).view(np.uint64)
        return np.full(
            self.size, int(operand.removesuffix("U"), 0) & 0xFFFFFFFFFFFFFFFF, np.uint64
        )

    def _special(self, name: str) -> int:
        if name == "%smid":
            return self.program
        if name in ("%globaltimer", "%clock", "%clock64"):
            return time.time_ns()
        raise ValueError(name)

    def read(self, operand: str, kind: str) -> _Array:
        """An operand's values: of narrow floats in float32, and of two packed ones with a last dimension of two."""
        bits = self.bits(operand)
        if kind == "pred":
            return np.not_equal(bits, 0)
        if kind.endswith("x2"):
            each = 4 if kind == "e2m1x2" else 8 if kind[0] == "e" else 16
            halves = np.stack(
                [bits & ((1 << each) - 1), bits >> np.uint64(each) & ((1 << each) - 1)],
                axis=-1,
            )
            return _float(halves, kind.removesuffix("x2"))
        if kind in _NARROW:
            return _float(bits, kind)
        if kind == "f32" and re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", operand):
            return np.full(self.size, np.float32(operand))
        width = int(re.sub(r"\D", "", kind))
        return bits.astype(f"u{width // 8}").view(
            f"{'f' if kind[0] == 'f' else 'i' if kind[0] == 's' else 'u'}{width // 8}"
        )

    def write(
        self, operand: str, values: _Array, kind: str, saturate: bool = False
    ) -> None:
        if kind == "pred":
            bits = values.astype(np.uint64)
        elif kind.endswith("x2"):
            each = 4 if kind == "e2m1x2" else 8 if kind[0] == "e" else 16
            halves = _rounded(values, kind.removesuffix("x2"), saturate)
            bits = halves[..., 0] | halves[..., 1] << np.uint64(each)
        elif kind in _NARROW:
            bits = _rounded(values, kind, saturate)
        else:
            width = int(re.sub(r"\D", "", kind))
            to = np.dtype(
                f"{'f' if kind[0] == 'f' else 'i' if kind[0] == 's' else 'u'}{width // 8}"
            )
            bits = (
                np.ascontiguousarray(values.astype(to))
                .view(f"u{width // 8}")
                .astype(np.uint64)
            )
        self.registers[operand] = np.broadcast_to(bits, (self.size,))

    # -- instructions

    def _execute(self, name: str, modifiers: list[str], operands: list[str]) -> None:
        if name in _NOTHING:
            return
        if not _OTHER_ROUNDINGS.isdisjoint(modifiers):
            raise ValueError(name)
        kinds = [part for part in modifiers if _TYPE.match(part)]
        kind = kinds[-1]
        to, *given = operands
        own = getattr(self, f"_{name}", None)
        if own is not None:
            own(to, given, kind, modifiers)
            return
        values = [self.read(each, kind) for each in given]
        result = _UNARY[name](*values) if name in _UNARY else _BINARY[name](*values)
        self.write(
            to,
            np.clip(result, 0, 1) if "sat" in modifiers and kind[0] in "fb" else result,
            kind,
        )

    def _mov(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        (source,) = given
        width = 32 if kind[-2:] == "x2" else int(re.sub(r"\D", "", kind) or 1)
        if source.startswith("{"):
            parts = [part.strip() for part in source.strip("{}").split(",")]
            each = width // len(parts)
            low = (1 << each) - 1
            value = sum(
                (
                    (self.bits(part) & low) << np.uint64(each * index)
                    for index, part in enumerate(parts)
                ),
                start=np.uint64(0),
            )
            self.registers[to] = np.asarray(value)
        elif to.startswith("{"):
            names = [part.strip() for part in to.strip("{}").split(",")]
            each = width // len(names)
            bits = self.bits(source)
            for index, part in enumerate(names):
                self.registers[part] = bits >> np.uint64(each * index) & (
                    (1 << each) - 1
                )
        else:
            self.write(to, self.read(source, kind), kind)

    def _cvt(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        target, source = modifiers[-2:]
        # Two numbers into one register, the first of them into its upper half.
        if len(given) == 2:
            values = np.stack(
                [self.read(each, source) for each in reversed(given)], axis=-1
            )
        else:
            values = self.read(given[0], source)
        to_whole = next(
            (_TO_WHOLE[part] for part in modifiers if part in _TO_WHOLE), None
        )
        if values.dtype.kind == "f" and target[0] in "us":
            limits = _limits(target)
            whole = np.nan_to_num(
                (to_whole or np.trunc)(values.astype(np.float64)), nan=0.0
            )
            # float64 does not hold the largest of 64 bits: what reaches it is that.
            inside = np.clip(
                whole, float(limits.min), np.nextafter(float(limits.max), 0)
            )
            values = np.where(
                whole >= float(limits.max), limits.max, inside.astype(limits.dtype)
            )
        elif values.dtype.kind == "f" and to_whole is not None:
            values = to_whole(values)
        elif "sat" in modifiers and target[0] in "us":
            limits = _limits(target)
            values = np.clip(values, limits.min, limits.max)
        if "sat" in modifiers and target[0] in "fb":
            values = np.clip(values, 0, 1)
        if "relu" in modifiers:
            values = np.maximum(values, 0)
        self.write(to, values, target, saturate="satfinite" in modifiers)

    def _selp(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        true, false = (self.read(each, kind) for each in given[:2])
        self.write(to, np.where(self.bits(given[2]) != 0, true, false), kind)

    def _setp(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        first, second = (self.read(each, kind) for each in given[:2])
        comparison = modifiers[0]
        unordered = (
            kind[0] in "fb"
            and comparison.endswith("u")
            and comparison not in _COMPARISONS
        )
        result = _COMPARISONS[
            comparison.removesuffix("u") if unordered else comparison
        ](first, second)
        if unordered:
            result = result | np.isnan(first) | np.isnan(second)
        true, _, false = to.partition("|")
        self.write(true, result, "pred")
        if false:
            self.write(false, ~result, "pred")

    def _mul(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        self.write(
            to, self._product(given, kind, modifiers), self._wider(kind, modifiers)
        )

    def _mad(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        wide = self._wider(kind, modifiers)
        self.write(
            to,
            self._product(given[:2], kind, modifiers) + self.read(given[2], wide),
            wide,
        )

    def _product(self, given: list[str], kind: str, modifiers: list[str]) -> _Array:
        first, second = (self.read(each, kind) for each in given)
        if kind[0] not in "us":
            return np.asarray(first * second)
        width = int(kind[1:])
        if "hi" in modifiers:
            exact = first.astype(object) * second.astype(object)
            return np.asarray(exact >> width).astype(first.dtype)
        if "wide" in modifiers:
            return np.asarray(first.astype(f"{first.dtype.kind}{width // 4}") * second)
        return np.asarray(first * second)

    @staticmethod
    def _wider(kind: str, modifiers: list[str]) -> str:
        return f"{kind[0]}{2 * int(kind[1:])}" if "wide" in modifiers else kind

    def _fma(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        """Rounded once: float64 holds the product of two float32 numbers exactly."""
        first, second, third = (
            self.read(each, kind).astype(np.float64) for each in given
        )
        result = first * second + third
        if "sat" in modifiers:
            result = np.clip(result, 0, 1)
        self.write(to, np.maximum(result, 0) if "relu" in modifiers else result, kind)

    def _div(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        first, second = (self.read(each, kind) for each in given)
        if kind[0] in "us":
            second = np.where(second == 0, 1, second).astype(second.dtype)
            self.write(to, (first - np.fmod(first, second)) // second, kind)
        else:
            self.write(to, first / second, kind)

    def _rem(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        first, second = (self.read(each, kind) for each in given)
        self.write(
            to,
            np.fmod(first, np.where(second == 0, 1, second).astype(second.dtype)),
            kind,
        )

    def _not(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        values = self.read(given[0], kind)
        self.write(
            to, np.logical_not(values) if kind == "pred" else np.invert(values), kind
        )

    def _shl(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        width, by = int(kind[1:]), self.read(given[1], "u32")
        values = self.read(given[0], kind)
        self.write(
            to,
            np.where(
                by >= width,
                0,
                np.left_shift(values, np.minimum(by, width - 1).astype(values.dtype)),
            ),
            kind,
        )

    def _shr(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        width, by = int(kind[1:]), self.read(given[1], "u32")
        values = self.read(given[0], kind)
        last = np.right_shift(values, np.asarray(width - 1, values.dtype))
        shifted = np.right_shift(values, np.minimum(by, width - 1).astype(values.dtype))
        gone = last if kind[0] == "s" else np.zeros_like(values)
        self.write(to, np.where(by >= width, gone, shifted), kind)

    def _shf(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        """A shift of two registers as one: to the left it gives the upper half, to the right the lower one."""
        low, high, by = (self.bits(each) & 0xFFFFFFFF for each in given)
        by = by & 31 if "wrap" in modifiers else np.minimum(by, 32)
        both = high << np.uint64(32) | low
        left = both << by >> np.uint64(32)
        self.write(
            to, np.where(by == 32, low, left) if "l" in modifiers else both >> by, "b32"
        )

    def _prmt(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        """Picks four of the eight bytes of two registers."""
        if len(modifiers) > 1:
            raise ValueError(modifiers)
        low, high, selector = (self.bits(each) & 0xFFFFFFFF for each in given)
        both, result = high << np.uint64(32) | low, np.zeros(self.size, np.uint64)
        for index in range(4):
            pick = selector >> np.uint64(4 * index) & 0xF
            byte = both >> (pick & 7) * np.uint64(8) & 0xFF
            sign = np.where(byte & 0x80, np.uint64(0xFF), np.uint64(0))
            result |= np.where(pick & 8, sign, byte) << np.uint64(8 * index)
        self.write(to, result, "b32")

    def _lop3(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        """Any logical operation of three registers, by its table of truth."""
        table = int(given[3], 0)
        sides = [self.bits(each) for each in given[:3]]
        result = np.zeros(self.size, np.uint64)
        for index in range(8):
            if table >> index & 1:
                chosen = [
                    side if index >> (2 - place) & 1 else ~side
                    for place, side in enumerate(sides)
                ]
                result |= chosen[0] & chosen[1] & chosen[2]
        self.write(to, result, "b32")

    def _bfe(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        """Some bits of a register, of the lowest from one position on; with a sign where its type has one."""
        values, width = self.bits(given[0]), int(kind[1:])
        start, length = (np.minimum(self.bits(each) & 0xFF, 63) for each in given[1:3])
        taken = (values & np.uint64((1 << width) - 1)) >> start & (
            (np.uint64(1) << length) - np.uint64(1)
        )
        if kind[0] == "s":
            sign = taken >> np.maximum(length, 1) - np.uint64(1) & np.uint64(1)
            taken = np.where(
                sign != 0, taken | ~((np.uint64(1) << length) - np.uint64(1)), taken
            )
        self.write(to, taken, f"b{width}")

    def _bfi(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        """The second register with some bits of the first from a position on."""
        values, into = self.bits(given[0]), self.bits(given[1])
        start, length = (np.minimum(self.bits(each) & 0xFF, 63) for each in given[2:4])
        mask = ((np.uint64(1) << length) - np.uint64(1)) << start
        self.write(to, into & ~mask | values << start & mask, kind)

    def _brev(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        values, result = self.bits(given[0]), np.zeros(self.size, np.uint64)
        for index in range(int(kind[1:])):
            result = result << np.uint64(1) | values >> np.uint64(index) & np.uint64(1)
        self.write(to, result, kind)

    def _popc(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        values = self.bits(given[0]) & ((1 << int(kind[1:])) - 1)
        self.write(to, np.array([int(value).bit_count() for value in values]), "u32")

    def _clz(self, to: str, given: list[str], kind: str, modifiers: list[str]) -> None:
        width = int(kind[1:])
        values = self.bits(given[0]) & ((1 << width) - 1)
        self.write(
            to, np.array([width - int(value).bit_length() for value in values]), "u32"
        )

    def _copysign(
        self, to: str, given: list[str], kind: str, modifiers: list[str]
    ) -> None:
        sign, value = (self.read(each, kind) for each in given)
        self.write(to, np.copysign(value, sign), kind)


def _limits(kind: str) -> np.iinfo[Any]:
    return np.iinfo(f"{'i' if kind[0] == 's' else 'u'}{int(kind[1:]) // 8}")


def _float(bits: _Array, kind: str) -> _Array:
    """The numbers that these bits are, as float32."""
    if kind == "f16":
        return bits.astype(np.uint16).view(np.float16).astype(np.float32)
    if kind == "e2m1":
        magnitude = _E2M1[(bits & 7).astype(np.int64)]
        signed: _Array = np.where(bits & 8, -magnitude, magnitude)
        return signed
    wide = bits.astype(np.int64).astype(np.uint16 if kind == "bf16" else np.uint8)
    held = torch.from_numpy(
        np.ascontiguousarray(wide).view(np.int16 if kind == "bf16" else np.uint8)
    )
    numbers: _Array = held.view(_NARROW[kind]).float().numpy()
    return numbers


def _rounded(values: _Array, kind: str, saturate: bool) -> _Array:
    """The bits of these numbers, rounded to the nearest. saturate: what is too large becomes the largest."""
    if kind == "f16":
        return (
            np.ascontiguousarray(values.astype(np.float16))
            .view(np.uint16)
            .astype(np.uint64)
        )
    exact = np.asarray(values, np.float32)
    if kind == "e2m1":
        middle = (_E2M1[1:] + _E2M1[:-1]) / 2
        size = np.abs(exact)
        # A number in the middle goes to the one whose last bit is 0.
        code = np.searchsorted(middle, size, side="left")
        tied = np.isin(size, middle) & (code % 2 == 1)
        signed: _Array = (code + tied) | np.where(np.signbit(exact), 8, 0)
        return signed.astype(np.uint64)
    held = torch.from_numpy(np.ascontiguousarray(exact))
    if saturate:
        largest = torch.finfo(_NARROW[kind]).max
        held = torch.where(held.isnan(), held, held.clamp(-largest, largest))
    bits = (
        held.to(_NARROW[kind])
        .view(torch.int16 if kind == "bf16" else torch.uint8)
        .numpy()
    )
    unsigned: _Array = bits.view(np.uint16 if kind == "bf16" else np.uint8)
    return unsigned.astype(np.uint64)
