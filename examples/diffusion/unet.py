"""A small denoiser with the parts of a UNet: convolutions with group norms, attention, and a time embedding."""

import torch
import torch.nn.functional as F
from torch import nn


class ResnetBlock(nn.Module):
    def __init__(self, channels, time):
        super().__init__()
        self.norm_1, self.norm_2 = nn.GroupNorm(8, channels), nn.GroupNorm(8, channels)
        self.conv_1, self.conv_2 = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        self.time = nn.Linear(time, channels)

    def forward(self, x, embedding):
        h = self.conv_1(F.silu(self.norm_1(x)))
        h = h + self.time(F.silu(embedding))[:, :, None, None]
        return x + self.conv_2(F.silu(self.norm_2(h)))


class AttentionBlock(nn.Module):
    def __init__(self, channels, heads=4):
        super().__init__()
        self.norm, self.heads = nn.GroupNorm(8, channels), heads
        self.qkv, self.out = nn.Linear(channels, 3 * channels), nn.Linear(channels, channels)

    def forward(self, x):
        batch, channels, height, width = x.shape
        h = self.norm(x).flatten(2).transpose(1, 2)
        q, k, v = self.qkv(h).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        h = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        return x + self.out(h).transpose(1, 2).reshape(batch, channels, height, width)


class Denoiser(nn.Module):
    _repeated_blocks = ("ResnetBlock",)

    def __init__(self, channels=64, time=128, depth=2):
        super().__init__()
        self.first, self.last = nn.Conv2d(4, channels, 3, padding=1), nn.Conv2d(channels, 4, 3, padding=1)
        self.blocks = nn.ModuleList(ResnetBlock(channels, time) for _ in range(depth))
        self.attention = AttentionBlock(channels)
        self.time = nn.Linear(time, time)

    def forward(self, sample, timestep):
        half = self.time.in_features // 2
        angles = timestep[:, None] * torch.exp(-torch.arange(half, device=sample.device) * 9.21 / half)
        embedding = self.time(torch.cat([angles.sin(), angles.cos()], -1))
        h = self.first(sample)
        for block in self.blocks:
            h = block(h, embedding)
        return self.last(F.silu(self.attention(h)))
