"""Public reports of wrong results, tried: `python -m benchmarks.public_reports [--triage | --patterns] [NUMBER]...`.

Each is a short program of our own after the report, run by `numerics` on one target that may show it, by `triage` on
this machine's CPU, or captured to see which of torch's patterns fire. `triage` runs those about GPUs on a virtual one,
with `compile-golden run --gpu h100 --values kernels -m benchmarks.public_reports --triage`. Prints one JSON object a
line. docs/numerics.md has what was said on four versions of torch.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar
from unittest import mock

import torch
import torch.nn.functional as F
from torch import Tensor

CPU, GPU = "native-cpu", "cuda-sm90"


@dataclass(frozen=True)
class Report:
    """A program after one report."""

    number: str
    words: str
    program: Any
    """What is compiled."""
    inputs: Callable[[], tuple[Any, ...]] = tuple
    target: str = GPU
    """One that can show it, for `numerics`."""
    intended: bool = False
    """Whether torch's maintainers call the difference intended or undefined, so that nobody may be blamed."""
    train: bool = False
    config: Mapping[str, Any] = field(default_factory=dict)
    calls: Callable[[], list[Any]] | None = None
    """Several calls instead of one."""

    def script(self) -> None:
        """The program as its reporter ran it: compiled and called, on a GPU if it is about one and there is one."""
        torch.manual_seed(0)
        torch.set_default_device(
            "cuda" if self.target == GPU and torch.cuda.is_available() else "cpu"
        )
        given = [self.inputs()] if self.calls is None else self.calls()
        options = {"options": dict(self.config)} if self.config else {}
        compiled = torch.compile(self.program, **options)
        for inputs in given:
            result = compiled(*inputs)
            if self.train:
                result.sum().backward()


def _written_to_windows(x: Tensor) -> Tensor:
    x.unfold(0, 1, 3).mul_(2)
    return x + 0.5


def _resized_and_pooled(x: Tensor, weight: Tensor, mask: Tensor) -> Tensor:
    y = F.interpolate(x, scale_factor=(1.5, 1.25), mode="bilinear")[:, :, 1:7, 1:8]
    features = F.conv2d(y, weight, padding=1)
    return torch.where(mask, features, F.max_pool2d(features, 3, 1, 1))


def _scaled_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    q, k, v = (each.permute(0, 2, 1, 3) for each in (q, k, v))
    return ((q @ k.transpose(-2, -1)).div(0.35) + mask).softmax(-1) @ v


def _resized_view(x: Tensor) -> Tensor:
    base = x + 1
    base.view(-1).resize_(12)
    return base + 1


def _scattered_back(x: Tensor, source: Tensor) -> Tensor:
    changed = torch.slice_scatter(x, source, 0, 1, 3)
    x.copy_(changed)
    return changed


def _copied_late(goal: Tensor, source: Tensor) -> None:
    goal[0:] = source[0:]
    source.add_(1)


def _bits_before(x: Tensor) -> Tensor:
    bits = x.view(torch.int32) * 2
    bits.sub_(-4)
    x[:, 2:5] = 2
    return bits.view(torch.int64)


def _negated(x: Tensor) -> Tensor:
    y = -x.abs()
    return torch.cat([y, y]).sum()


def _detached(x: Tensor) -> Tensor:
    y = (x * 2).detach()
    y.requires_grad_()
    return y


def _added_to_a_column(x: Tensor) -> Tensor:
    def loss(x: Tensor) -> Tensor:
        y = torch.ones(x.shape, device=x.device)
        y[:, 0] += x[:, 1]
        y[:, 0] += x[:, 2].abs()
        return y.sum()

    return torch.func.grad(loss)(x)


