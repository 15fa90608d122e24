"""Where the values of kernels come from on a virtual GPU that computes."""

from __future__ import annotations

import pytest

from tests.forked import Forks

LAUNCHING = """
import pytest
import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr = 64):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = o < n
    tl.store(out + o, tl.load(x + o, m) + tl.load(y + o, m), m)


@triton.autotune(configs=[triton.Config({"BLOCK": 32}), triton.Config({"BLOCK": 64})], key=["n"])
@triton.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, o < n) * 2, o < n)


@triton.heuristics({"BLOCK": lambda a: triton.next_power_of_2(a["n"])})
@triton.jit
def heur(x, out, n, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, o < n) * 2, o < n)


def call(x, y):
    out = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=64, num_warps=2)
    return out


def test_eager():
    x, y = torch.randn(100, device="cuda"), torch.randn(100, device="cuda")
    torch.testing.assert_close(call(x, y), x + y)


def test_compiled():
    x, y = torch.randn(100, device="cuda"), torch.randn(100, device="cuda")
    f = torch.compile(lambda x, y: call(x.sin(), y) * 2, fullgraph=True)
    torch.testing.assert_close(f(x, y), (x.sin() + y) * 2)

    def g(x):
        out = torch.empty_like(x)
        tuned[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, out, x.numel())
        return out + 1

    torch.testing.assert_close(torch.compile(g, fullgraph=True)(x), x * 2 + 1)
    torch.testing.assert_close(g(x), x * 2 + 1)


def test_heur():
    x = torch.randn(100, device="cuda")
    out = torch.empty_like(x)
    heur[(1,)](x, out, 100)
    torch.testing.assert_close(out, x * 2)


class Fn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return call(x, y)

    @staticmethod
    def backward(ctx, g):
        g = g.contiguous()
        return call(g, g), call(g, torch.zeros_like(g))


def test_autograd():
    x, y = torch.randn(100, device="cuda", requires_grad=True), torch.randn(100, device="cuda", requires_grad=True)
    Fn.apply(x, y).sum().backward()
    assert x.grad.tolist() == [2.0] * 100 and y.grad.tolist() == [1.0] * 100
    torch.compile(lambda x, y: Fn.apply(x, y).sum())(x, y).backward()
    assert x.grad.tolist() == [4.0] * 100


@triton.jit
def tma(d, e_ptr, out, M, N, B: tl.constexpr):
    e = tl.make_tensor_descriptor(e_ptr, [M, N], [N, 1], [B, B])
    i, j = tl.program_id(0) * B, tl.program_id(1) * B
    e.store([i, j], d.load([i, j]) + 1)
    o = tl.make_tensor_descriptor(out, [M, N], [N, 1], [B, B])
    o.atomic_add([0, 0], d.load([i, j]))


def test_tma():
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    x = torch.randn(32, 32, device="cuda")
    y = torch.empty_like(x)
    z = torch.zeros_like(x)
    tma[(2, 2)](TensorDescriptor.from_tensor(x, [16, 16]), y, z, 32, 32, B=16)
    torch.testing.assert_close(y, x + 1)
    torch.testing.assert_close(z[:16, :16], x.view(2, 16, 2, 16).sum((0, 2)))


@triton.jit
def locked(x, out, lock, n, ONE: tl.constexpr):
    v = tl.load(x + tl.program_id(0))
    tl.atomic_add(out, v)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    old = tl.load(out + 1)
    tl.store(out + 1, old + v)
    tl.atomic_xchg(lock, 0)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_atomics(dtype):
    x = torch.ones(16, device="cuda", dtype=dtype)
    out = torch.zeros(2, device="cuda", dtype=dtype)
    locked[(16,)](x, out, torch.zeros(1, dtype=torch.int32, device="cuda"), 1, ONE=1)
    assert out.tolist() == [16, 16]


def test_graphs():
    x, y, out = (torch.ones(100, device="cuda") for _ in range(3))
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        add[(2,)](x, y, out, 100)
    x.fill_(5)
    g.replay()
    assert out.tolist() == [6] * 100


def test_warmup():
    k = add.warmup(torch.float32, torch.float32, torch.float32, 100, grid=(1,))
    assert "ptx" in k.asm
    x = torch.ones(100, device="cuda")
    assert "ttir" in add[(2,)](x, x, x.clone(), 100).asm


def test_a_wrong_kernel_is_told_with_its_line():
    x = torch.ones(100, device="cuda")
    with pytest.raises(Exception, match=r"(?s)add, line \\d+: reads element 100 of .*tl.load.x"):
        add[(2,)](x, x, x, 128)


def test_errors():
    x = torch.ones(100, device="cuda")
    with pytest.raises(TypeError):
        add[(2,)](x, x)
"""


def test_hand_written_kernels_are_interpreted(project: pytest.Pytester, forks_with_torch: Forks) -> None:
    """As a program launches them: eager, in compiled graphs, in backward, in a CUDA graph that is replayed."""
    project.makepyfile(test_suite=LAUNCHING)
    result = forks_with_torch.run_pytest(project.path, "--virtual-gpu", "h100")
    result.assert_outcomes(passed=LAUNCHING.count("\ndef test_") + 2)
