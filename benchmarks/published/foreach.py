"""Lists of tensors computed in one kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, rand, randint

from benchmarks.published.expectation import Source

foreach = Source("test/inductor/test_foreach.py")
test = "ForeachTests."
BINARY = (
    torch._foreach_add,
    torch._foreach_mul,
    torch._foreach_sub,
    torch._foreach_div,
    torch._foreach_maximum,
    torch._foreach_clamp_min,
)
UNARY = (
    torch._foreach_reciprocal,
    torch._foreach_neg,
    torch._foreach_sign,
    torch._foreach_sqrt,
    torch._foreach_rsqrt,
)
INPLACE = (
    torch._foreach_add_,
    torch._foreach_mul_,
    torch._foreach_sub_,
    torch._foreach_div_,
)


def pair() -> tuple[Tensor, Tensor]:
    return rand(10, 10), rand(20, 20)


def pairs() -> tuple[Tensor, ...]:
    return *pair(), *pair()


def plain(op: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b, c, d: op([a, b], [c, d])


def then_add(op: Callable[..., Any]) -> Callable[..., Any]:
    def fn(
        a: Tensor, b: Tensor, c: Tensor, d: Tensor
    ) -> tuple[list[Tensor], list[Tensor]]:
        out = op([a, b], [c, d])
        return out, torch._foreach_add([a, b], out)

    return fn


def shared_result(op: Callable[..., Any]) -> Callable[..., Any]:
    def fn(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> list[Tensor]:
        first = op([a, b], [c, d])[0]
        return op([a, c], [first, first])

    return fn


def around(op: Callable[..., Any]) -> Callable[..., Any]:
    def fn(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> list[Tensor]:
        first, second = op([a, b], [a + c, b + d])
        return [first * a, second * b]

    return fn


def ones_added(op: Callable[..., Any], before: bool) -> Callable[..., Any]:
    def fn(a: Tensor, b: Tensor, c: Tensor, d: Tensor) -> list[Tensor]:
        if before:
            a.add_(torch.ones(10, 10, device="cuda"))
        op([a, b], [c, d])
        if not before:
            a.add_(torch.ones(10, 10, device="cuda"))
        return [a, b]

    return fn


for op in BINARY:
    name = op.__name__.removeprefix("_foreach_")
    foreach(
        f"{name} of lists",
        test + "test_single_list",
        lambda op=op: (plain(op), *pairs()),
        kernels=1,
    )
    foreach(
        f"{name} and add",
        test + "test_scheduler_fusion_list",
        lambda op=op: (then_add(op), *pairs()),
        kernels=1,
    )
    foreach(
        f"{name} of a duplicate",
        test + "test_fusion_duplicate_buffer_list",
        lambda op=op: (shared_result(op), *pairs()),
        kernels=1,
    )
    foreach(
        f"{name} between pointwise",
        test + "test_non_foreach_consumer_producer_list",
        lambda op=op: (around(op), *pairs()),
        kernels=1,
    )
for op in UNARY:
    name = op.__name__.removeprefix("_foreach_")
    foreach(
        f"{name} of a list",
        test + "test_single_list",
        lambda op=op: (lambda a, b, op=op: op([a, b]), *pair()),
        kernels=1,
    )
for op in INPLACE:
    name = op.__name__.removeprefix("_foreach_")
    foreach(
        f"{name} mutated before",
        test + "test_reinplacing_mut_before",
        lambda op=op: (ones_added(op, True), *pairs()),
        kernels=1,
    )
    foreach(
        f"{name} mutated after",
        test + "test_reinplacing_mut_after",
        lambda op=op: (ones_added(op, False), *pairs()),
        kernels=1,
    )

ADD = plain(torch._foreach_add)
foreach(
    "a number",
    test + "test_single_scalar",
    lambda: (lambda a, b: torch._foreach_mul([a, b], 3.3), *pair()),
    kernels=1,
)
foreach(
    "a scalar tensor",
    test + "test_single_scalar_tensor",
    lambda: (
        lambda a, b: torch._foreach_mul([a, b], torch.tensor(3.3, device="cuda")),
        *pair(),
    ),
    kernels=1,
)
foreach(
    "broadcast",
    test + "test_broadcasting",
    lambda: (ADD, rand(10, 1), rand(20, 20), rand(1, 10), rand(20, 20)),
    kernels=1,
)
foreach(
    "lists of one",
    test + "test_singleton_lists",
    lambda: (lambda a, b: torch._foreach_add([a], [b]), rand(10, 10), rand(10, 10)),
    kernels=1,
)


def integers() -> tuple[Any, ...]:
    small = [randint(100, (n, n), dtype=torch.int32) for n in (10, 20, 10)]
    return ADD, *small, randint(100, (20, 20), dtype=torch.int64)


foreach("type promotion", test + "test_type_promotion", integers, kernels=1)
foreach(
    "more arguments than a kernel may have",
    test + "test_kernel_split_arg_limit_list",
    lambda: (
        lambda a, b: torch._foreach_add(a, b),
        [rand(10, 10) for _ in range(124)],
        [rand(10, 10) for _ in range(124)],
    ),
    kernels=2,
)
for enabled in (False, True):
    foreach(
        f"dynamic shapes, combo_kernel_foreach_dynamic_shapes={enabled}",
        test
        + (
            "test_enable_dynamic_shapes_python_wrapper"
            if enabled
            else "test_dynamic_shapes_fallback"
        ),
        lambda: (ADD, *pairs()),
        config={
            "dynamo.automatic_dynamic_shapes": False,
            "dynamo.assume_static_by_default": False,
            "combo_kernel_foreach_dynamic_shapes": enabled,
        },
        kernels=1 if enabled else 2,
    )


def divided_products(
    a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor
) -> list[Tensor]:
    return torch._foreach_addcdiv([a, b], [c, d], [e, f], value=0.5)


foreach(
    "decomposed",
    test + "test_decomp",
    lambda: (divided_products, *pairs(), *pair()),
    kernels=1,
)
foreach(
    "stacks into bmm",
    test + "test_fuse_concat",
    lambda: (
        lambda a, b, c, d, e, f: torch.bmm(
            torch.stack([a, b, c]), torch.stack([d, e, f])
        ),
        *(rand(5, 4) for _ in range(3)),
        *(rand(4, 3) for _ in range(3)),
    ),
    kernels=2,
)
foreach(
    "an empty tensor",
    test + "test_zero_elems",
    lambda: (ADD, rand(0), rand(10, 10), rand(0), rand(10, 10)),
    kernels=1,
)
foreach(
    "tiles",
    test + "test_2d_blocking",
    lambda: (ADD, rand(10, 40), rand(10, 30), rand(40, 10).T, rand(30, 10).T),
    kernels=1,
)
foreach(
    "rows and tiles",
    test + "test_2d_blocking_partitioning",
    lambda: (ADD, rand(30, 20), rand(40, 30), rand(30, 20), rand(30, 40).T),
    kernels=2,
)


def six_tiles() -> tuple[Any, ...]:
    shapes = ((10, 20), (30, 20), (10, 30))
    return (
        (lambda a, b, c, d, e, f: torch._foreach_add([a, b, c], [d, e, f])),
        *(rand(*shape) for shape in shapes),
        *(rand(*shape[::-1]).T for shape in shapes),
    )


foreach(
    "tiles of two heights",
    test + "test_2d_blocking_partitioning_elems",
    six_tiles,
    kernels=2,
)
foreach(
    "mixed tiles",
    test + "test_2d_blocking_partitioning_mixed_sizes",
    six_tiles,
    config={"combo_kernel_allow_mixed_sizes": 2},
    kernels=1,
)
foreach(
    "two devices",
    test + "test_multi_device",
    lambda: (
        ADD,
        rand(10, 10),
        rand(20, 20, device="cpu"),
        rand(10, 10),
        rand(20, 20, device="cpu"),
    ),
    generated_kernel_count=2,
)


def aliases() -> tuple[Any, ...]:
    a, b = rand(10, 10), rand(10, 10)

    def fn(
        a: Tensor, b: Tensor, c: Tensor, d: Tensor, e: Tensor, f: Tensor
    ) -> list[Tensor]:
        return torch._foreach_add_([a, b, c], [d, e, f])

    return fn, a, a.view(10, 10), a.view(10, 10), b, b.view(10, 10), b.view(10, 10)


foreach("aliases", test + "test_aliasing", aliases, kernels=4)


def mapped(op: Callable[..., Any]) -> tuple[Any, ...]:
    from torch._higher_order_ops import foreach_map

    def fn(xs: list[Tensor], ys: list[Tensor]) -> Tensor:
        return sum(out.sum() for out in foreach_map(op, xs, ys))

    return fn, *(
        [rand(*shape).requires_grad_() for shape in ((10, 20), (10, 30), (30, 30))]
        for _ in range(2)
    )


for op in (torch.add, torch.mul, torch.div, torch.maximum):
    foreach(
        f"backward of foreach_map {op.__name__}",
        test + "test_foreach_map_backward_binary",
        lambda op=op: mapped(op),
        options={"train": True},
        kernels=5,
    )
