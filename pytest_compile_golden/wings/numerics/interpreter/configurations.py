"""Block sizes with which a kernel must compute the same: the largest, some that make several programs, random ones."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

import triton

from pytest_compile_golden.torch_names import numerics as torch_names

triton_heuristics = torch_names.HEURISTICS.get()
TRITON_MAX_BLOCK = torch_names.MAX_BLOCK.get()
HeuristicType = torch_names.HEURISTIC.get()

LARGEST, SEVERAL, RANDOM = "the largest blocks", "several programs", "random blocks"
_ELEMENTS = 1 << 17
"""The most elements in one program's tile, which the interpreter computes at once."""
_CHOICES = 4
"""How many of the largest sizes random blocks are drawn from: each step down doubles the accesses, up to 8 times."""
_FIXED = (HeuristicType.TEMPLATE, HeuristicType.USER_AUTOTUNE, HeuristicType.FIXED)
_GRIDS = ("Grid1D", "Grid2D", "Grid3D", "Grid2DWithYZOverflow", "CooperativeReductionGrid", "SplitScanGrid")
"""The grids of kernels whose blocks do not depend on each other."""
_PERSISTENT = re.compile(r"R0_BLOCK: tl\.constexpr = (\d+)")


def of_call(index: int) -> str:
    """Which blocks the kernels have in a program's call with this index."""
    return (LARGEST, SEVERAL, RANDOM)[index] if index < 3 else LARGEST


def choose(kernel: Any, how: str, seed: int, numels: Mapping[str, int]) -> Any:
    """A triton.Config for `kernel`, chosen by `how`: LARGEST, SEVERAL, or RANDOM from `seed`.

    numels: the number of elements that a launch has in each dimension, by the names of the kernel's parameters.

    Powers of two up to Inductor's TRITON_MAX_BLOCK are legal. If a size is a multiple of that, the kernel has no mask
    (torch/_inductor/codegen/triton.py: _has_constant_mask), and any power of two that divides the size will do.
    Templates and the user's kernels only have the configurations that they are tuned over.
    """
    first = kernel.configs[0]
    if not kernel.size_hints or kernel.heuristic in _FIXED or kernel.metadata.get("grid_type") not in _GRIDS:
        index = {LARGEST: 0, SEVERAL: -1}.get(how, seed % len(kernel.configs))
        return kernel.configs[index]
    chosen = dict(first.kwargs)
    if "RSPLIT" in chosen:
        chosen["RSPLIT"] = 1  # programs run one after another: one that waits for the next would wait forever
    sizes = _sizes(kernel, numels, [name for name in chosen if name.endswith("BLOCK")])
    if how == LARGEST:
        chosen |= {name: of[-1] for name, of in sizes.items()}
    elif how == SEVERAL:
        # A reduction loops twice, and two programs divide what is not reduced between them.
        chosen |= {name: of[max(0, len(of) - 2)] for name, of in sizes.items()}
    else:
        drawn = random.Random(f"{seed} {kernel.name}")
        choices = _CHOICES
        for name, of in sizes.items():
            chosen[name] = drawn.choice(of[-choices:])
            choices -= len(of) - 1 - of.index(chosen[name])
    return triton.Config(chosen, num_warps=first.num_warps, num_stages=first.num_stages)


def _sizes(kernel: Any, numels: Mapping[str, int], names: list[str]) -> dict[str, list[int]]:
    """The possible sizes of each block, smallest first; a tile of the largest ones stays within bounds."""
    persistent = _PERSISTENT.search(kernel.text)
    left = _ELEMENTS // (int(persistent[1]) if persistent else 1)
    sizes = {}
    for name in sorted(names, key=lambda name: not name.startswith("R")):
        prefix = name.removesuffix("BLOCK")
        low = 1
        if prefix.startswith("R") and kernel.heuristic == HeuristicType.SPLIT_SCAN:
            low = kernel.metadata.get("min_split_scan_rblock", 1)
        low = max(low, (kernel.metadata.get("tma_min_block_sizes") or {}).get(name, 1))
        hint = triton.next_power_of_2(max(1, kernel.size_hints.get(prefix.lower(), 1)))
        most, numel = TRITON_MAX_BLOCK.get(prefix, 1), numels.get(f"{prefix.lower()}numel", 1)
        powers = [1 << power for power in range(21) if low <= 1 << power <= max(low, min(hint, left))]
        sizes[name] = [size for size in powers if size <= most or numel % size == 0] or [low]
        left = max(1, left // sizes[name][-1])
    return sizes


def tuned(configs: list[Any], size_hints: Any, heuristic: Any, metadata: dict[str, Any]) -> list[Any]:
    """The configurations that Inductor would compile (triton_heuristics.py: cached_autotune)."""
    if size_hints is not None and heuristic in (HeuristicType.REDUCTION, HeuristicType.PERSISTENT_REDUCTION):
        enforce = torch_names.ENFORCE_MINIMUMS.get() if torch_names.ENFORCE_MINIMUMS.expected else None
        configs = configs if enforce is None else enforce(configs, size_hints, metadata)
    return list(triton_heuristics.unique_configs(configs))