def _rotated(q: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = q.shape[-1] // 2
    turned = torch.cat((-q[..., half:], q[..., :half]), -1)
    return q * cos.unsqueeze(1) + turned * sin.unsqueeze(1)


def _fp8_scale(x: Tensor) -> Tensor:
    largest = torch.abs(torch.max(x))
    return (448.0 / torch.clamp(largest, min=1e-12)).to(torch.float32)


def _ties(x: Tensor) -> Tensor:
    scaled = x / math.sqrt(48)
    return (scaled == scaled.amax(-1, keepdim=True)).sum(-1)


def _adam_step(p: Tensor, g: Tensor, m: Tensor, v: Tensor, step: Tensor) -> None:
    step.add_(1)
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    count = step.item()
    p.addcdiv_(
        m,
        (v.sqrt() / (1 - 0.999**count) ** 0.5).add_(1e-8),
        value=-0.001 / (1 - 0.9**count),
    )


def _adam(p: Tensor, g: Tensor) -> Tensor:
    m, v, step = torch.zeros_like(p), torch.zeros_like(p), torch.zeros(())
    for _ in range(4):
        _adam_step(p, g, m, v, step)
    return p


def _swapped_data(a: Tensor, b: Tensor) -> Tensor:
    a.data = b
    b.data = torch.zeros_like(b)
    return a + b


def _view_of_a_view(base: Tensor, part: Tensor) -> Tensor:
    base.add_(100)
    return part[0]


def _base_and_part() -> tuple[Tensor, Tensor]:
    base = torch.arange(24.0).reshape(4, 6)
    return base, base[1:]


def _bits_of_another(x: Tensor, y: Tensor) -> Tensor:
    return x.clone().view(torch.bool).copy_(y.view(torch.bool)).view(torch.float32)


def _scattered_then_zeroed(x: Tensor, source: Tensor) -> Tensor:
    y = torch.slice_scatter(x, source, 0, 1, 3)
    x.zero_()
    return y


def _doubled_and_added(x: Tensor, y: Tensor) -> Tensor:
    x.mul_(2)
    return x + y


def _apart_and_overlapping() -> list[Any]:
    base = torch.ones(8)
    return [(torch.ones(4), torch.ones(4)), (base[:4], base[2:6])]


def _twice_the_same_row(x: Tensor) -> Tensor:
    x[[0, 0]] += x[[0, 0]]
    return x


def _first_of_a_mask(scores: Tensor, values: Tensor) -> Tensor:
    return values[torch.argmax(scores > 0, 1)].sum()


def _without_autocast(x: Tensor, w: Tensor) -> Tensor:
    with torch.autocast(x.device.type, enabled=False):
        return x.float() @ w.float()


def _one_of_two(x: Tensor, index: Tensor, value: Tensor) -> Tensor:
    return x.index_put((index,), value)


def _gelu_gradient(x: Tensor) -> Tensor:
    cdf = 0.5 * (1 + torch.erf(x * 0.7071067811865476))
    return cdf + x * torch.exp(-0.5 * x * x) * 0.3989422804014327


def _half(*shape: int) -> Tensor:
    return torch.randn(*shape, dtype=torch.bfloat16)


def _requiring(*shape: int) -> Tensor:
    return torch.randn(*shape, requires_grad=True)


class _Modulated(torch.nn.Module):
    """Two norms whose scales and shifts are the rows of one table."""

    def __init__(self) -> None:
        super().__init__()
        self.table = torch.nn.Parameter(torch.randn(1, 4, 64) / 8)

    def forward(self, x: Tensor) -> Tensor:
        first, shift, second, last = self.table.chunk(4, 1)
        x = F.layer_norm(x, (64,)) * (1 + first) + shift
        return F.layer_norm(x, (64,)) * (1 + second) + last


def _between_in_place(x: Tensor, end: Tensor) -> Tensor:
    x.lerp_(end, 0.75)
    return x.view(-1)


def _detached_in_place(x: Tensor) -> Tensor:
    y = x * 2
    y.detach_()
    return y + 1


def _generated(x: Tensor) -> Any:
    def parts() -> Any:
        yield x * 1
        yield x * 2
        return "done"

    return parts()


class _Named:
    calls: ClassVar[list[int]] = []


def _appended(x: Tensor) -> Tensor:
    _Named.calls.append(x.shape[0])
    return x + 1


NAN, INF = math.nan, math.inf

REPORTS = (
    Report(
        "189518",
        "`ones(bool).cumsum(1, dtype=bfloat16)`",
        lambda x: torch.ones(x.shape, dtype=torch.bool, device=x.device).cumsum(
            1, dtype=torch.bfloat16
        ),
        lambda: (torch.randn(2, 4, 4),),
    ),
    Report(
        "183083",
        "`remainder(x, 3.14)` in float16",
        lambda x: torch.remainder(x, 3.14),
        lambda: (torch.tensor([-4.0, 3.140625, 8.0], dtype=torch.float16),),
    ),
    Report(
        "197895",
        "`1.0 // 0.1`",
        lambda a, b: a // b,
        lambda: (torch.tensor([1.0, 0.5, 6.0]), torch.tensor([0.1, 0.1, 0.2])),
    ),
    Report(
        "188048",
        '`div(inf, 1, rounding_mode="floor")`',
        lambda x: torch.div(x, 1.0, rounding_mode="floor"),
        lambda: (torch.tensor([INF, -INF, NAN]),),
    ),
    Report(
        "191499",
        "`min` and `argmin` of 18 elements of int8",
        lambda x: (x.min(), x.argmin()),
        lambda: (
            torch.tensor(
                [5, 1, 100, 3, 7, 8, 9, 13, 100, 120, 127, 2, 6, 4, 11, 12, 90, 80],
                dtype=torch.int8,
            ),
        ),
        CPU,
    ),
    Report(
        "198364",
        "`copysign`, `//`, `addr` of a transposed input",
        lambda a, b: (
            torch.copysign(a, b - 1.5),
            a // b,
            torch.addr(a, b[:, 0], b[0], beta=0.0),
        ),
        lambda: (torch.rand(5, 6).mT, torch.rand(6, 5) + 1),
    ),
    Report(
        "198333",
        "`x.transpose(1, 2) * (rand(2, 512, 64) > 0.5)`",
        lambda x: x.transpose(1, 2) * (torch.rand(2, 512, 64, device=x.device) > 0.5),
        lambda: (torch.randn(2, 64, 512),),
    ),
    Report("191449", "`resize_` of a view", _resized_view, lambda: (torch.zeros(1),)),
    Report(
        "194345",
        "`remainder` and `fmod` of large quotients",
        lambda a, b: (torch.remainder(a, b), torch.fmod(a, b)),
        lambda: (
            torch.tensor([1e10, 65504.0, 3.4e38]),
            torch.tensor([1e-20, 6e-8, 1.4e-45]),
        ),
    ),
    Report(
        "197815",
        "`ones_like` of `[5, 1]`, transposed",
        lambda x: torch.ones_like(x.t()),
        lambda: (torch.randn(1, 5),),
    ),
    Report(
        "174049",
        "attention by hand with another scale",
        _scaled_attention,
        lambda: (*(torch.randn(1, 16, 2, 64) for _ in range(3)), torch.randn(16, 16)),
    ),
    Report(
        "197554",
        "`index_add` with an index of -1",
        lambda x, i, y: torch.index_add(x, 0, i, y),
        lambda: (torch.zeros(4, 3), torch.tensor([0, -1]), torch.ones(2, 3)),
    ),
    Report(
        "197554",
        "`embedding` with -2",
        F.embedding,
        lambda: (torch.tensor([2, -2]), torch.randn(4, 3)),
    ),
    Report(
        "197554",
        "`select` past the end",
        lambda x: torch.select(x.unsqueeze(1), 1, 1),
        lambda: (torch.randn(4),),
    ),
    Report(
        "193265",
        "`cumsum` of a constant without dimensions",
        lambda x: torch.full((), 5.0, device=x.device).cumsum(0) + x,
        lambda: (torch.randn(2),),
    ),
    Report(
        "181581",
        "`autograd.grad(create_graph=True)` inside",
        lambda x, w: torch.autograd.grad((x @ w).relu().sum(), x, create_graph=True)[0],
        lambda: (_requiring(3, 4), _requiring(4, 5)),
        train=True,
    ),
    Report(
        "190764",
        "an int32 product, widened",
        lambda a: (a * a).to(torch.int64),
        lambda: (torch.full((20,), 70000, dtype=torch.int32),),
        CPU,
    ),
    Report(
        "187018",
        "`cat` and `sum` of negated uint8",
        _negated,
        lambda: (torch.tensor([200, 200], dtype=torch.uint8),),
    ),
    Report(
        "186164",
        "`floor_divide` by a tensor of no dimensions",
        torch.floor_divide,
        lambda: (torch.arange(16), torch.tensor(3)),
    ),
    Report(
        "195451",
        "`slice_scatter` of an input, copied into it and returned",
        _scattered_back,
        lambda: (torch.zeros(4), torch.ones(2)),
    ),
    Report(
        "197091",
        "`ldexp` of bool and float16, and of float16 and float32",
        lambda a, b, c: (torch.ldexp(a, b), torch.ldexp(b, c)),
        lambda: (
            torch.ones(3, dtype=torch.bool),
            torch.randn(3).half(),
            torch.randn(3),
        ),
    ),
    Report(
        "191308",
        "`matmul` of int8 in batches",
        torch.matmul,
        lambda: (
            torch.randint(-9, 9, (2, 1, 4), dtype=torch.int8),
            torch.randint(-9, 9, (2, 4, 5), dtype=torch.int8),
        ),
        CPU,
    ),
    Report(
        "193757",
        "`binary_cross_entropy` with a target of 1.5",
        lambda x, t: F.binary_cross_entropy(x, t),
        lambda: (torch.full((4,), 0.5), torch.full((4,), 1.5)),
    ),
    Report(
        "180772",
        "gradient of the sum of a `slice_scatter` with two elements",
        lambda x, y: torch.slice_scatter(x, y, 0, 0, 2).sum(),
        lambda: (_requiring(5), _requiring(2)),
        train=True,
    ),
    Report(
        "182012",
        "gradient of the sum of a `diagonal_scatter`",
        lambda x, y: torch.diagonal_scatter(x, y).sum(),
        lambda: (_requiring(8, 8), _requiring(8)),
        train=True,
    ),
    Report(
        "180164",
        "gradient of a `slice_scatter`, summed over its dimension",
        lambda x, y: torch.slice_scatter(x, y, 1, 2, 4).sum(1),
        lambda: (_requiring(4, 8), _requiring(4, 2)),
        train=True,
    ),
    Report(
        "174172",
        "`copysign` with -0.0",
        torch.copysign,
        lambda: (torch.randn(4), torch.tensor([0.0, -0.0, 1.0, -1.0])),
    ),
    Report(
        "196596",
        "`addmm` of NaN with `beta=0`",
        lambda x, a, b: torch.addmm(x, a, b, beta=0),
        lambda: (torch.full((4,), NAN), torch.randn(1, 4), torch.randn(4, 4)),
        target=CPU,
    ),
    Report(
        "196596",
        "`addmm` of NaN with `alpha=0`",
        lambda x, a, b: torch.addmm(x, a, b, alpha=0),
        lambda: (torch.randn(4), torch.full((1, 4), NAN), torch.randn(4, 4)),
        target=CPU,
    ),
    Report(
        "173885",
        "`layer_norm` of float16 with an infinity",
        lambda x: F.layer_norm(x, (8,)),
        lambda: (torch.tensor([[INF, *range(7)]], dtype=torch.float16),),
    ),
    Report(
        "168278",
        "a detached copy that is made to require a gradient",
        _detached,
        lambda: (_requiring(4),),
        train=True,
    ),
    Report(
        "173987",
        "bfloat16 compared with 3.14",
        lambda x: x == 3.14,
        lambda: (torch.tensor([3.14, 3.0]).bfloat16(),),
    ),
    Report(
        "136662",
        "`torch.func.grad` of two additions to a column",
        _added_to_a_column,
        lambda: (torch.randn(2, 3),),
    ),
    Report(
        "198131",
        "the copy of an input that is written to later",
        _copied_late,
        lambda: (torch.zeros(4), torch.ones(4)),
    ),
    Report(
        "197893",
        "`x + 0` is the input itself",
        lambda x: (x + 0, x.sin()),
        lambda: (torch.ones(4),),
    ),
    Report(
        "175966",
        "large multiples of an index",
        lambda x: torch.arange(11, device=x.device) * 1_000_000_000 + x,
        lambda: (torch.zeros(11, dtype=torch.int64),),
    ),
    Report(
        "197431",
        "`as_strided` of part of an intermediate",
        lambda x: (x * 2)[1:].as_strided((8,), (1,), 0),
        lambda: (torch.arange(8.0),),
    ),
    Report(
        "188771",
        "block pointers in two loops",
        lambda a, b: (a * b).mean(),
        lambda: (torch.randn(96), torch.randn(96, 1)),
        config={
            "triton.use_block_ptr": True,
            "triton.prefer_nd_tiling": True,
            "triton.tile_reductions": True,
            "split_reductions": False,
        },
    ),
    Report(
        "183894",
        "`argmin` of a transposed tensor that was modified",
        lambda x: x.sin_().t().argmin(),
        lambda: (torch.randn(8, 6),),
        target=CPU,
    ),
    Report(
        "198101",
        "bits of an input that is written to later",
        _bits_before,
        lambda: (torch.arange(24).reshape(4, 6),),
        target=CPU,
    ),
    Report(
        "198057",
        "`5.5 % inf`",
        torch.remainder,
        lambda: (torch.full((16,), 5.5), torch.tensor([INF, 3.0]).repeat(8)),
        target=CPU,
    ),
    Report(
        "182344",
        "`bucketize` by a part of an intermediate",
        lambda x, e: torch.bucketize(x, (e * 2)[1:5]),
        lambda: (torch.randn(16), torch.arange(8.0)),
    ),
    Report(
        "185515",
        "bits of a transposed copy",
        lambda x: x.t().contiguous().view(torch.int16),
        lambda: (torch.randn(4, 6),),
    ),
    # Not listed anywhere before they were tried.
    Report(
        "198095",
        "a view of an input that shares memory with another",
        _view_of_a_view,
        _base_and_part,
    ),
    Report(
        "193760",
        "bits of floats copied as bool",
        _bits_of_another,
        lambda: (torch.randn(4, 4), torch.randn(4, 4)),
    ),
    Report("195674", "`1 - mask`", lambda x: 1 - (x < 0), lambda: (torch.randn(4),)),
    Report(
        "185481",
        "`argmax` of a mask",
        _first_of_a_mask,
        lambda: (
            torch.tensor([[-1.0, 2.0, -3.0], [4.0, -5.0, 6.0]]),
            torch.tensor([10.0, 20.0, 30.0]),
        ),
    ),
    Report(
        "194501",
        "`smooth_l1_loss` with a negative `beta`",
        lambda a, b: F.smooth_l1_loss(a, b, beta=-1.0),
        lambda: (torch.tensor([1.0]), torch.tensor([0.0])),
    ),
    Report(
        "185246",
        "`bernoulli` with a probability of 1.5",
        lambda p: torch.bernoulli(p),
        lambda: (torch.full((4,), 1.5),),
    ),
    Report(
        "187332",
        "`special.i0` of infinities",
        torch.special.i0,
        lambda: (torch.tensor([INF, -INF, 1.0]),),
    ),
    Report(
        "174891",
        "a complex sum that is broadcast",
        lambda x: x + torch.ones(2, 1, dtype=torch.complex64, device=x.device),
        lambda: (torch.full((2, 2), 1.0, dtype=torch.complex64),),
    ),
    Report(
        "174074",
        "`x[[0, 0]] += x[[0, 0]]`",
        _twice_the_same_row,
        lambda: (torch.randn(1, 2, dtype=torch.float64),),
    ),
    Report(
        "183986",
        "`index_add` to an expanded tensor",
        lambda x, i, y: x.expand(4, 8).index_add(0, i, y),
        lambda: (torch.zeros(8), torch.tensor([0, 2]), torch.ones(2, 8)),
    ),
    Report(
        "185382",
        "`addcdiv_` with numbers of `.item()` in a loop",
        _adam,
        lambda: (torch.randn(8), torch.randn(8)),
        CPU,
    ),
    Report(
        "143978",
        "NaN of `rsqrt` through `angle`",
        lambda x: torch.sin(torch.atan(torch.angle(torch.rsqrt(x)))),
        lambda: (torch.randn(10),),
        target=CPU,
    ),
    Report(
        "131321",
        "`scatter_reduce` with an index of -1",
        lambda x, i, y: torch.scatter_reduce(x, 0, i, y, "sum"),
        lambda: (torch.arange(4.0), torch.tensor([0, 1, -1]), torch.ones(3)),
    ),
    Report(
        "179804",
        "gradient of a product that `autocast` does not reach",
        _without_autocast,
        lambda: (_half(4, 64).requires_grad_(), _requiring(64, 64)),
        train=True,
    ),
    Report(
        "197105",
        "`lerp` of bool",
        lambda a, w: torch.lerp(a, a, w),
        lambda: (torch.ones(3, 4, dtype=torch.bool), torch.tensor(0.3)),
    ),
    Report(
        "174187",
        "`.data` of both inputs set",
        _swapped_data,
        lambda: (
            torch.tensor([True, False, True, False]),
            torch.tensor([False, False, True, True]),
        ),
    ),
    Report(
        "151478",
        "`layer_norm` of bfloat16 by a weight of float32",
        lambda x, w, b: torch.layer_norm(x, (4,), w, b, 0.1, False),
        lambda: (_half(2, 4), torch.ones(4), torch.ones(4)),
    ),
    Report(
        "143566",
        "a shift by 64",
        torch.bitwise_left_shift,
        lambda: (torch.tensor([1000, 3]), torch.tensor([64, 1])),
        target=CPU,
    ),
    Report(
        "150993",
        "a product of float16 and float32",
        lambda a, b: a.softmax(-1).half() @ b,
        lambda: (torch.randn(4, 4), torch.randn(4, 4)),
    ),
    Report(
        "195422",
        "an input written to through what `dropout` returns",
        lambda x: F.dropout(x, 0.5, training=False).add_(1),
        lambda: (torch.ones(4),),
    ),
    Report(
        "198094",
        "an input set to zero after a `slice_scatter` of it",
        _scattered_then_zeroed,
        lambda: (torch.arange(24).reshape(4, 6), -torch.arange(12).reshape(2, 6)),
    ),
    Report(
        "197095",
        "`interpolate` of a size of zero",
        lambda x: F.interpolate(x, size=(2, 2)),
        lambda: (torch.randn(1, 1, 0, 4),),
    ),
    Report(
        "194558",
        "`pad` by less than nothing, and a product",
        lambda x, w: F.pad(x, (0, -2)) @ w,
        lambda: (torch.randn(2, 6), torch.randn(4, 3)),
    ),
    Report(
        "185535",
        "`cat` with an empty tensor of one dimension",
        lambda a, b: torch.cat([a, b], dim=-2),
        lambda: (torch.tensor([]), torch.randn(1, 2, 3, 4)),
    ),
    Report(
        "139789",
        "inputs that overlap in the second call",
        _doubled_and_added,
        calls=_apart_and_overlapping,
    ),
    Report(
        "198119",
        "gradient of `avg_pool2d` with `ceil_mode`",
        lambda x: F.avg_pool2d(x, 3, 2, ceil_mode=True),
        lambda: (_requiring(1, 1, 8, 8),),
        train=True,
    ),
    Report(
        "198343",
        "`lerp` to a transposed end",
        lambda x, end: torch.lerp(x, end, 0.75),
        lambda: (torch.rand(4, 16, 16), torch.rand(4, 16, 16).mT),
    ),
    Report(
        "198343",
        "a view after `lerp_` to a transposed end",
        _between_in_place,
        lambda: (torch.rand(4, 16, 16), torch.rand(4, 16, 16).mT),
    ),
    Report(
        "193061",
        "gradient of two norms with scales from one table",
        _Modulated(),
        lambda: (_requiring(1, 256, 64),),
        train=True,
        # So that a small program has what needs five million elements otherwise.
        config={"triton.mix_order_reduction_non_strict_mode": True},
    ),
    Report(
        "175154",
        "`interpolate` of float64 by 1.3",
        lambda x: F.interpolate(x, scale_factor=1.3, mode="nearest"),
        lambda: (torch.tensor([[[[1.0, 2.0]]]], dtype=torch.float64),),
    ),
    Report(
        "180848",
        "`adaptive_avg_pool2d`, flattened, and a sum",
        lambda x: F.adaptive_avg_pool2d(x, 7).flatten(1).sum(-1),
        lambda: (torch.randn(2, 33, 8, 8, dtype=torch.float64),),
    ),
    Report(
        "185517",
        "gradient of `margin_ranking_loss` of bfloat16 at its margin",
        lambda a, b, y: F.margin_ranking_loss(a, b, y, margin=1.7),
        lambda: (
            torch.tensor([1.703125, 0.0]).bfloat16().requires_grad_(),
            torch.zeros(2).bfloat16().requires_grad_(),
            torch.ones(2).bfloat16(),
        ),
        CPU,
        train=True,
    ),
    Report(
        "186875",
        "`fmod` and `remainder` of bfloat16 by 1.7",
        lambda x: (torch.fmod(x, 1.7), torch.remainder(x, 1.7)),
        lambda: (torch.tensor([1.703125, -1.703125]).bfloat16(),),
        CPU,
    ),
    Report(
        "188718",
        "`view_as_complex` of a transposed tensor",
        torch.view_as_complex,
        lambda: (torch.randn(2, 2, 2).transpose(0, 1),),
    ),
    Report(
        "188545",
        "`special.bessel_y0` of an infinity",
        torch.special.bessel_y0,
        lambda: (torch.tensor([NAN, INF, -INF], dtype=torch.float64),),
    ),
    Report(
        "185610",
        "`minimum` of zeros of both signs",
        torch.minimum,
        lambda: (torch.tensor([-0.0]).bfloat16(), torch.tensor([0.0]).bfloat16()),
    ),
    Report(
        "198190",
        "a generator that is returned",
        _generated,
        lambda: (torch.zeros(1),),
    ),
    Report(
        "176854",
        "`detach_` of an intermediate",
        _detached_in_place,
        lambda: (_requiring(4),),
        train=True,
    ),
    Report(
        "169253",
        "a list of a class that is appended to",
        _appended,
        lambda: (torch.ones(2),),
    ),
    Report(
        "170688",
        "`interpolate` of bfloat16 by 2 and 3",
        lambda x: F.interpolate(
            x, scale_factor=(2.0, 3.0), mode="nearest", recompute_scale_factor=True
        ),
        lambda: (_half(2, 1, 10, 15),),
    ),
    Report(
        "148950",
        "`x + x.conj()`",
        lambda x: x + x.conj(),
        lambda: (torch.randn(5, 5, dtype=torch.complex64),),
    ),
    # Intended, as torch's maintainers say, or undefined.
    Report(
        "185605",
        "bfloat16 and a float64 tensor of no dimensions, added",
        torch.add,
        lambda: (
            torch.tensor([0.1, -0.2, 1.0]).bfloat16(),
            torch.tensor(-0.1, dtype=torch.float64),
        ),
        intended=True,
    ),
    Report(
        "181568",
        "a cast to bfloat16 in fused code",
        lambda x, w, b: (
            (x @ w).to(torch.bfloat16) + b,
            ((x @ w).to(torch.bfloat16) + b).mean(-1),
        ),
        lambda: (torch.randn(2, 15, 32), torch.randn(32, 17), torch.randn(17)),
        intended=True,
    ),
    Report(
        "185337",
        "a cast to float16 and back in fused code",
        lambda x: (x.half().float(), x.half().float().sum(1)),
        lambda: (torch.arange(20.0).reshape(5, 4).t() / 7,),
        intended=True,
    ),
    Report(
        "182225",
        "rotary embedding in bfloat16",
        _rotated,
        lambda: (_half(1, 2, 7, 16), _half(1, 7, 16), _half(1, 7, 16)),
        intended=True,
    ),
    Report(
        "183761",
        "`where`, `full_like`, a cast to float16, and a sum",
        lambda x: (
            (torch.where(x > 0, x, torch.full_like(x, 0.3)).half() + 0.7).float().sum()
        ),
        lambda: (torch.randn(64),),
        intended=True,
    ),
    Report(
        "195214",
        "ties of bfloat16 counted after a division",
        _ties,
        lambda: (_half(4, 64),),
        intended=True,
    ),
    Report(
        "136181",
        "the scale of float8 from bfloat16",
        _fp8_scale,
        lambda: (_half(16, 16, 768),),
        intended=True,
    ),
    Report(
        "173307",
        "the gradient of `gelu` by hand in bfloat16",
        _gelu_gradient,
        lambda: (_half(3, 2, 5),),
        intended=True,
    ),
    Report(
        "183607",
        "a square that overflows float16",
        lambda x: (x.half() * x.half()).float(),
        lambda: (torch.tensor([5000.0]),),
        intended=True,
    ),
    Report(
        "183605",
        "a variance of float16 that underflows",
        lambda x: x * torch.rsqrt(x.var(dim=-1, keepdim=True) + 1e-9),
        lambda: (torch.full((3, 5), 1e-10, dtype=torch.float16),),
        intended=True,
    ),
    Report(
        "131910",
        "negative floats as uint8",
        lambda x: x.byte(),
        lambda: (torch.randn(20) * 3,),
        intended=True,
        target=CPU,
    ),
    Report(
        "138908",
        "`index_put` of two values at one place",
        _one_of_two,
        lambda: (
            torch.zeros(4),
            torch.tensor([1, 1, 2]),
            torch.tensor([5.0, 6.0, 7.0]),
        ),
        intended=True,
    ),
    Report(
        "141753",
        "`11.0 / y`",
        lambda y: 11.0 / y,
        lambda: (torch.tensor([7.0, 3.0]),),
        intended=True,
    ),
    Report(
        "141436",
        "bfloat16 divided by float32",
        lambda a, b: a / b.to(a.dtype).unsqueeze(-1),
        lambda: (_half(1, 6, 16, 4, 8), torch.randn(1, 6, 16, 4)),
        intended=True,
    ),
    Report(
        "148241",
        "the angle of differences that cancel",
        lambda x: torch.atan2(F.tanhshrink(x), F.tanhshrink(x)),
        lambda: (torch.randn(1, 3, 16, 16) * 1e-2,),
        intended=True,
        target=CPU,
    ),
    Report(
        "114224",
        "a sum in another order",
        lambda x: x.sum(),
        lambda: (torch.randn(40000),),
        intended=True,
        target=CPU,
    ),
    Report(
        "168186",
        "halves of a product of bfloat16, added",
        lambda x, w, u: sum(((x @ w) * (x @ u)).chunk(2, -1)),
        lambda: (_half(8, 32), _half(32, 64), _half(32, 64)),
        intended=True,
    ),
    Report(
        "198081",
        "`any` of uint8, times 200, plus 100",
        lambda x: x.any() * 200 + 100,
        lambda: (torch.tensor([0, 3, 0], dtype=torch.uint8),),
    ),
    Report(
        "198102",
        "a write to windows of `unfold` with gaps between them",
        _written_to_windows,
        lambda: (torch.arange(8.0),),
    ),
    Report(
        "196467",
        "`torch.Tensor(x.size())`",
        lambda x: torch.Tensor(x.size()).zero_() + 1,
        lambda: (torch.randn(1, 4),),
        CPU,
    ),
    Report(
        "194547",
        "a sample of a normal distribution of float16 and float32",
        lambda mean, spread: torch.distributions.Normal(mean, spread).sample(),
        lambda: (torch.zeros(64, dtype=torch.float16), torch.ones(64)),
        CPU,
    ),
    Report(
        "193751",
        "`argmax` of a product, channels last",
        lambda x: (x * 2).argmax(),
        lambda: (
            (torch.arange(120.0) * 7 % 120)
            .view(2, 3, 4, 5)
            .to(memory_format=torch.channels_last),
        ),
        CPU,
    ),
    Report(
        "185509",
        "gradients of `interpolate`, `conv2d` and `max_pool2d` behind a mask",
        _resized_and_pooled,
        lambda: (
            torch.randn(1, 2, 6, 7, requires_grad=True),
            torch.randn(3, 2, 3, 3, requires_grad=True),
            torch.rand(1, 3, 6, 7) > 0.5,
        ),
        CPU,
        train=True,
    ),
    Report(
        "188225",
        "`softmax` of constants that are NaN",
        lambda: torch.ones(2, 2).log2().sub(1).arccosh().softmax(-1),
        target=CPU,
    ),
    Report(
        "173054",
        "`hardswish_backward` of bfloat16, plus 1",
        lambda gradient, x: torch.ops.aten.hardswish_backward(gradient, x) + 1,
        lambda: torch.randn(2, 10, 20, dtype=torch.bfloat16).unbind(),
        intended=True,
    ),
    Report(
        "170745",
        "`poisson_nll_loss` of float64",
        lambda x, target: F.poisson_nll_loss(x, target, full=True, reduction="none"),
        lambda: (
            torch.randn(6, 8, dtype=torch.float64) + 2,
            torch.randint(0, 32, (6, 8)),
        ),
        intended=True,
    ),
    Report(
        "174459",
        "`sort` of equal numbers",
        lambda x: torch.sort(x, dim=-1, descending=True),
        lambda: (torch.randint(1, 3, (8, 3)),),
        intended=True,
    ),
)


def by_numerics(report: Report) -> str:
    """What `numerics` says of the program, in some words."""
    from pytest_compile_golden import numerics
    from pytest_compile_golden.errors import CaptureFailed, CompileGoldenError

    torch.manual_seed(0)
    calls = None if report.calls is None else report.calls()
    options: dict[str, Any] = {
        "target": report.target,
        "train": report.train,
        "config": dict(report.config),
        "calls": calls,
    }
    try:
        found = numerics(
            report.program, *(report.inputs() if calls is None else ()), **options
        )
    except CaptureFailed as error:
        return f"fails: {_one_line(error)}"
    except CompileGoldenError as error:
        return f"not compared: {_one_line(error)}"
    if not found and found.first is None:
        return f"a kernel is wrong: {found.findings[0].kind}"
    return _in_words(found)


def _in_words(found: Any) -> str:
    """The verdict, and what differs if it is not a value; what only special values show is no verdict."""
    own = replace(found, found=tuple(each for each in found.found if not each.special))
    kind = own.worst.kind if own.worst is not None else "value"
    return (
        own.verdict
        if kind in ("value", "refusal", "random")
        else f"{own.verdict}: {kind}"
    )


def by_triage(report: Report) -> str:
    """What `triage` says of the program as a script, and the part of the compiler that it names.

    Each run is a fork of this process, which has imported torch.
    """
    import msgspec

    from pytest_compile_golden.features.triage import judge_script, script_runs

    def run(backend: str | None = None) -> script_runs.ScriptRun:
        with tempfile.NamedTemporaryFile(suffix=".json") as into:
            child = os.fork()
            if not child:
                # As its runs have it in their environment.
                torch._inductor.config.force_disable_caches = True
                watch, problem = judge_script.Watch(Path(into.name)), None
                judge_script._watch(watch, backend)
                try:
                    report.script()
                except BaseException as error:
                    problem = f"{type(error).__name__}: {error}"
                watch.write(problem)
                os._exit(0)
            os.waitpid(child, 0)
            return msgspec.json.decode(
                Path(into.name).read_bytes(), type=script_runs.ScriptRun
            )

    def again(how: str, options: dict[str, str]) -> script_runs.ScriptRun:
        if how != "plain":
            return run(options["backend"])
        with mock.patch.object(torch, "compile", lambda program, **_: program):
            return run()

    ran = run()
    part = script_runs._part(ran, again, lambda text: None, "")
    worst = next(
        (check for check in ran.checks if not check), next(iter(ran.checks), None)
    )
    if ran.problem is not None:
        said = f"does not run: {_one_line(ran.problem)}"
    elif worst is None or worst.verdict == "not compared":
        said = f"not compared: {' '.join(worst.not_compared) if worst is not None else 'nothing was called'}"
    else:
        said = _in_words(worst)
    return (
        said
        if part is None
        else f"{said}; due to {script_runs.PARTS[part].partition(':')[0]}"
    )


def by_patterns(report: Report) -> str:
    """The patterns that fire in the program."""
    from pytest_compile_golden import capture
    from pytest_compile_golden.errors import CompileGoldenError
    from pytest_compile_golden.stages import get_stage

    inputs = report.inputs() if report.calls is None else report.calls()[0]
    try:
        options: dict[str, Any] = {
            "target": GPU,
            "train": report.train,
            "config": dict(report.config),
        }
        passes = capture(report.program, *inputs, **options)["passes"].text
    except CompileGoldenError as error:
        return f"does not compile: {_one_line(error)}"
    ran = get_stage("passes").format.read(passes)
    return ", ".join(sorted({match.name for each in ran for match in each.patterns}))


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:160]


def main(arguments: list[str]) -> None:
    """Print what each of them says of the reports with these numbers, or of all."""
    numbers = [argument for argument in arguments if not argument.startswith("--")]
    if "--triage" in arguments:
        # What forks then need not import and find out.
        os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
        torch.compile(lambda x: x + 1)(torch.ones(1))
    for report in REPORTS:
        if numbers and report.number not in numbers:
            continue
        said = {
            "number": report.number,
            "words": report.words,
            "torch": torch.__version__.partition("+")[0],
        }
        if "--triage" in arguments:
            said["triage"] = by_triage(report)
        elif "--patterns" in arguments:
            said["patterns"] = by_patterns(report)
        else:
            said |= {"numerics": by_numerics(report)}
        print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
