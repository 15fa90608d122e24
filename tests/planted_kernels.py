"""Wrong kernels: each is the code that Inductor wrote, with one edit made before it runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

Edit = Callable[[str], str]


@dataclass(frozen=True)
class WrongKernel:
    """A program, and an edit that makes its kernel wrong."""

    name: str
    program: Callable[..., Any]
    inputs: Callable[[], tuple[Any, ...]]
    edit: Edit
    kind: str
    """The finding's kind."""
    line: str
    """Part of the line that the finding names."""


def replaced(old: str, new: str) -> Edit:
    """Replace every match of a regular expression in the kernel's function."""

    def edit(text: str) -> str:
        start = text.index("@triton.jit")
        return text[:start] + re.sub(old, new, text[start:])

    return edit


def _pair(*shape: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: (torch.randn(*shape), torch.randn(*shape))


def _one(*shape: int) -> Callable[[], tuple[Any, ...]]:
    return lambda: (torch.randn(*shape),)


def _scattered() -> tuple[Any, ...]:
    return torch.randint(0, 50, (131,)), torch.randn(131), torch.randn(50)


@triton.jit
def drop_out(x_ptr, out_ptr, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    drawn = tl.rand(7, offsets)
    x = tl.load(x_ptr + offsets, mask)
    tl.store(out_ptr + offsets, tl.where(drawn > 0.5, x, 0.0), mask)


def dropped_out(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    drop_out[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


@triton.jit
def add_rows(stride, x_ptr, bias_ptr, out_ptr, count, once, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    total = tl.load(x_ptr + offsets * stride, mask)
    if bias_ptr is not None:
        total += tl.load(bias_ptr + offsets, mask)
    if not once:
        total += total
    tl.store(out_ptr + offsets, total, mask)


def with_constants(x: torch.Tensor) -> torch.Tensor:
    """Triton makes constants of a 1 and of a None, whatever the kernel says."""
    first, second = torch.empty_like(x), torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 64),)
    add_rows[grid](x.stride(0), x, None, first, x.numel(), False, BLOCK=64)
    add_rows[grid](1, first, x, second, x.numel(), True, BLOCK=64)
    return second


@triton.jit
def assembly_kernel(x_ptr, out_ptr, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, offsets < count)
    # An exchange between threads, which the interpreter does not have.
    moved = tl.inline_asm_elementwise(
        "shfl.sync.bfly.b32 $0, $1, 1, 0x1f, 0xffffffff;",
        "=r,r",
        [x],
        dtype=tl.float32,
        is_pure=True,
        pack=1,
    )
    tl.store(out_ptr + offsets, moved, offsets < count)


def with_assembly(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    assembly_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


def subtract(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return (x.relu() - y).exp()


def transposed(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x.t() + y


def sum_of_exp(x: torch.Tensor) -> torch.Tensor:
    return x.exp().sum(-1)


def add_at(
    index: torch.Tensor, values: torch.Tensor, into: torch.Tensor
) -> torch.Tensor:
    return into.index_add(0, index, values)


STORE, LOAD = "tl.store(out_ptr0", "tl.load(in_ptr0"

WRONG_KERNELS = (
    WrongKernel(
        "load without its mask",
        subtract,
        _pair(7, 143),
        replaced(r"(in_ptr0 \+ \(x0\)), xmask", r"\1, None"),
        "bounds",
        LOAD,
    ),
    WrongKernel(
        "store without its mask",
        subtract,
        _pair(7, 143),
        replaced(r"tmp5, xmask", "tmp5, None"),
        "bounds",
        STORE,
    ),
    WrongKernel(
        "wrong index",
        subtract,
        _pair(7, 143),
        replaced(r"in_ptr1 \+ \(x0\)", "in_ptr1 + (x0 // 2)"),
        "value",
        STORE,
    ),
    WrongKernel(
        "index past the end",
        subtract,
        _pair(7, 143),
        replaced(r"in_ptr0 \+ \(x0\)", "in_ptr0 + (x0 + 1)"),
        "bounds",
        LOAD,
    ),
    WrongKernel(
        "swapped operands",
        subtract,
        _pair(7, 143),
        replaced("tmp2 - tmp3", "tmp3 - tmp2"),
        "value",
        STORE,
    ),
    WrongKernel(
        "ignored program id",
        subtract,
        _pair(7, 143),
        replaced(r"tl\.program_id\(0\) \* XBLOCK", "0"),
        "value",
        STORE,
    ),
    WrongKernel(
        "lost element",
        subtract,
        _pair(7, 143),
        replaced("xnumel = 1001", "xnumel = 1000"),
        "value",
        STORE,
    ),
    WrongKernel(
        "two programs store one element",
        subtract,
        _pair(7, 143),
        replaced(r"out_ptr0 \+ \(x0\)", "out_ptr0 + (x0 // 2)"),
        "race",
        STORE,
    ),
    WrongKernel(
        "read before it is written",
        subtract,
        _pair(7, 143),
        replaced(r"in_ptr1 \+", "out_ptr0 +"),
        "unwritten",
        "tl.load(out_ptr0",
    ),
    WrongKernel(
        "lost NaN",
        lambda x: x.relu(),
        lambda: (torch.tensor([1.0, float("nan"), -1.0] * 7),),
        replaced(
            r"(?:triton_helpers|tl)\.maximum\((\w+), (\w+).*\)", r"tl.maximum(\1, \2)"
        ),
        "value",
        "tl.store(",
    ),
    WrongKernel(
        "wrong stride",
        transposed,
        lambda: (torch.randn(33, 65), torch.randn(65, 33)),
        replaced(r"(tl\.load\(in_ptr\d \+ \(\w+ \+ )65\*", r"\g<1>64*"),
        "value",
        STORE,
    ),
    WrongKernel(
        "row instead of column",
        lambda x, row: x + row,
        lambda: (torch.randn(33, 33), torch.randn(33)),
        replaced(r"in_ptr1 \+ \(x0\)", "in_ptr1 + (x2 // 33)"),
        "value",
        STORE,
    ),
    WrongKernel(
        "reduction without its mask",
        sum_of_exp,
        _one(9, 100),
        replaced(r"tl\.where\(r0_mask & xmask, (\w+), 0\)", r"\1"),
        "value",
        STORE,
    ),
    WrongKernel(
        "wrong identity of a maximum",
        lambda x: x.amax(-1),
        _one(9, 100),
        replaced(r'float\("-inf"\)', "0.0"),
        "value",
        STORE,
    ),
    WrongKernel(
        "minimum instead of maximum",
        lambda x: x.amax(-1),
        _one(9, 100),
        replaced(r'float\("-inf"\)\)\n(.*)max2', r'float("inf"))\n\1min2'),
        "value",
        STORE,
    ),
    WrongKernel(
        "lost part of a loop",
        lambda x: x.sum(-1),
        _one(3, 5000),
        replaced(r"_tmp2 \+ tmp1", "tmp1"),
        "value",
        STORE,
    ),
    WrongKernel(
        "loop that starts late",
        lambda x: x.sum(-1),
        _one(3, 5000),
        replaced(r"tl\.range\(0, r0_numel", "tl.range(R0_BLOCK, r0_numel"),
        "value",
        STORE,
    ),
    WrongKernel(
        "wrong Welford merge",
        lambda x: x.var(-1),
        _one(3, 5000),
        replaced(
            r"triton_helpers\.welford\((\w+), (\w+), (\w+), 1\)",
            r"triton_helpers.welford(\1, \2, \2, 1)",
        ),
        "value",
        "tl.store(in_out_ptr0",
    ),
    WrongKernel(
        "wrong count",
        lambda x: x.var(-1),
        _one(3, 5000),
        replaced("4999.0", "5000.0"),
        "value",
        "tl.store(in_out_ptr0",
    ),
    WrongKernel(
        "accumulation in bfloat16",
        lambda x: x.sum(-1),
        _one(3, 5000),
        replaced(r"_tmp2 \+ tmp1", "(_tmp2 + tmp1).to(tl.bfloat16).to(tl.float32)"),
        "value",
        STORE,
    ),
    WrongKernel(
        "lost cast",
        lambda x: (x * 3).to(torch.int32).to(torch.float32) + 0.5,
        _one(131),
        replaced(r"tmp2\.to\(tl\.int32\)", "tmp2"),
        "value",
        STORE,
    ),
    WrongKernel(
        "swapped branches",
        torch.where,
        lambda: (torch.randn(131) > 0, torch.randn(131), torch.randn(131)),
        replaced(r"tl\.where\((\w+), (\w+), (\w+)\)", r"tl.where(\1, \3, \2)"),
        "value",
        STORE,
    ),
    WrongKernel(
        "strict comparison",
        torch.tril,
        _one(33, 33),
        replaced(r"(tmp\d+) <= (tmp\d+)", r"\1 < \2"),
        "value",
        STORE,
    ),
    WrongKernel(
        "wrong part of a concatenation",
        lambda x, y: torch.cat([x, y], 1) + 1,
        lambda: (torch.randn(9, 13), torch.randn(9, 20)),
        replaced(r"\(-13\) \+ x0", "32 - x0"),
        "value",
        STORE,
    ),
    WrongKernel(
        "wrong epsilon",
        lambda x: F.layer_norm(x * 0.01, (100,)),
        _one(9, 100),
        replaced("1e-05", "1e-03"),
        "value",
        "tl.store(",
    ),
    WrongKernel(
        "atomic addition without its mask",
        add_at,
        _scattered,
        replaced(r"(tl\.atomic_add\(.*), xmask, ", r"\1, None, "),
        "bounds",
        "tl.atomic_add",
    ),
    WrongKernel(
        "missing atomic",
        add_at,
        _scattered,
        replaced(r"tl\.atomic_add\((.*), sem='relaxed'\)", r"tl.store(\1)"),
        "race",
        "tl.store(",
    ),
    WrongKernel(
        "gather that races with an atomic addition",
        add_at,
        _scattered,
        replaced(r"in_ptr1 \+ \(x0\), xmask\)", "out_ptr0 + (x0 % 50), xmask)"),
        "race",
        "tl.",
    ),
    WrongKernel(
        "lost prefix of a look-back",
        lambda x: x.cumsum(0),
        _one(70001),
        replaced(r"= _triton_helper_fn_add0\(tmp\d+, (tmp\d+)\)", r"= \1"),
        "value",
        STORE,
    ),
    WrongKernel(
        "wrong offset of random numbers",
        dropped_out,
        _one(300),
        replaced(r"tl\.rand\(7, offsets\)", "tl.rand(7, offsets + 1)"),
        "value",
        "tl.store(",
    ),
)
