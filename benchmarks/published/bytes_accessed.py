"""Bytes that forward programs read and write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, rand, randint

from benchmarks.published.expectation import Source

perf = Source("test/inductor/test_perf.py")
PROLOGUE = {"pattern_matcher": False, "realize_opcount_threshold": 0}
BATCHED = (
    "batch_linear",
    "batch_linear_lhs",
    "batch_layernorm",
    "batch_tanh",
    "batch_relu",
    "batch_sigmoid",
)
BATCHED_BEFORE_GRAD = {
    "split_cat_fx_passes": False,
    "pre_grad_fusion_options": {name: {} for name in BATCHED},
    "post_grad_fusion_options": {},
}
AS_STRINGS = "the test compares decimal strings, of which the shorter is greater here (assertGreaterAlmostEqual)"
CUDA_13 = "written for CUDA < 13: the test is skipped on the CUDA that this torch is built with"


def square(count: int = 1) -> list[torch.Tensor]:
    return [rand(10, 10) for _ in range(count)]


def row(count: int = 1) -> list[torch.Tensor]:
    return [rand(10) for _ in range(count)]


def indices(count: int, below: int) -> torch.Tensor:
    return randint(below, (count,), dtype=torch.int32)


def unfusible(x: torch.Tensor) -> torch.Tensor:
    return torch.ops.aten._lazy_clone(x)


pointwise = "NumBytesMetricTests.test_pointwise"
perf("one unary", pointwise, lambda: (lambda x: torch.cos(x), *row()), numel=20)
perf("one binary", pointwise, lambda: (lambda x, y: torch.add(x, y), *row(2)), numel=30)
perf(
    "broadcast row",
    pointwise,
    lambda: (lambda x, y: torch.add(x, y), *square(), *row()),
    numel=210,
)
perf("an input twice", pointwise, lambda: (lambda x: torch.add(x, x), *row()), numel=20)
perf(
    "an input and its transpose",
    pointwise,
    lambda: (lambda x: x.T + x, *square()),
    numel=200,
)
perf(
    "two outputs",
    pointwise,
    lambda: (lambda a, b, c: (a.cos(), c.sin() + b.sin()), *row(3)),
    numel=50,
)
perf(
    "inner sum",
    "NumBytesMetricTests.test_reduction",
    lambda: (lambda x: x.sum(1), *square()),
    numel=110,
)
perf(
    "outer sum",
    "NumBytesMetricTests.test_reduction",
    lambda: (lambda x: x.sum(0), *square()),
    numel=110,
)

extern = "NumBytesMetricTests.test_extern"
perf("matmul with itself", extern, lambda: (lambda x: x @ x, *square()), numel=200)
perf("matmul", extern, lambda: (lambda x, y: x @ y, *square(2)), numel=300)


def between_cosines(x: Tensor) -> Tensor:
    before = x.cos()
    return (before @ before).cos()


perf(
    "pointwise around a matmul", extern, lambda: (between_cosines, *square()), numel=600
)
perf(
    "matmul of two pointwise",
    extern,
    lambda: (lambda x: x.cos() @ x.sin(), *square()),
    numel=600,
)

cat = "NumBytesMetricTests.test_cat"
perf(
    "cat of pointwise",
    cat,
    lambda: (lambda a, b: torch.cat((a.sin(), b.sin())), *row(2)),
    numel=40,
)
perf("cat of inputs", cat, lambda: (lambda a, b: torch.cat((a, b)), *row(2)), numel=40)
perf(
    "cat of pointwise and input",
    cat,
    lambda: (lambda a, b: torch.cat((a.cos(), b)), *row(2)),
    numel=40,
)
perf(
    "cat of two functions of one input",
    cat,
    lambda: (lambda a: torch.cat((a.cos(), a.sin())), *row()),
    numel=30,
)
perf(
    "cat of matmul and pointwise",
    cat,
    lambda: (lambda a, b: torch.cat((a @ a, b.sin())), *square(2)),
    numel=400,
)
perf(
    "pointwise after cat of three",
    cat,
    lambda: (
        lambda *xs: torch.cat([x + n for n, x in enumerate(xs, 1)]) + 10,
        *square(3),
    ),
    numel=600,
)
perf(
    "pointwise after cat of five",
    cat,
    lambda: (
        lambda *xs: torch.cat([x + n for n, x in enumerate(xs, 1)]) + 10,
        *square(5),
    ),
    numel=1000,
)
perf(
    "pointwise after cat of reductions",
    cat,
    lambda: (
        lambda *xs: torch.cat([x.sum(0) for x in xs]) + 10,
        rand(10, 10, 10),
        rand(10, 10, 10),
    ),
    numel=2600,
)

cat_pointwise = "NumBytesMetricTests.test_cat_pointwise"
perf(
    "cat of softmaxes",
    cat_pointwise,
    lambda: (lambda *xs: torch.cat([x.softmax(-1) for x in xs]), *square(2)),
    numel=400,
)
perf(
    "pointwise after cat of softmaxes",
    cat_pointwise,
    lambda: (lambda *xs: torch.cat([x.softmax(-1) for x in xs]).cos(), *square(2)),
    numel=680,
)
perf(
    "cat that is partly pointwise",
    cat_pointwise,
    lambda: (lambda a, b: torch.cat((a.cos(), b @ b)).cos(), *square(2)),
    numel=600,
)
perf(
    "cat of matmuls",
    cat_pointwise,
    lambda: (lambda a, b: torch.cat((a @ a, b @ b)).cos(), *square(2)),
    numel=800,
)
perf(
    "pointwise after cat of inputs",
    cat_pointwise,
    lambda: (lambda a, b: torch.cat((a, b)).cos(), *square(2)),
    numel=400,
)
perf(
    "cat of input and pointwise",
    cat_pointwise,
    lambda: (lambda a, b: torch.cat((a, b.cos())), *square(2)),
    numel=400,
)
perf(
    "padded cat",
    cat_pointwise,
    lambda: (lambda a, b: F.pad(torch.cat((a @ a, b)), (2, 2), value=0.5), *square(2)),
    numel=680,
)
perf(
    "cat of many costly",
    "NumBytesMetricTests.test_cat_pointwise_many_complex_inputs",
    lambda: (lambda *xs: torch.cat([F.gelu(x) for x in xs]) + 10, *square(16)),
    config=BATCHED_BEFORE_GRAD,
    numel=6400,
)
perf(
    "cat of many cheap",
    "NumBytesMetricTests.test_cat_pointwise_many_simple_inputs",
    lambda: (lambda *xs: torch.cat([F.relu(x) for x in xs]) + 10, *square(16)),
    config=BATCHED_BEFORE_GRAD,
    numel=9600,
)
perf(
    "pointwise cat switched off",
    "NumBytesMetricTests.test_cat_pointwise_config_option",
    lambda: (lambda a, b: torch.cat((a + 1, b + 2)) + 3, *square(2)),
    config={"max_pointwise_cat_inputs": 0},
    numel=400,
)
perf(
    "gather",
    "NumBytesMetricTests.test_index",
    lambda: (lambda a, b: a[b], *row(), indices(10, 10)),
    numel=30,
)

fusion = "FusionTests."
perf(
    "sum beside pointwise",
    fusion + "test_horizontal_reduction_pointwise",
    lambda: (lambda a: (a.sum(1), a.cos()), *square()),
    numel=210,
)
perf(
    "two reductions of one input",
    fusion + "test_horizontal_reduction_reduction",
    lambda: (lambda a: (a.sum(1), a.amax(1)), *square()),
    numel=120,
)
perf(
    "sum then pointwise with another",
    fusion + "test_horizontal_reduction_pointwise2",
    lambda: (lambda a, b: a.sum(1) + b.cos(), *square(), *row()),
    numel=120,
)
perf(
    "outer sum then pointwise",
    fusion + "test_horizontal_reduction_outer_pointwise",
    lambda: (lambda a, b: a.sum(0) + b.cos(), *square(), *row()),
    numel=120,
)
perf(
    "sum broadcast again",
    fusion + "test_horizontal_sum_pw_broadcast",
    lambda: (lambda a, b: a.sum(1, keepdim=True) * b.cos(), *square(), *row()),
    numel=210,
)
perf(
    "pointwise, sum, pointwise",
    fusion + "test_vertical_sum_pw",
    lambda: (lambda a: a.cos().sum(1).cos(), *square()),
    numel=110,
)


def scaled_by_sums(x: Tensor) -> Tensor:
    for _ in range(3):
        x = x * x.sum(1, keepdim=True)
    return x


perf(
    "three norms in a row",
    fusion + "test_norm_chain",
    lambda: (scaled_by_sums, *square()),
    numel=200,
)
perf(
    "softmax",
    fusion + "test_softmax_inner",
    lambda: (lambda a: a.softmax(1), *square()),
    numel=200,
)
perf(
    "layer norm",
    fusion + "test_layer_norm",
    lambda: (torch.nn.LayerNorm(10), *square()),
    numel=220,
)
perf(
    "softmax twice",
    fusion + "test_double_softmax",
    lambda: (lambda a: a.softmax(1).softmax(1), *square()),
    numel=200,
)
perf(
    "backward of softmax by hand",
    fusion + "test_softmax_backward",
    lambda: (
        lambda grad, out: torch.ops.aten._softmax_backward_data(
            grad, out, 1, torch.float32
        ),
        *square(2),
    ),
    numel=300,
)
perf(
    "nearest neighbours",
    fusion + "test_neighbor",
    lambda: (
        lambda a, b: (a - b).square().sum(-1).amax(1),
        rand(10, 1, 4),
        rand(1, 10, 4),
    ),
    numel=90,
)


def of_constants() -> Tensor:
    return (torch.ones(10, device="cuda") + torch.ones(10, 10, device="cuda")).sum(-1)


perf("no inputs", fusion + "test_factory_reduction", lambda: (of_constants,), numel=10)
perf(
    "pointwise of gathered rows",
    fusion + "test_index_pointwise",
    lambda: (lambda a, b: a[b].cos(), *square(), indices(20, 10)),
    numel=320,
)
perf(
    "sum of gathered rows",
    fusion + "test_index_reduction",
    lambda: (lambda a, b: a[b].cos().sum(1), *square(), indices(20, 10)),
    numel=140,
)


def two_mutations(a: Tensor, b: Tensor, c: Tensor) -> None:
    first = a + c
    second = b + first
    b.copy_(second)
    a.copy_(first)


perf(
    "mutations of two inputs",
    fusion + "test_mutation_fusion",
    lambda: (two_mutations, *square(3)),
    numel=500,
)


def copy_of_cat(out: Tensor, a: Tensor, b: Tensor) -> None:
    out.copy_(torch.cat((a, b)))


perf(
    "copy of a cat",
    fusion + "test_copy_cat_fusion",
    lambda: (copy_of_cat, rand(20), *row(2)),
    since="2.15",
    contradicted={"2.15": CUDA_13},
    numel=60,
)

HIDDEN = 4096
ELEMENTS = 4 * 2048 * HIDDEN


def normalized_sigmoid(keepdim: bool) -> tuple[Any, ...]:
    norm = torch.nn.LayerNorm(HIDDEN)

    def fn(x: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
        normalized = norm(x.float())
        return (normalized * scale).sigmoid(), normalized.abs().amax(keepdim=keepdim)

    return fn, rand(4, 2048, HIDDEN), rand(1)


def scaled_sigmoid(keepdim: bool) -> tuple[Any, ...]:
    def fn(x: Tensor, scale: Tensor) -> tuple[Tensor, ...]:
        y = x * 1.1
        return (y * scale).sigmoid(), y.abs().amax(keepdim=keepdim)

    return fn, rand(4, 2048, HIDDEN), rand(1)


for keepdim in (True, False):
    perf(
        f"two-level reduction after layer norm, keepdim={keepdim}",
        fusion + "test_reduction_pointwise_multi_level_reduction",
        lambda keepdim=keepdim: normalized_sigmoid(keepdim),
        numel=f"{1 + 2 * HIDDEN + 2 * ELEMENTS + 2 * 4 * 2048 + 1} +- {2 * ELEMENTS * 5 // 10000}",
    )
    perf(
        f"two-level reduction after pointwise, keepdim={keepdim}",
        fusion + "test_pointwise_multi_level_reduction",
        lambda keepdim=keepdim: scaled_sigmoid(keepdim),
        contradicted={"2.13": AS_STRINGS, "2.15": AS_STRINGS},
        numel=f">= {1 + 3 * ELEMENTS + 1}",
    )


def neighbourhood(b: Tensor, h: Tensor, query: Tensor, key: Tensor) -> Tensor:
    """Whether two positions in a 4 x 16 x 16 volume share a 5 x 5 x 5 window (a 3-d NATTEN mask)."""
    inside = torch.ones((), dtype=torch.bool, device="cuda")
    coordinates: tuple[tuple[Callable[[Tensor], Tensor], int], ...]
    coordinates = (
        (lambda i: i // 256, 4),
        (lambda i: i % 256 // 16, 16),
        (lambda i: i % 16, 16),
    )
    for coordinate, size in coordinates:
        centre = coordinate(query).clamp(2, size - 3)
        inside = inside & ((centre - coordinate(key)).abs() <= 2)
    return inside


def block_mask() -> tuple[Any, ...]:
    from torch.nn.attention.flex_attention import create_block_mask

    return create_block_mask, neighbourhood, None, None, 1024, 1024


perf(
    "block mask is never quadratic",
    fusion + "test_create_block_mask",
    block_mask,
    numel=f"< {1024 * 1024 // 5}",
)


def shared_cosine(a: Tensor) -> tuple[Tensor, Tensor]:
    c = a.cos()
    return c @ c, c


scheduling = "SchedulerFusionTests."


def choice_1(a: Tensor) -> Tensor:
    product, c = shared_cosine(a)
    return product + c.cos()


def choice_2(a: Tensor) -> Tensor:
    product, c = shared_cosine(a)
    return product + c.sum(1)


def choice_3(a: Tensor) -> tuple[Tensor, ...]:
    product, c = shared_cosine(a)
    e = c + a
    return product + e, e


perf(
    "no good place to split",
    scheduling + "test_fusion_choice1",
    lambda: (choice_1, *square()),
    config=PROLOGUE,
    numel=700,
)
perf(
    "materialize the smaller",
    scheduling + "test_fusion_choice2",
    lambda: (choice_2, *square()),
    config=PROLOGUE,
    numel=620,
)
perf(
    "materialize what is used",
    scheduling + "test_fusion_choice3",
    lambda: (choice_3, *square()),
    config=PROLOGUE,
    numel=800,
)

perf(
    "tiles, second transposed",
    "TilingTests.test_tiling_simple",
    lambda: (lambda a, b: a + b.T, *square(2)),
    numel=300,
)
perf(
    "tiles, first transposed",
    "TilingTests.test_tiling_simple",
    lambda: (lambda a, b: a.T + b, *square(2)),
    numel=300,
)
perf(
    "three orders of dimensions",
    "TilingTests.test_tiling_three",
    lambda: (
        lambda a, b, c: a + b.permute(1, 2, 0) + c.permute(2, 0, 1),
        *(rand(10, 10, 10) for _ in range(3)),
    ),
    numel=4000,
)


def cloned_twice(a: Tensor) -> tuple[Tensor, ...]:
    b = a.clone()
    return b, unfusible(b)


noop = "NoopTests."
perf(
    "clone before an extern",
    noop + "test_noop_clones",
    lambda: (lambda a: unfusible(a.clone()), *row()),
    numel=20,
)
perf(
    "clone that is returned",
    noop + "test_noop_clones",
    lambda: (cloned_twice, *row()),
    numel=40,
)
perf(
    "slice_scatter of the whole",
    noop + "test_noop_slice_scatter",
    lambda: (lambda a: unfusible(torch.ops.aten.slice_scatter(a, a)), *row()),
    numel=20,
)
perf(
    "cast to the same dtype",
    noop + "test_noop_dtype_conversion",
    lambda: (
        lambda a: unfusible(torch.ops.prims.convert_element_type(a, torch.float32)),
        *row(),
    ),
    numel=20,
)
perf(
    "move to the same device",
    noop + "test_noop_device_conversion",
    lambda: (lambda a: unfusible(torch.ops.prims.device_put(a, "cuda")), *row()),
    numel=20,
)
for rounding in (torch.ceil, torch.floor, torch.round, lambda x: torch.pow(x, 1)):
    perf(
        f"{getattr(rounding, '__name__', 'pow')} of integers".replace(
            "<lambda>", "first power"
        ),
        noop + "test_noop_int_ops",
        lambda rounding=rounding: (lambda a: unfusible(rounding(a)), indices(10, 10)),
        numel=20,
    )
perf(
    "cat of one",
    noop + "test_noop_cat",
    lambda: (lambda a: unfusible(torch.cat([a])), *row()),
    numel=20,
)
perf(
    "cat of one, twice",
    noop + "test_noop_cat",
    lambda: (lambda a: torch.cat([torch.cat([a])]), *row()),
    numel=20,
)
