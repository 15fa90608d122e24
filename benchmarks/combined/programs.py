"""Small programs of many kinds; most have parts that have nothing to do with each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Made = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True)
class Program:
    """What is compiled, made anew for each compile."""

    make: Callable[[], Made]
    train: bool = False
    dynamic: bool | None = None

    @property
    def name(self) -> str:
        return self.make.__name__


def _grad(*sizes: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*sizes, dtype=dtype, requires_grad=True)


def norms_of_a_residual() -> Made:
    def f(x: Tensor, y: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        z = x + F.gelu(y)
        normed = F.layer_norm(z, (256,), w, b)
        return normed * 1.0 + x.mean(-1, keepdim=True), F.silu(z).sum(0)

    return f, (_grad(128, 256), _grad(128, 256), _grad(256), _grad(256))


def rms_norm_of_halves() -> Made:
    def f(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        wide = x.float()
        scaled = wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-6)
        return (scaled * w).to(x.dtype), wide.abs().amax(0)

    return f, (_grad(64, 512, dtype=torch.bfloat16), _grad(512))


def group_norm_of_images() -> Made:
    def f(x: Tensor, w: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
        y = F.silu(F.group_norm(x, 8, w, b))
        return F.max_pool2d(y, 2), F.avg_pool2d(x, 3, 1, 1)

    return f, (_grad(4, 32, 16, 16), _grad(32), _grad(32))


def convolutions() -> Made:
    first, second = nn.Conv2d(8, 16, 3, padding=1), nn.Conv2d(16, 16, 1)
    norm = nn.BatchNorm2d(16)

    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        y = F.relu(norm(first(x)))
        return F.gelu(second(y)).mean((2, 3)), x.permute(0, 2, 3, 1).contiguous() * 2

    return f, (_grad(4, 8, 32, 32),)


def losses() -> Made:
    def f(logits: Tensor, target: Tensor, x: Tensor, y: Tensor) -> Tensor:
        smooth = F.smooth_l1_loss(x, y) + F.mse_loss(x * 1.0, y)
        kl = F.kl_div(F.log_softmax(x, -1), F.softmax(y, -1), reduction="batchmean")
        return F.cross_entropy(logits, target) + smooth + kl

    target = torch.randint(0, 300, (64,))
    return f, (_grad(64, 300), target, _grad(64, 128), _grad(64, 128))


def binary_losses() -> Made:
    def f(x: Tensor, y: Tensor) -> Tensor:
        p = torch.sigmoid(x)
        focal = (1 - p).pow(2) * F.binary_cross_entropy_with_logits(
            x, y, reduction="none"
        )
        return focal.sum(1).mean() + F.huber_loss(p, y) + p.log().clamp(min=-4).mean()

    return f, (_grad(64, 200), torch.rand(64, 200))


def attention_by_hand() -> Made:
    def f(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
        scores = q @ k.transpose(-2, -1) / 8.0
        scores = scores.masked_fill(mask, float("-inf"))
        return F.dropout(torch.softmax(scores, -1), 0.1) @ v

    mask = torch.ones(64, 64, dtype=torch.bool).triu(1)
    return f, (_grad(2, 4, 64, 64), _grad(2, 4, 64, 64), _grad(2, 4, 64, 64), mask)


def attention_fused() -> Made:
    def f(x: Tensor, w: Tensor) -> Tensor:
        q, k, v = (x @ w).view(2, 64, 3, 4, 32).permute(2, 0, 3, 1, 4).unbind(0)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return out.transpose(1, 2).reshape(2, 64, 128) + F.gelu(x)

    return f, (_grad(2, 64, 128), _grad(128, 384))


def embeddings() -> Made:
    def f(tokens: Tensor, table: Tensor, places: Tensor) -> tuple[Tensor, Tensor]:
        x = F.embedding(tokens, table) * 4.0 + places
        return F.layer_norm(x, (64,)), torch.tanh(x).sum((0, 1))

    return f, (torch.randint(0, 100, (8, 32)), _grad(100, 64), _grad(32, 64))


def adam_step() -> Made:
    def f(p: Tensor, g: Tensor, m: Tensor, v: Tensor) -> Tensor:
        m.lerp_(g, 0.1)
        v.mul_(0.99).addcmul_(g, g, value=0.01)
        p.addcdiv_(m / 0.9, (v / 0.5).sqrt().add_(1e-8), value=-1e-3)
        return g.norm() + p.abs().max()

    return f, tuple(torch.randn(128, 256) for _ in range(4))


def optimizer_of_a_list() -> Made:
    parameters = [nn.Parameter(torch.randn(64, 32 * n)) for n in (1, 2, 3)]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3, foreach=True)

    def f(x: Tensor) -> Tensor:
        for each in parameters:
            each.grad = each.detach() * x
        optimizer.step()
        return x.exp() + 1

    return f, (torch.randn(()),)


def scans() -> Made:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        total = torch.cumsum(x * 0.5, -1)
        return total / (1 + y.abs().sum(-1, keepdim=True)), torch.cumprod(
            torch.sigmoid(y), 0
        )

    return f, (torch.randn(64, 256), torch.randn(64, 256))


def indexing() -> Made:
    def f(x: Tensor, index: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        picked = x[index] * torch.cos(y)
        added = torch.zeros_like(x).index_add(0, index, picked)
        return added + x, torch.gather(y, 1, (index % 64)[:, None].expand(-1, 8))

    return f, (_grad(100, 64), torch.randint(0, 100, (48,)), _grad(48, 64))


def scattered() -> Made:
    def f(x: Tensor, row: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
        z = torch.select_scatter(torch.exp(x) + y, row, 0, 3)
        w = torch.slice_scatter(y.sin(), row.expand(8, 64), 0, 8, 16)
        return z * 2, w.sum(-1)

    return f, (torch.randn(32, 64), torch.randn(64), torch.randn(32, 16).repeat(1, 4))


def cat_pad_split() -> Made:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        a, b, c = torch.split(F.pad(x, (1, 1, 0, 0)), [86, 86, 86], 1)
        joined = torch.cat([a.relu(), y, c.sigmoid()], 1)
        d, e = torch.split(joined, [100, joined.shape[1] - 100], 1)
        return torch.cat([e, d], 1) + 1, b.tanh(), torch.stack([y, y * 2]).sum(0)

    return f, (torch.randn(64, 256), torch.randn(64, 40))


def reductions_over_axes() -> Made:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        z = torch.exp(x) * y
        return (
            z.sum((0, 2)),
            z.amax(1),
            x.var(-1),
            (x - x.mean((0, 1), keepdim=True)).square().mean(),
        )

    return f, (torch.randn(16, 64, 128), torch.randn(16, 64, 128))


def one_long_reduction() -> Made:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return (x * y).sum(), torch.log(x.abs() + 1).mean(), y.max(0).values * 2

    return f, (torch.randn(512, 512), torch.randn(512, 512))


def clamp_and_where() -> Made:
    def f(x: Tensor, y: Tensor, low: Tensor) -> tuple[Tensor, Tensor]:
        z = torch.where(x > 0, x.clamp(0.1, 0.9), torch.lerp(x, y, 0.3))
        z = torch.maximum(z, low) * 1 + 0
        return z.pow(2) + z.reciprocal(), torch.where(y.isnan(), 0.0, y).sum(1)

    return f, (_grad(64, 128), _grad(64, 128), _grad(128))


def feed_forward() -> Made:
    up, down, gate = nn.Linear(64, 256), nn.Linear(256, 64), nn.Linear(64, 256)

    def f(x: Tensor) -> Tensor:
        hidden = F.dropout(F.silu(gate(x)) * up(x), 0.2)
        return F.layer_norm(down(hidden) + x, (64,))

    return f, (_grad(32, 64),)


def autocast_block() -> Made:
    layer = nn.Linear(128, 128)

    def f(x: Tensor) -> Tensor:
        with torch.autocast("cuda", torch.bfloat16):
            y = F.gelu(layer(x))
        return F.softmax(y.float(), -1) + x.half().float()

    return f, (_grad(64, 128),)


def views_and_permutes() -> Made:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        z = x.permute(2, 0, 1).contiguous() + 1
        w = (y.transpose(0, 1) * 2).reshape(64, -1)
        return z.view(32, -1).softmax(-1), w.cos() + w.sum(0), z.flip(0) * z

    return f, (torch.randn(16, 24, 32), torch.randn(48, 64, 2))


def in_place() -> Made:
    def f(x: Tensor, y: Tensor, buffer: Tensor) -> tuple[Tensor, Tensor]:
        buffer[:, 16:48] = torch.exp(x)
        x.add_(y.sin()).mul_(0.5)
        return buffer.sum(1), torch.relu(x) @ y.T

    return f, (torch.randn(64, 32), torch.randn(64, 32), torch.randn(64, 64))


def far_from_backward() -> Made:
    def f(x: Tensor, w: Tensor) -> Tensor:
        y = torch.sin(x @ w)
        for _ in range(3):
            y = torch.tanh(torch.cos(y) * torch.sigmoid(y) @ w) + y.exp()
        return F.softmax(y, -1).log().sum(-1)

    return f, (_grad(64, 64), _grad(64, 64))


def long_chains() -> Made:
    def f(x: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        z = x
        for step in range(12):
            z = torch.sin(z) * y + torch.erf(z - step)
        return z, z.sum(-1), torch.sqrt(z.abs() + y.exp())

    return f, (torch.randn(64, 128), torch.randn(64, 128))


def any_batch() -> Made:
    def f(x: Tensor, w: Tensor) -> tuple[Tensor, Tensor]:
        y = F.softmax(x @ w, -1)
        return y * x.shape[0], F.gelu(x).sum(0)

    return f, (torch.randn(48, 64), torch.randn(64, 64))


def upsampled() -> Made:
    def f(x: Tensor) -> tuple[Tensor, Tensor]:
        y = F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)
        z = F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False)
        return y + z.exp(), F.adaptive_avg_pool2d(z, 4)

    return f, (torch.randn(2, 8, 16, 16),)


def two_towers() -> Made:
    left, right = nn.Linear(64, 96), nn.Linear(48, 96)

    def f(x: Tensor, y: Tensor) -> Tensor:
        a, b = (
            F.normalize(left(x).tanh(), dim=-1),
            F.normalize(F.silu(right(y)), dim=-1),
        )
        scores = a @ b.T * 10
        return F.cross_entropy(scores, torch.arange(32, device=scores.device))

    return f, (_grad(32, 64), _grad(32, 48))


PROGRAMS = (
    Program(scans),
    Program(scattered),
    Program(cat_pad_split),
    Program(reductions_over_axes),
    Program(long_chains),
    Program(views_and_permutes),
    Program(in_place),
    Program(adam_step),
    Program(one_long_reduction),
    Program(any_batch, dynamic=True),
    Program(upsampled),
    Program(norms_of_a_residual, train=True),
    Program(rms_norm_of_halves, train=True),
    Program(group_norm_of_images, train=True),
    Program(clamp_and_where, train=True),
    Program(feed_forward, train=True),
    Program(embeddings, train=True),
    Program(indexing, train=True),
    Program(two_towers, train=True),
    Program(losses, train=True),
    Program(binary_losses, train=True),
    Program(attention_by_hand, train=True),
    Program(autocast_block, train=True),
    Program(convolutions, train=True),
    Program(far_from_backward, train=True),
    Program(attention_fused, train=True),
    Program(optimizer_of_a_list),
)
