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


def rotary_attention() -> Made:
    def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = x.chunk(2, -1)
        return x * cos + torch.cat([-b, a], -1) * sin

    def f(x: Tensor, w: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q, k, v = (x @ w).view(2, 64, 3, 4, 32).permute(2, 0, 3, 1, 4).unbind(0)
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        scores = q @ k.transpose(-2, -1) * 32**-0.5
        out = torch.softmax(scores.float(), -1).to(v.dtype) @ v
        return out.transpose(1, 2).reshape(2, 64, 128) + x

    angles = torch.outer(torch.arange(64.0), torch.rand(16)).repeat(1, 2)
    return f, (_grad(2, 64, 128), _grad(128, 384), angles.cos(), angles.sin())


def residual_convolutions() -> Made:
    first, second = nn.Conv2d(16, 16, 3, padding=1), nn.Conv2d(16, 16, 3, padding=1)
    norms = nn.BatchNorm2d(16), nn.BatchNorm2d(16)

    def f(x: Tensor) -> Tensor:
        y = F.relu(norms[0](first(x)))
        y = F.relu(norms[1](second(y)) + x)
        squeezed = torch.sigmoid(y.mean((2, 3), keepdim=True))
        return F.adaptive_avg_pool2d(y * squeezed, 1).flatten(1)

    return f, (_grad(4, 16, 16, 16),)


def routed_experts() -> Made:
    def f(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
        weights, chosen = torch.topk(torch.softmax(x @ gate, -1), 2)
        weights = weights / weights.sum(-1, keepdim=True)
        share = F.one_hot(chosen, 4).to(x.dtype).sum(1).mean(0)
        mixed = x.new_zeros(64, 4).scatter(1, chosen, weights)
        hidden = F.silu(torch.einsum("td,edh->teh", x, up))
        out = torch.einsum("teh,ehd->ted", hidden, down)
        return (out * mixed[..., None]).sum(1) + x * share.square().sum()

    return f, (_grad(64, 32), _grad(32, 4), _grad(4, 32, 48), _grad(4, 48, 32))


def packed_sequences() -> Made:
    def f(x: Tensor, kept: Tensor, lengths: Tensor) -> tuple[Tensor, ...]:
        places = torch.cumsum(kept.long(), 0) - 1
        packed = torch.zeros_like(x)
        packed[places] = torch.tanh(x) * kept[:, None]
        starts = torch.cumsum(lengths, 0) - lengths
        sums = x.new_zeros(8, 64).scatter_add(
            0, (places % 8)[:, None].expand(-1, 64), x.exp()
        )
        return packed, x[starts] + sums, torch.logcumsumexp(x, 1)

    lengths = torch.full((8,), 16)
    return f, (torch.randn(128, 64), torch.rand(128) > 0.3, lengths)


def token_losses() -> Made:
    head = nn.Linear(64, 200)

    def f(x: Tensor, tokens: Tensor, scale: Tensor) -> Tensor:
        logits = torch.tanh(head(x) / 30) * 30
        wanted = torch.where(tokens < 5, -100, tokens)
        loss = F.cross_entropy(logits, wanted, ignore_index=-100, label_smoothing=0.1)
        log_z = torch.logsumexp(logits, -1)
        return loss + 1e-4 * log_z.square().mean() + F.gelu(x * scale).abs().mean()

    return f, (_grad(96, 64), torch.randint(0, 200, (96,)), _grad(64))


def norms_of_a_decoder() -> Made:
    up, gate, down = (
        nn.Linear(*sizes, bias=False, dtype=torch.bfloat16)
        for sizes in ((128, 192), (128, 192), (192, 128))
    )

    def normed(x: Tensor, weight: Tensor) -> Tensor:
        wide = x.float()
        scaled = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + 1e-6)
        return weight * scaled.to(x.dtype)

    def f(x: Tensor, first: Tensor, second: Tensor) -> Tensor:
        x = x + F.gelu(normed(x, first), approximate="tanh")
        y = normed(x, second)
        return x + down(F.silu(gate(y)) * up(y))

    weights = (_grad(128, dtype=torch.bfloat16) for _ in range(2))
    return f, (_grad(96, 128, dtype=torch.bfloat16), *weights)


def dequantised_linear() -> Made:
    def f(x: Tensor, w: Tensor, scales: Tensor, zeros: Tensor) -> tuple[Tensor, Tensor]:
        wide = (w.to(x.dtype).view(96, 4, 32) - zeros[..., None]) * scales[..., None]
        y = F.silu(x @ wide.view(96, 128).t())
        largest = y.abs().amax(-1, keepdim=True).clamp(min=1e-5) / 127
        return torch.round(y / largest).clamp(-128, 127).to(torch.int8), largest

    w = torch.randint(-128, 127, (96, 128), dtype=torch.int8)
    x, scales, zeros = torch.randn(64, 128), torch.rand(96, 4), torch.rand(96, 4)
    return f, (x, w, scales, zeros)


def bags_of_features() -> Made:
    table, top = nn.EmbeddingBag(200, 32, mode="sum"), nn.Linear(42, 16)

    def f(ids: Tensor, offsets: Tensor, dense: Tensor) -> Tensor:
        rows = torch.stack(
            [table(ids, offsets), torch.tanh(dense), dense * 1.0, dense], 1
        )
        i, j = torch.triu_indices(4, 4, device=ids.device)
        pairs = torch.bmm(rows, rows.transpose(1, 2))[:, i, j]
        return F.silu(top(torch.cat([dense, pairs], 1))).sum(1)

    return f, (torch.randint(0, 200, (96,)), torch.arange(0, 96, 4), _grad(24, 32))


def recurrent_steps() -> Made:
    cell = nn.LSTMCell(32, 48)

    def f(x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        for step in range(3):
            h, c = cell(x[step], (h, c))
        return F.layer_norm(h, (48,)), torch.sigmoid(c).mean(-1)

    return f, (_grad(3, 64, 32), _grad(64, 48), _grad(64, 48))


def resized_features() -> Made:
    mix = nn.Conv2d(8, 8, 1)

    def f(low: Tensor, high: Tensor) -> tuple[Tensor, Tensor]:
        up = F.interpolate(low, size=(24, 24), mode="bilinear", align_corners=True)
        mixed = F.silu(mix(up + high * 1.0))
        near = F.interpolate(mixed, scale_factor=2.0, mode="nearest")
        return near, F.avg_pool2d(F.pad(mixed, (1, 1, 1, 1), mode="reflect"), 2).exp()

    return f, (_grad(2, 8, 12, 12), _grad(2, 8, 24, 24))


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
    Program(packed_sequences),
    Program(dequantised_linear),
    Program(rotary_attention, train=True),
    Program(residual_convolutions, train=True),
    Program(routed_experts, train=True),
    Program(token_losses, train=True),
    Program(norms_of_a_decoder, train=True),
    Program(bags_of_features, train=True),
    Program(recurrent_steps, train=True),
    Program(resized_features, train=True),
)
