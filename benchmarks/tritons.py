"""How a given Triton compiles a few kernels: `PYTHONPATH=FOLDER_OF_A_TRITON python -m benchmarks.tritons`.

Needs only Triton: no torch and no GPU. Prints how often certain instructions occur in the PTX of each kernel.
"""

from __future__ import annotations

import re
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def sum_of_rows(x, out, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    """A tile loaded through a tensor descriptor (TMA), summed along its rows."""
    descriptor = tl.make_tensor_descriptor(
        x, [rows, columns], [columns, 1], [HEIGHT, WIDTH]
    )
    at = tl.program_id(0) * HEIGHT
    tl.store(out + at + tl.arange(0, HEIGHT), tl.sum(descriptor.load([at, 0]), 1))


@triton.jit
def sum_of_columns(x, out, rows, columns, HEIGHT: tl.constexpr, WIDTH: tl.constexpr):  # type: ignore[no-untyped-def]
    """The same tile, summed along its columns."""
    descriptor = tl.make_tensor_descriptor(
        x, [rows, columns], [columns, 1], [HEIGHT, WIDTH]
    )
    at = tl.program_id(0) * WIDTH
    tl.store(out + at + tl.arange(0, WIDTH), tl.sum(descriptor.load([0, at]), 0))


@triton.jit
def product(x, y, out, count, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def]
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(
        out + at, tl.load(x + at, at < count) * tl.load(y + at, at < count), at < count
    )


_TILES = {"HEIGHT": 32, "WIDTH": 128}
_POINTERS = {"x": "*bf16", "y": "*bf16", "out": "*bf16"}
KERNELS: tuple[tuple[Any, dict[str, int], tuple[int, ...]], ...] = (
    (sum_of_rows, _TILES, (90, 100)),
    (sum_of_columns, _TILES, (90, 100)),
    (product, {"BLOCK": 256}, (80, 90, 100)),
)
COUNTED = (
    "shfl.sync",
    "ld.shared",
    "st.shared",
    "bar.sync",
    "fma.rn.bf16x2",
    "mul.bf16x2",
)


def ptx(kernel: Any, constants: dict[str, int], capability: int) -> str:
    """The PTX of a kernel on bfloat16 with four warps, with pointers and sizes that are multiples of 16."""
    names = kernel.arg_names
    signature = {
        name: "constexpr" if name in constants else _POINTERS.get(name, "i32")
        for name in names
    }
    source = ASTSource(
        fn=kernel,
        signature=signature,
        constexprs={(names.index(name),): value for name, value in constants.items()},
        attrs={
            (index,): [["tt.divisibility", 16]]
            for index, name in enumerate(names)
            if name not in constants
        },
    )
    compiled = triton.compile(
        source, target=GPUTarget("cuda", capability, 32), options={"num_warps": 4}
    )
    return str(compiled.asm["ptx"])


def main() -> None:
    print(f"Triton {triton.__version__}")
    for kernel, constants, capabilities in KERNELS:
        for capability in capabilities:
            text = ptx(kernel, constants, capability)
            counts = {
                name: len(re.findall(rf"\b{re.escape(name)}", text)) for name in COUNTED
            }
            instructions = ", ".join(
                f"{name} {count}" for name, count in counts.items() if count
            )
            print(f"{kernel.__name__} sm{capability}: {instructions}")


if __name__ == "__main__":
    main()
