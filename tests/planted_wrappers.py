"""Wrong wrapper code: edited around the kernels to read a buffer whose memory belongs to another one by then."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

Edit = Callable[[str], str]


@dataclass(frozen=True)
class WrongWrapper:
    """A program on two square matrices, and an edit that makes its wrapper code wrong."""

    name: str
    program: Callable[..., Any]
    edit: Edit
    reader: str
    """The kernel or library call that the finding names."""
    kind: str
    """The finding's kind."""
    line: str
    """Part of the line that the finding names: a line of the kernel, or of the wrapper if no kernel reads."""
    text: str
    """Part of the message."""
    config: dict[str, Any] = field(default_factory=dict)


def replaced(old: str, new: str) -> Edit:
    """Replace the first match of a regular expression whose dots also match newlines."""
    return lambda text: re.sub(old, new, text, count=1, flags=re.S)


def chained(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Kernels that work in place between library calls."""
    first = (x @ y).relu()
    second = (first @ y).sin()
    return (second @ y).exp() + first


def flipped(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Kernels that cannot work in place, and reuse memory that is free by then."""
    first = (x @ y).flip(0)
    return (first @ y).flip(0) @ y


def reversed_and_doubled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """An input is read by one kernel and written to by the next."""
    flipped = x.flip(0) + y
    x.mul_(2)
    return flipped


PLANNED = {"memory_planning": True}
NEW_BUF4 = r"buf4 = empty_strided_cuda\([^\n]*"
MM = "the library call aten.mm.out"
WRONG_WRAPPERS = (
    WrongWrapper(
        "reused while it is needed",
        chained,
        replaced(NEW_BUF4, "buf4 = buf1;  # reuse"),
        "triton_poi_fused_add_exp_2",
        "reused",
        "tl.load(in_ptr0",
        f"reads memory that has belonged to buf4 since {MM} wrote to it: 1024 elements, the first 0",
    ),
    WrongWrapper(
        "reused while a view is needed",
        chained,
        replaced(
            rf"( *){NEW_BUF4}",
            r"\1kept = reinterpret_tensor(buf1, (32, 32), (1, 32), 0)"
            "\n"
            r"\1buf4 = buf1; buf1 = kept  # reuse",
        ),
        "triton_poi_fused_add_exp_2",
        "reused",
        "tl.load(in_ptr0",
        "has belonged to buf4 since",
    ),
    WrongWrapper(
        "occupied offset in a pool",
        chained,
        replaced(r"buf4 = alloc_from_pool\([^\n]*", "buf4 = buf0  # alloc"),
        "triton_poi_fused_add_exp_2",
        "reused",
        "tl.load(in_ptr0",
        "has belonged to buf4 since",
        PLANNED,
    ),
    WrongWrapper(
        "overlapping offsets in a pool",
        chained,
        replaced(r"(buf2 = alloc_from_pool\(pool1), 4096", r"\1, 2048"),
        "triton_poi_fused_add_exp_2",
        "reused",
        "tl.load(in_ptr0",
        "has belonged to buf3 since triton_poi_fused_sin_1 (line",
        PLANNED,
    ),
    WrongWrapper(
        "old name in a library call",
        chained,
        replaced(r"buf3 = buf2; del buf2(.*?)mm\(buf3", r"buf3 = buf2;\1mm(buf2"),
        MM,
        "reused",
        "extern_kernels.mm(buf2",
        "reads memory that has belonged to buf3 since triton_poi_fused_sin_1 (line",
    ),
    WrongWrapper(
        "lost launch",
        flipped,
        replaced(r"triton_poi_fused_flip_0\.run\(buf2, [^\n]*", "pass"),
        MM,
        "unwritten",
        "extern_kernels.mm(buf3, ",
        "reads memory that was never written: 1024 elements",
    ),
    WrongWrapper(
        "freed while it is needed",
        chained,
        replaced(rf"({NEW_BUF4})", r"\1; del buf1"),
        "the wrapper code",
        "reused",
        "triton_poi_fused_add_exp_2.run(buf5, buf1",
        "reads buf1, which it has already freed",
    ),
    WrongWrapper(
        "written to before it is read",
        reversed_and_doubled,
        replaced(
            r"(triton_poi_fused_add_flip_0\.run[^\n]*)(.*?)(triton_\w+_mul_1\.run[^\n]*)",
            r"\3; \1\2pass",
        ),
        "triton_poi_fused_add_flip_0",
        "value",
        "tl.store(out_ptr0",
        "it reads arg0_1, which triton_poi_fused_copy__mul_1 (line",
    ),
)
