"""Whole models that are short enough to be written out: recommendation, a graph, text, and image diffusion."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from pytest_compile_golden.typing import CompileStages, Golden

pytestmark = pytest.mark.compile_golden(target="cuda-sm90")

ATTENTION = "aten._scaled_dot_product_cudnn_attention"


class Dlrm(nn.Module):
    """Each table yields a vector, and so do the numbers; each pair of vectors interacts by dot product."""

    def __init__(self, tables: int, rows: int = 100_000, width: int = 128, numbers: int = 13) -> None:
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(rows, width, mode="sum") for _ in range(tables))
        self.bottom = nn.Sequential(nn.Linear(numbers, 512), nn.ReLU(), nn.Linear(512, width), nn.ReLU())
        pairs = tables * (tables + 1) // 2
        self.top = nn.Sequential(nn.Linear(width + pairs, 512), nn.ReLU(), nn.Linear(512, 1))

    def forward(self, numbers: Tensor, ids: Tensor) -> Tensor:
        dense = self.bottom(numbers)
        vectors = torch.stack([dense, *(table(ids[:, at]) for at, table in enumerate(self.tables))], 1)
        row, column = torch.tril_indices(vectors.shape[1], vectors.shape[1], -1, device=vectors.device)
        agreement = (vectors @ vectors.transpose(1, 2))[:, row, column]
        return torch.sigmoid(self.top(torch.cat([dense, agreement], 1)))


def test_dlrm(compile_stages: CompileStages, golden: Golden) -> None:
    """Nothing breaks the graph: neither the list of tables nor the pairs."""
    ids = torch.randint(0, 100_000, (512, 4, 4))
    captured = compile_stages(Dlrm(tables=4).eval(), torch.randn(512, 13), ids)
    assert captured.metrics.graph_breaks == 0
    assert captured.metrics == golden


class GraphConvolution(nn.Module):
    """A node is updated with the mean over the nodes with an edge to it."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.own, self.others = nn.Linear(width, width), nn.Linear(width, width, bias=False)

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        source, goal = edges
        total = torch.zeros_like(nodes).index_add(0, goal, nodes[source])
        degree = torch.zeros_like(nodes[:, 0]).index_add(0, goal, torch.ones_like(goal, dtype=nodes.dtype))
        return F.relu(self.own(nodes) + self.others(total / degree.clamp(min=1).unsqueeze(-1)))


class GraphNetwork(nn.Module):
    def __init__(self, layers: int, width: int = 128) -> None:
        super().__init__()
        self.layers = nn.ModuleList(GraphConvolution(width) for _ in range(layers))

    def forward(self, nodes: Tensor, edges: Tensor) -> Tensor:
        for layer in self.layers:
            nodes = layer(nodes, edges)
        return nodes


def test_graph_network(compile_stages: CompileStages, golden: Golden) -> None:
    """Each layer adds along the edges with atomics and does two matmuls; nothing falls back."""
    edges = torch.randint(0, 2708, (2, 10556))
    for layers in (1, 2):
        captured = compile_stages(GraphNetwork(layers).eval(), torch.randn(2708, 128), edges)
        assert captured.metrics.graph_breaks == 0
        assert captured.metrics.extern_kernels == 2 * layers
    assert captured.metrics == golden


