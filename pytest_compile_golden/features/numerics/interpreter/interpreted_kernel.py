"""One kernel of the generated code: what a launch passes to it and does, and the block sizes that it is run with."""

from __future__ import annotations

import ast
import functools
import inspect
import math
import random
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

import triton

from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.torch_internals import numerics as torch_names

TRITON_MAX_BLOCK = torch_names.MAX_BLOCK.get()
HeuristicType = torch_names.HEURISTIC.get()

LARGEST, SEVERAL, RANDOM = "the largest blocks", "several programs", "random blocks"
INDUCTORS = "a choice of Inductor's, or larger blocks if that takes many programs"
_PROGRAMS = 128
"""How many programs a launch has with such blocks, at most."""
_ELEMENTS = 1 << 17
"""The most elements in one program's tile, which the interpreter computes at once."""
_CHOICES = 4
"""How many of the largest sizes random blocks are drawn from: each step down doubles the accesses, up to 8 times."""
_FIXED = (HeuristicType.TEMPLATE, HeuristicType.USER_AUTOTUNE, HeuristicType.FIXED)
_GRIDS = (
    "Grid1D",
    "Grid2D",
    "Grid3D",
    "Grid2DWithYZOverflow",
    "CooperativeReductionGrid",
    "SplitScanGrid",
)
"""The grids of kernels whose blocks do not depend on each other."""
_BLOCKS_IN_MEMORY = re.compile(r"\bmake_(?:block_ptr|tensor_descriptor)\b")
_PERSISTENT = re.compile(r"R0_BLOCK: tl\.constexpr = (\d+)")
triton_heuristics = torch_names.HEURISTICS.get()


def choose(kernel: Any, how: str, seed: int, numels: Mapping[str, int]) -> Any:
    """A triton.Config for `kernel`, chosen by `how`: LARGEST, SEVERAL, INDUCTORS, or RANDOM from `seed`.

    numels: the number of elements that a launch has in each dimension, by the names of the kernel's parameters.

    Powers of two up to Inductor's TRITON_MAX_BLOCK are legal. If a size is a multiple of that, the kernel may have no
    mask (torch/_inductor/codegen/triton.py: _has_constant_mask), and any power of two that divides the size will do;
    if it is not, there is one, and any power of two will do. Of pointers to blocks and descriptors each dimension is
    checked by itself, for blocks of up to TRITON_MAX_BLOCK.
    Templates and the user's kernels only have the configurations that they are tuned over.
    """
    first = kernel.configs[0]
    if (
        not kernel.size_hints
        or kernel.heuristic in _FIXED
        or kernel.metadata.get("grid_type") not in _GRIDS
    ):
        index = {LARGEST: 0, SEVERAL: -1}.get(how, seed % len(kernel.configs))
        return kernel.configs[index]
    chosen = dict(first.kwargs)
    if "RSPLIT" in chosen:
        # Programs run one after another: one that waits for the next would wait forever.
        chosen["RSPLIT"] = 1
    sizes = _sizes(kernel, numels, [name for name in chosen if name.endswith("BLOCK")])
    if how == LARGEST:
        chosen |= {name: of[-1] for name, of in sizes.items()}
    elif how == INDUCTORS:
        while (larger := _with_fewer_programs(chosen, sizes, numels)) is not None:
            chosen |= larger
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


