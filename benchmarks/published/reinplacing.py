"""Functionalized mutations turned back into in-place ones: scatters, custom operators, the user's Triton kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor, rand

from benchmarks.published.bytes_accessed import indices, row, square
from benchmarks.published.expectation import Source

perf = Source("test/inductor/test_perf.py")
TRAIN = {"train": True}
test = "InplacingTests."


def scatter_into_cosine(a: Tensor, b: Tensor) -> Tensor:
    out = a.cos()
    out[b] = 1
    return out


def put_and_copy(put: Callable[..., Any]) -> Callable[..., Any]:
    def fn(a: Tensor, b: Tensor) -> Tensor:
        return a.copy_(put(a, (b,), torch.tensor(1.0)))

    return fn


def set_columns(a: Tensor, b: Tensor) -> Tensor:
    a[:, b] = 1
    return a


def add_at_random(x: Tensor, y: Tensor, scale: Tensor) -> Tensor:
    rows = torch.randperm(len(x), device=x.device)[: len(y)]
    return x.index_add_(0, rows, y * scale)


perf(
    "scatter into an intermediate",
    test + "test_inplace_scatter",
    lambda: (scatter_into_cosine, *row(), indices(2, 5)),
    numel=26,
)
for put in (torch.ops.aten.index_put, torch.ops.aten._unsafe_index_put):
    perf(
        f"{put.__name__} copied back",
        test + "test_inplace_scatter",
        lambda put=put: (put_and_copy(put), *row(), indices(2, 5)),
        numel=6,
    )
perf(
    "scatter into columns",
    test + "test_inplace_scatter_noop_view",
    lambda: (set_columns, *square(), indices(2, 5)),
    numel=42,
)
perf(
    "index_add at random rows",
    test + "test_inplace_randperm_scatter",
    lambda: (add_at_random, rand(10, 10), rand(5, 10), rand(10)),
    numel=250,
)


def library(name: str, schema: str) -> Callable[..., Any]:
    """A custom operator `golden_published::NAME`, defined once per process."""
    if not hasattr(torch.ops.golden_published, name):
        made = torch.library.Library("golden_published", "FRAGMENT")
        made.define(f"{name}{schema}")
        BODIES[name + " library"] = made
        made.impl(name, BODIES[name], "CompositeExplicitAutograd")
    return getattr(torch.ops.golden_published, name)


def sine_into(x: Tensor, out: Tensor) -> None:
    out.copy_(x.sin())


def sine_and_cosine_into(x: Tensor, sine: Tensor, cosine: Tensor) -> None:
    sine.copy_(x.sin())
    cosine.copy_(x.cos())


def append_caches(q: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    keys.add_(1)
    values.add_(1)
    return q + 1


BODIES = {
    "sine": sine_into,
    "sine_cosine": sine_and_cosine_into,
    "append": append_caches,
}


def sine() -> Callable[..., Any]:
    return library("sine", "(Tensor x, Tensor(a!) out) -> ()")


def sine_thrice(x: Tensor, out: Tensor) -> Tensor:
    operator = torch.ops.golden_published.sine
    operator(x, out)
    operator(out, out)
    operator(out, out)
    return out


def program_into_argument() -> tuple[Any, ...]:
    sine()
    return sine_thrice, rand(3), rand(3)


def program_into_intermediate() -> tuple[Any, ...]:
    sine()
    return (lambda x, out: sine_thrice(x, torch.empty_like(x))), rand(3), rand(3)


def program_two_results() -> tuple[Any, ...]:
    library("sine_cosine", "(Tensor x, Tensor(a!) sine, Tensor(b!) cosine) -> ()")

    def fn(x: Tensor) -> tuple[Tensor, ...]:
        first, second = torch.empty_like(x), torch.empty_like(x)
        torch.ops.golden_published.sine_cosine(x, first, second)
        return x.clone(), first, second

    return fn, rand(3)


def program_caches() -> tuple[Any, ...]:
    append = library(
        "append", "(Tensor q, Tensor(a!) keys, Tensor(b!) values) -> Tensor"
    )
    q, keys, values = rand(3), rand(3), rand(3)

    def fn() -> Tensor:
        return 0 + append(q, keys, values) + append(q, keys, values)

    return (fn,)


class CustomSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        out = torch.empty_like(x)
        torch.ops.golden_published.sine(x, out)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        out = torch.empty_like(grad)
        torch.ops.golden_published.sine(*ctx.saved_tensors, out)
        return out


def program_training() -> tuple[Any, ...]:
    sine()
    return (lambda x: CustomSine.apply(x)), rand(3)


perf(
    "custom operator into an argument",
    test + "test_inplace_custom_op",
    program_into_argument,
    numel=21,
)
perf(
    "custom operator into an intermediate",
    test + "test_inplace_custom_op_intermediate",
    program_into_intermediate,
    numel=21,
)
perf(
    "custom operator with two results",
    test + "test_inplace_custom_op_training_two_mutated_inputs",
    program_two_results,
    numel=21,
)
perf(
    "custom operator on two caches",
    test + "test_inplace_custom_op_two_mutated_inputs",
    program_caches,
    numel=45,
)
perf(
    "custom operator in training",
    test + "test_inplace_custom_op_training",
    program_training,
    options=TRAIN,
    numel=18,
)


@triton.jit
def sum_kernel(left, right, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(
        out + at,
        tl.load(left + at, mask=inside) + tl.load(right + at, mask=inside),
        mask=inside,
    )


@triton.jit
def sine_kernel(source, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sin(tl.load(source + at, mask=at < count)), mask=at < count)


def triton_sum(x: Tensor, y: Tensor) -> Tensor:
    out = torch.zeros_like(x)
    sum_kernel[(out.numel(),)](x, y, out, out.numel(), BLOCK=16)
    return out


def tmp_before(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    tmp = x + 1
    return triton_sum(x, y), tmp


def input_mutated_after(x: Tensor, y: Tensor) -> Tensor:
    out = triton_sum(x, y)
    x.add_(1)
    return out


def view_used_after(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
    view = x.view(-1)
    return triton_sum(x, y), view * 2


def view_mutated_after(x: Tensor, y: Tensor) -> Tensor:
    view = x.view(-1)
    out = triton_sum(x, y)
    view.mul_(2)
    return out


def aliased_inputs() -> tuple[Any, ...]:
    x = rand(10)
    return triton_sum, x, x.view(-1)


class TritonSine(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        out = torch.empty_like(x)
        sine_kernel[(x.numel(),)](x, out, x.numel(), BLOCK=4)
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (saved,) = ctx.saved_tensors
        out = torch.empty_like(grad)
        sine_kernel[(saved.numel(),)](saved, out, saved.numel(), BLOCK=4)
        return out


perf(
    "Triton kernel",
    test + "test_inplace_triton_kernel_v1",
    lambda: (triton_sum, *row(2)),
    numel=50,
)
perf(
    "Triton kernel beside pointwise",
    test + "test_inplace_triton_kernel_v2",
    lambda: (tmp_before, *row(2)),
    numel=70,
)
perf(
    "Triton kernel, input mutated",
    test + "test_inplace_triton_kernel_v3",
    lambda: (input_mutated_after, *row(2)),
    numel=80,
)
perf(
    "Triton kernel, view used",
    test + "test_inplace_triton_kernel_v4",
    lambda: (view_used_after, *row(2)),
    numel=70,
)
perf(
    "Triton kernel, view mutated",
    test + "test_inplace_triton_kernel_v5",
    lambda: (view_mutated_after, *row(2)),
    numel=80,
)
perf(
    "Triton kernel, aliased inputs",
    test + "test_inplace_triton_kernel_v6",
    aliased_inputs,
    numel=50,
)
perf(
    "Triton kernel in training",
    test + "test_inplace_triton_kernel_training",
    lambda: (lambda x: TritonSine.apply(x), rand(3)),
    options=TRAIN,
    numel=18,
)