class NanoGptBlock(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in self.qkv(self.norm1(x)).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(attended.transpose(1, 2).flatten(-2))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class NanoGpt(nn.Module):
    def __init__(self, layers: int, width: int = 768, heads: int = 12, words: int = 50304, length: int = 1024) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(*(NanoGptBlock(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, tokens: Tensor, following: Tensor) -> Tensor:
        x = self.words(tokens) + self.places.weight[: tokens.shape[1]]
        logits = self.head(self.norm(self.blocks(x)))
        return F.cross_entropy(logits.flatten(0, 1), following.flatten())


def test_nano_gpt_training(compile_stages: CompileStages, golden: Golden) -> None:
    """Each layer attends once forward and once backward."""
    tokens = torch.randint(0, 50304, (2, 2, 1024))
    for layers in (1, 2):
        captured = compile_stages(NanoGpt(layers).to(torch.bfloat16), *tokens, train=True)
        assert captured.metrics.graph_breaks == 0
        assert captured["forward_graph"].count(ATTENTION) == layers
        assert captured["backward_graph"].count(f"{ATTENTION}_backward") == layers
    assert captured.metrics == golden


class DitBlock(nn.Module):
    """A transformer block whose norms are shifted, scaled and gated by the conditioning."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.norm2 = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.modulation = nn.Linear(width, 6 * width)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        shift1, scale1, gate1, shift2, scale2, gate2 = self.modulation(F.silu(condition)).unsqueeze(1).chunk(6, -1)
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.qkv(self.norm1(x) * (1 + scale1) + shift1).chunk(3, -1)
        )
        attended = F.scaled_dot_product_attention(query, key, value)
        x = x + gate1 * self.out(attended.transpose(1, 2).flatten(-2))
        hidden = F.gelu(self.up(self.norm2(x) * (1 + scale2) + shift2), approximate="tanh")
        return x + gate2 * self.down(hidden)


class Dit(nn.Module):
    def __init__(self, layers: int, width: int = 1152, heads: int = 16) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(DitBlock(width, heads) for _ in range(layers))

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x, condition)
        return x


def test_dit(compile_stages: CompileStages, golden: Golden) -> None:
    """Three kernels per layer are neither matmuls nor attention; they contain the shifts, scales and gates."""
    x, condition = torch.randn(2, 256, 1152, dtype=torch.bfloat16), torch.randn(2, 1152, dtype=torch.bfloat16)
    for layers in (1, 2):
        captured = compile_stages(Dit(layers).to(torch.bfloat16).eval(), x, condition)
        assert captured.metrics.graph_breaks == 0
        assert captured["post_grad_graph"].count(ATTENTION) == layers
        assert captured.metrics.kernels == 2 + 3 * layers
    assert captured.metrics == golden


class Resnet(nn.Module):
    """Two convolutions; in between, the diffusion step is added to each channel."""

    def __init__(self, width: int, step: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.GroupNorm(32, width), nn.GroupNorm(32, width)
        self.conv1, self.conv2 = nn.Conv2d(width, width, 3, padding=1), nn.Conv2d(width, width, 3, padding=1)
        self.step = nn.Linear(step, width)

    def forward(self, x: Tensor, step: Tensor) -> Tensor:
        hidden = self.conv1(F.silu(self.norm1(x))) + self.step(F.silu(step))[:, :, None, None]
        return x + self.conv2(F.silu(self.norm2(hidden)))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.out = nn.Linear(width, width, bias=False), nn.Linear(width, width)
        self.key, self.value = nn.Linear(context, width, bias=False), nn.Linear(context, width, bias=False)

    def forward(self, x: Tensor, context: Tensor) -> Tensor:
        query, key, value = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in (self.query(x), self.key(context), self.value(context))
        )
        return self.out(F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(-2))


class SpatialTransformer(nn.Module):
    """Each position in the image attends to all the others, and to the text."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.norm = nn.GroupNorm(32, width, eps=1e-6)
        self.into, self.out = nn.Conv2d(width, width, 1), nn.Conv2d(width, width, 1)
        self.norm1, self.norm2, self.norm3 = nn.LayerNorm(width), nn.LayerNorm(width), nn.LayerNorm(width)
        self.itself, self.text = Attention(width, heads, width), Attention(width, heads, context)
        self.up, self.down = nn.Linear(width, 8 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor, text: Tensor) -> Tensor:
        hidden = self.into(self.norm(x)).flatten(2).transpose(1, 2)
        normed = self.norm1(hidden)
        hidden = hidden + self.itself(normed, normed)
        hidden = hidden + self.text(self.norm2(hidden), text)
        value, gate = self.up(self.norm3(hidden)).chunk(2, -1)
        hidden = hidden + self.down(value * F.gelu(gate))
        return x + self.out(hidden.transpose(1, 2).unflatten(2, x.shape[2:]))


class UNetStage(nn.Module):
    """The first stage of Stable Diffusion 1.5's UNet, on the way down."""

    def __init__(self, layers: int, width: int = 320, heads: int = 8, context: int = 768) -> None:
        super().__init__()
        self.resnets = nn.ModuleList(Resnet(width, 4 * width) for _ in range(layers))
        self.attentions = nn.ModuleList(SpatialTransformer(width, heads, context) for _ in range(layers))
        self.smaller = nn.Conv2d(width, width, 3, stride=2, padding=1)

    def forward(self, x: Tensor, step: Tensor, text: Tensor) -> Tensor:
        for resnet, attention in zip(self.resnets, self.attentions, strict=True):
            x = attention(resnet(x, step), text)
        return self.smaller(x)


def test_unet(compile_stages: CompileStages, golden: Golden) -> None:
    """Each layer has four convolutions, eleven matmuls and two attentions as calls."""
    x, step, text = torch.randn(2, 320, 64, 64), torch.randn(2, 1280), torch.randn(2, 77, 768)
    for layers in (1, 2):
        model = UNetStage(layers).to(torch.float16).eval()
        captured = compile_stages(model, *(each.to(torch.float16) for each in (x, step, text)))
        assert captured.metrics.graph_breaks == 0
        assert captured["post_grad_graph"].count("aten.convolution") == 1 + 4 * layers
        assert sum(captured["post_grad_graph"].count(f"aten.{name}") for name in ("mm", "addmm", "bmm")) == 11 * layers
        assert captured["post_grad_graph"].count(ATTENTION) == 2 * layers
    assert captured.metrics == golden


class JointBlock(nn.Module):
    """Image and text have separate weights and attend to both: the block of Stable Diffusion 3."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.modulation = nn.ModuleList(nn.Linear(width, 6 * width) for _ in range(2))
        self.qkv = nn.ModuleList(nn.Linear(width, 3 * width) for _ in range(2))
        self.out = nn.ModuleList(nn.Linear(width, width) for _ in range(2))
        self.up = nn.ModuleList(nn.Linear(width, 4 * width) for _ in range(2))
        self.down = nn.ModuleList(nn.Linear(4 * width, width) for _ in range(2))

    def forward(self, streams: tuple[Tensor, Tensor], condition: Tensor) -> tuple[Tensor, ...]:
        shape = streams[0].shape[-1:]
        modulations = [each(F.silu(condition)).unsqueeze(1).chunk(6, -1) for each in self.modulation]
        normed = [
            F.layer_norm(x, shape, eps=1e-6) * (1 + m[1]) + m[0] for x, m in zip(streams, modulations, strict=True)
        ]
        parts = [qkv(x).unflatten(-1, (3, self.heads, -1)) for qkv, x in zip(self.qkv, normed, strict=True)]
        query, key, value = torch.cat(parts, 1).permute(2, 0, 3, 1, 4)
        attended = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(-2)
        made = []
        for at, part in enumerate(attended.split([x.shape[1] for x in streams], 1)):
            _, _, gate1, shift2, scale2, gate2 = modulations[at]
            x = streams[at] + gate1 * self.out[at](part)
            hidden = F.layer_norm(x, shape, eps=1e-6) * (1 + scale2) + shift2
            made.append(x + gate2 * self.down[at](F.gelu(self.up[at](hidden), approximate="tanh")))
        return tuple(made)


class MmDit(nn.Module):
    def __init__(self, layers: int, width: int = 1536, heads: int = 24) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(JointBlock(width, heads) for _ in range(layers))

    def forward(self, image: Tensor, text: Tensor, condition: Tensor) -> tuple[Tensor, ...]:
        streams: tuple[Tensor, ...] = (image, text)
        for block in self.blocks:
            streams = block(streams, condition)
        return streams


def test_mmdit(compile_stages: CompileStages, golden: Golden) -> None:
    """Both streams attend in one call; each has five matmuls of its own."""
    inputs = [torch.randn(2, *shape, dtype=torch.bfloat16) for shape in ((1024, 1536), (154, 1536), (1536,))]
    for layers in (1, 2):
        captured = compile_stages(MmDit(layers).to(torch.bfloat16).eval(), *inputs)
        assert captured.metrics.graph_breaks == 0
        assert captured["post_grad_graph"].count(ATTENTION) == layers
        assert captured.metrics.extern_kernels == 11 * layers
    assert captured.metrics == golden