def _with_fewer_programs(
    chosen: Mapping[str, int], sizes: Mapping[str, list[int]], numels: Mapping[str, int]
) -> dict[str, int] | None:
    """A block that is larger, if a launch has too many programs; the innermost that can be."""
    names = [name for name in sorted(sizes) if not name.startswith("R")]
    programs = math.prod(
        -(-numels.get(f"{name[0].lower()}numel", 1) // chosen[name]) for name in names
    )
    growing = [name for name in names if chosen[name] * 2 in sizes[name]]
    return (
        {growing[0]: chosen[growing[0]] * 2}
        if growing and programs > _PROGRAMS
        else None
    )


def _sizes(
    kernel: Any, numels: Mapping[str, int], names: list[str]
) -> dict[str, list[int]]:
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
        most, numel = (
            TRITON_MAX_BLOCK.get(prefix, 1),
            numels.get(f"{prefix.lower()}numel", 1),
        )
        powers = [
            1 << power
            for power in range(21)
            if low <= 1 << power <= max(low, min(hint, left))
        ]
        masked = numel % most != 0 and not _BLOCKS_IN_MEMORY.search(kernel.text)
        sizes[name] = [
            size for size in powers if size <= most or masked or numel % size == 0
        ] or [low]
        left = max(1, left // sizes[name][-1])
    return sizes


def tuned(
    configs: list[Any], size_hints: Any, heuristic: Any, metadata: dict[str, Any]
) -> list[Any]:
    """The configurations that Inductor would compile (triton_heuristics.py: cached_autotune)."""
    if size_hints is not None and heuristic in (
        HeuristicType.REDUCTION,
        HeuristicType.PERSISTENT_REDUCTION,
    ):
        enforce = (
            torch_names.ENFORCE_MINIMUMS.get()
            if torch_names.ENFORCE_MINIMUMS.expected
            else None
        )
        configs = configs if enforce is None else enforce(configs, size_hints, metadata)
    return list(triton_heuristics.unique_configs(configs))


if TYPE_CHECKING:
    from pytest_compile_golden.features.numerics.interpreter.machine import Machine


@dataclass(eq=False)
class InterpretedKernel:
    """Replaces torch's CachingAutotuner: `run` interprets one launch."""

    machine: Machine
    function: Any
    """The Python function under triton.jit."""
    configs: Sequence[Any]
    triton_meta: Mapping[str, Any]
    metadata: Mapping[str, Any]
    """Inductor's `inductor_meta`."""
    heuristic: Any
    size_hints: Mapping[str, int] | None
    name: str = ""
    text: str = ""

    def __post_init__(self) -> None:
        self.name = self.name or self.function.__name__

    def run(self, *args: Any, stream: Any = None, **kwargs: Any) -> None:
        parameters = list(inspect.signature(self.function).parameters)
        extra = list(self.metadata.get("extra_launcher_args", ()))
        values = self._bound(args, parameters, self.configs[0].kwargs, extra) | kwargs
        numels = {
            name: value for name, value in values.items() if isinstance(value, int)
        }
        config = choose(self, self.machine.configuration, self.machine.seed, numels)
        grid = triton_heuristics.GridExpr.from_meta(
            dict(self.metadata), config
        ).eval_slow(dict(values))
        # A call passes something for each constant of a launch, which counts for nothing: -1 for a None.
        constants = self.triton_meta.get("constants", {})
        given = {**dict.fromkeys(parameters), **values, **constants, **config.kwargs}
        arguments = {name: given[name] for name in parameters}
        self.machine.launch(self, arguments, tuple(int(size) for size in grid))

    def _bound(
        self,
        args: tuple[Any, ...],
        parameters: list[str],
        blocks: Mapping[str, Any],
        extra: list[str],
    ) -> dict[str, Any]:
        """The arguments by name: calls pass all but block sizes and the user's own constants.

        See torch/_inductor/runtime/triton_heuristics.py: _get_arg_lists.
        """
        constants = self.declared & set(self.triton_meta.get("constants", ()))
        names = [
            name for name in parameters if name not in blocks and name not in constants
        ]
        if len(names) + len(extra) != len(args):
            raise NotInterpretable(
                f"{self.name} is called with {len(args)} arguments, but takes {names + extra}"
            )
        return dict(zip([*names, *extra], args, strict=True))

    @property
    def declared(self) -> set[str]:
        """The parameters that its source says are constants."""
        return {
            name
            for name, kind in self.function.__annotations__.items()
            if "constexpr" in str(kind)
        }

    @property
    def constants(self) -> set[str]:
        """The parameters that are constants in a launch: also those for which Triton makes one of a 1 or a None."""
        signature = self.triton_meta.get("signature", {})
        return self.declared.union(
            name for name, kind in signature.items() if kind == "constexpr"
        )

    def lines(self) -> list[str]:
        """The source of the function, from its first decorator on."""
        lines = [f"{line}\n" for line in split_lines(self.text)]
        return inspect.getblock(lines[self.function.__code__.co_firstlineno - 1 :])

    def finding(self, kind: str, text: str, line: int) -> Finding:
        lines = split_lines(self.text)
        source = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return Finding(self.name, line, source, kind, text)

    @functools.cache  # noqa: B019  # for as long as the kernel lives, which is one check
    def by_data(self, line: int) -> bool:
        """Whether the address of that line's store depends on what the kernel has loaded: `out_ptr0 + (tmp4)`."""
        lines = split_lines(self.text)
        try:
            statement = ast.parse(lines[line - 1].strip())
        except (IndexError, SyntaxError):
            return False
        calls = [
            node
            for node in ast.walk(statement)
            if isinstance(node, ast.Call) and node.args
        ]
        addresses = [
            node.args[0] for node in calls if ast.unparse(node.func) == "tl.store"
        ]
        names = [
            node.id
            for address in addresses
            for node in ast.walk(address)
            if isinstance(node, ast.Name)
        ]
        return any(name.startswith("tmp") for name in names)


@dataclass
class KernelChoice:
    """Replaces torch's MultiKernelCall, which times its kernels: with the largest blocks, the first one runs."""

    machine: Machine
    name: str
    kernels: Sequence[InterpretedKernel]
    slices: Mapping[int, Sequence[slice]]
    """Which of the arguments belong to each kernel."""

    def run(self, *args: Any, **kwargs: Any) -> None:
        chosen = 0 if self.machine.configuration == LARGEST else len(self.kernels) - 1
        own = [value for part in self.slices[chosen] for value in args[part]]
        self.kernels[chosen].run(*own, **kwargs)


def line_in(path: str, name: str) -> int:
    """The line now running in the outermost call of the function called `name` in the file at `path`, or 0."""
    frame: FrameType | None = sys._getframe(1)
    line = 0
    while frame is not None:
        if frame.f_code.co_filename == path and frame.f_code.co_name == name:
            line = frame.f_lineno
        frame = frame.f_back
    return line


def line_of(error: BaseException, path: str) -> int:
    """The first line of the file at `path` that an error came through; 0 if there is none."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            return trace.tb_lineno
        trace = trace.tb_next
    return 0
