"""A program for torch.export to save and load: `python exported.py FILE` in this folder writes it."""

from __future__ import annotations

import sys

import torch
from torch import Tensor, nn
from torch.export import Dim


class Saved(nn.Module):
    """A parameter, a buffer that is written to, and a size that varies."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 4))
        self.register_buffer("calls", torch.zeros(4))

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        return torch.relu(x @ self.weight)


SIZES = {"x": {0: Dim("batch", min=2, max=64)}}


if __name__ == "__main__":
    torch.export.save(
        torch.export.export(Saved(), (torch.randn(8, 4),), dynamic_shapes=SIZES),
        sys.argv[1],
    )
