"""One kernel of the generated code: the arguments that a launch passes to it, and what a launch does."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from pytest_compile_golden.errors import NotInterpretable
from pytest_compile_golden.facts.numerics import Finding
from pytest_compile_golden.lines import split_lines
from pytest_compile_golden.torch_names import numerics as torch_names
from pytest_compile_golden.wings.numerics.interpreter import configurations

triton_heuristics = torch_names.HEURISTICS.get()

if TYPE_CHECKING:
    from pytest_compile_golden.wings.numerics.interpreter.machine import Machine


@dataclass
class Launches:
    """How often the kernels of a check were launched, by name."""

    counts: dict[str, int] = field(default_factory=dict)
    configurations: dict[str, set[str]] = field(default_factory=dict)

    def add(self, name: str, configuration: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1
        self.configurations.setdefault(name, set()).add(configuration)


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
        numels = {name: value for name, value in values.items() if isinstance(value, int)}
        config = configurations.choose(self, self.machine.configuration, self.machine.seed, numels)
        grid = triton_heuristics.GridExpr.from_meta(dict(self.metadata), config).eval_slow(dict(values))
        arguments = {name: value for name, value in values.items() if name in parameters}
        arguments |= {name: value for name, value in config.kwargs.items() if name in parameters}
        constants = self.triton_meta.get("constants", {})
        arguments |= {name: constants.get(name) for name in parameters if name not in arguments}
        self.machine.launch(self, arguments, tuple(int(size) for size in grid), _in_words(config.kwargs))

    def _bound(
        self, args: tuple[Any, ...], parameters: list[str], blocks: Mapping[str, Any], extra: list[str]
    ) -> dict[str, Any]:
        """The arguments by name: calls pass all but block sizes, and calls of the user's kernels pass no constants."""
        names = [name for name in parameters if name not in blocks]
        if len(names) + len(extra) != len(args):
            signature = self.triton_meta["signature"]
            names = [name for name in names if signature.get(name) != "constexpr"]
        if len(names) + len(extra) != len(args):
            raise NotInterpretable(f"{self.name} is called with {len(args)} arguments, but takes {names + extra}")
        return dict(zip([*names, *extra], args, strict=True))

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
        calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call) and node.args]
        addresses = [node.args[0] for node in calls if ast.unparse(node.func) == "tl.store"]
        names = [node.id for address in addresses for node in ast.walk(address) if isinstance(node, ast.Name)]
        return any(name.startswith("tmp") for name in names)


@dataclass
class Choice:
    """Replaces torch's MultiKernelCall, which times its kernels: with the largest blocks, the first one runs."""

    machine: Machine
    name: str
    kernels: Sequence[InterpretedKernel]
    slices: Mapping[int, Sequence[slice]]
    """Which of the arguments belong to each kernel."""

    def run(self, *args: Any, **kwargs: Any) -> None:
        chosen = 0 if self.machine.configuration == configurations.LARGEST else len(self.kernels) - 1
        own = [value for part in self.slices[chosen] for value in args[part]]
        self.kernels[chosen].run(*own, **kwargs)


def _in_words(blocks: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value}" for name, value in blocks.items()) or "no block sizes"


def line_in(path: str) -> int:
    """The line now running in the outermost function of the file at `path`; 0 if there is none."""
    frame: FrameType | None = sys._getframe(1)
    line = 0
    while frame is not None:
        if frame.f_code.co_filename == path:
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
