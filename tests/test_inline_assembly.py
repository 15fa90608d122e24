"""Inline assembly of kernels, as the interpreter computes it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.features.numerics.interpreter import inline_assembly


def bits(*values: float) -> list[int]:
    return [int(each) for each in np.array(values, np.float32).view(np.uint32)]


@pytest.mark.parametrize(
    ("text", "inputs", "result"),
    [
        ("shf.l.wrap.b32 $0, $1, $2, $3;", [[0x80000001], [0x2], [33]], [0x5]),
        ("shf.r.clamp.b32 $0, $1, $2, $3;", [[0x80000001], [0x2], [40]], [0x2]),
        ("prmt.b32 $0, $1, $2, 0x5410;", [[0x11223344], [0x55667788]], [0x77883344]),
        ("prmt.b32 $0, $1, 0, 0x8080;", [[0x80]], [0xFF80FF80]),
        (
            "lop3.b32 $0, $1, $2, $3, 0xf8;",
            [[0xF0], [0xCC], [0xAA]],
            [0xF0 | (0xCC & 0xAA)],
        ),
        ("bfe.s32 $0, $1, 4, 4;", [[0x12F4]], [0xFFFFFFFF]),
        ("bfi.b32 $0, $1, $2, 8, 4;", [[0x5], [0xFFFF]], [0xF5FF]),
        ("shr.s32 $0, $1, 40;", [[0x80000000]], [0xFFFFFFFF]),
        ("shl.b32 $0, $1, 32;", [[1]], [0]),
        ("mul.hi.u32 $0, $1, $2;", [[0xFFFFFFFF], [2]], [1]),
        ("mad.lo.s32 $0, $1, $2, -1;", [[3], [0xFFFFFFFE]], [0xFFFFFFF9]),
        ("popc.b32 $0, $1;", [[0xF0F0]], [8]),
        ("brev.b32 $0, $1;", [[1]], [0x80000000]),
        ("clz.b32 $0, $1;", [[0x00FFFFFF]], [8]),
        (
            "cvt.rni.s32.f32 $0, $1;",
            [bits(2.5, -3.5, 3e10, np.nan)],
            [2, 0xFFFFFFFC, 0x7FFFFFFF, 0],
        ),
        ("cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", [bits(1.0), bits(1e6)], [0x387E]),
        ("cvt.rn.f16x2.e4m3x2 $0, $1;", [[0x387E]], [0x3C005F00]),
        ("cvt.rn.satfinite.e2m1x2.f32 $0, $1, $2;", [bits(-6.0), bits(2.5)], [0xF4]),
        ("cvt.rn.f16x2.e2m1x2 $0, $1;", [[0xF4]], [0xC6004000]),
        ("cvt.rn.bf16.f32 $0, $1;", [bits(1.00390625)], [0x3F80]),
        ("fma.rn.f32 $0, $1, $2, 0f3F800000;", [bits(2.0), bits(3.0)], bits(7.0)),
        ("add.f16x2 $0, $1, $2;", [[0x3C004000], [0x3C003C00]], [0x40004200]),
        (
            "{ .reg .pred p; setp.lt.f32 p, $1, $2; selp.b32 $0, $1, $2, p; }",
            [bits(1, 4), bits(2, 3)],
            bits(1, 3),
        ),
        ("mov.b32 $0, $1; @!$2 mov.b32 $0, 7;", [[1, 2], [0, 1]], [7, 2]),
        (
            "/* a remark */ rsqrt.approx.ftz.f32 $0, $1; // another",
            [bits(4.0)],
            bits(0.5),
        ),
    ],
)
def test_instructions(text: str, inputs: list[list[int]], result: list[int]) -> None:
    (found,) = inline_assembly.run(
        text, 1, [np.array(each, np.uint64) for each in inputs], program=0
    )
    assert [hex(each) for each in found.tolist()] == [hex(each) for each in result]


@pytest.mark.parametrize(
    "text",
    [
        "ld.global.b32 $0, [$1];",
        "add.rz.f32 $0, $1, $1;",
        "LOOP: bra LOOP;",
        "mov.u32 $0, %laneid;",
        "frob.b32 $0, $1;",
    ],
)
def test_what_is_not_computed_is_named(text: str) -> None:
    with pytest.raises(NotInterpretable, match="inline assembly: " + text.split()[0]):
        inline_assembly.run(text, 1, [np.array([1], np.uint64)], program=0)


@pytest.mark.parametrize(
    ("kind", "pack"),
    [(np.int8, 4), (np.float16, 2), (np.float32, 4), (np.int64, 1), (np.int8, 1)],
)
def test_registers_hold_several_narrow_elements(kind: type, pack: int) -> None:
    values: np.ndarray[Any, Any] = np.arange(-6, 6).astype(kind).reshape(3, 4)
    registers = inline_assembly.in_registers(values, pack)
    assert len(registers) == inline_assembly.registers_of(np.dtype(kind), pack)
    assert np.array_equal(
        inline_assembly.from_registers(registers, np.dtype(kind), pack, (3, 4)), values
    )
