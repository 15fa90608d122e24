"""How far the installed torch can be read: `python -m pytest_compile_golden.api.compat_check FOLDER TARGET...`

Captures three tiny programs, and notes which stages do not show what they must, whatever torch does with them.
A fact may not depend on how good the compiler is: only on what the program says, and on what every compiler does.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from pytest_compile_golden.api import capture
from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.api.compat_check import kept_readings
from pytest_compile_golden.api.compat_check.reading import Reading, UnreadStage
from pytest_compile_golden.common.installed_torch import torch_version
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.common.regular_expressions import without_addresses
from pytest_compile_golden.errors import StageNotCaptured, StageUnavailable
from pytest_compile_golden.stages import Stage, get_stage, rank
from pytest_compile_golden.targets import Target, get_target

ROWS, INNER, COLUMNS = 64, 32, 16
_PRODUCT_FLOPS = 2 * ROWS * INNER * COLUMNS
_F32 = 4
_OPERANDS = _F32 * (ROWS * INNER + INNER * COLUMNS)
"""Bytes."""


@dataclass(frozen=True)
class Fact:
    """What a stage of a program must show."""

    stage: str
    text: str
    """As it should be: `a product takes 65536 operations`."""
    holds: Callable[[Capture], int]


@dataclass(frozen=True)
class CanaryProgram:
    """A program, how to capture it, and the facts about its stages."""

    name: str
    options: Callable[[], dict[str, Any]]
    """The arguments of `capture`, including `fn` and `calls`; made anew for each capture."""
    facts: tuple[Fact, ...]


def _product(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return (torch.relu(x @ w) * 2 + 1).view(ROWS, COLUMNS)


def _pieces(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    sine, cosine = torch.sin(x), torch.cos(x)
    torch._dynamo.graph_break()
    # Of two sizes, so that the scheduler has a reason to read.
    return sine, cosine, torch.exp(x), torch.exp(x[:, :1])


def _training(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    return torch.tanh(x @ w).sum()


def _matrices() -> dict[str, Any]:
    return {"calls": [(torch.ones(ROWS, INNER), torch.ones(INNER, COLUMNS))]}


def _contains(stage: str, *texts: str) -> Callable[[Capture], int]:
    return lambda captured: all(text in str(captured[stage]) for text in texts)


def _kernel_below(stage: str) -> Fact:
    return Fact(
        stage,
        "there is one kernel",
        lambda captured: str(captured[stage]).count("graph_0: ") == 1,
    )


PRODUCT = CanaryProgram(
    "a product with a pointwise end",
    lambda: {"fn": _product, **_matrices(), "watch": ("cache_key", "compile_cost")},
    (
        Fact(
            "dynamo_bytecode",
            "the function is rewritten",
            _contains("dynamo_bytecode", "original", "transformed"),
        ),
        Fact(
            "guards", "the inputs are guarded", _contains("guards", "L['x']", "L['w']")
        ),
        Fact(
            "guard_tree",
            "the inputs are guarded",
            lambda captured: any(
                "L['w']" in check.reads for check in captured["guard_tree"].checks
            ),
        ),
        Fact(
            "dynamo_graph",
            "the product is in the graph",
            lambda captured: captured["dynamo_graph"].has("operator.matmul"),
        ),
        Fact(
            "pre_grad_graph",
            "the product is in the graph",
            lambda captured: captured["pre_grad_graph"].has("operator.matmul"),
        ),
        Fact(
            "aot_graph",
            "the product is in the graph",
            lambda captured: captured["aot_graph"].count("aten.mm") == 1,
        ),
        Fact(
            "post_grad_graph",
            "the product is in the graph, and the view that does nothing is not",
            lambda captured: (
                captured["post_grad_graph"].has("aten.mm")
                and not captured["post_grad_graph"].has("aten.view")
            ),
        ),
        Fact(
            "passes",
            "a pass removed the view that does nothing",
            lambda captured: captured["passes"].changed("remove_noop_ops"),
        ),
        Fact(
            "pass_diffs",
            "a pass removed the view that does nothing",
            _contains("pass_diffs", "aten.view"),
        ),
        Fact(
            "lowered_ir",
            "a buffer is f32[64, 16]",
            _contains("lowered_ir", f"f32[{ROWS}, {COLUMNS}]", "aten.mm"),
        ),
        Fact(
            "wrapper_code",
            "the product is called",
            _contains("wrapper_code", "extern_kernels.mm("),
        ),
        Fact(
            "cost",
            f"the product takes {_PRODUCT_FLOPS} operations, and reads {_OPERANDS} bytes",
            _contains("cost", f"flops {_PRODUCT_FLOPS}", f"read {_OPERANDS}"),
        ),
        Fact(
            "memory",
            "the result is allocated",
            lambda captured: captured["memory"].peak >= _F32 * ROWS * COLUMNS,
        ),
        Fact(
            "cudagraphs",
            "none is asked for",
            lambda captured: not captured["cudagraphs"].recorded,
        ),
        Fact("cache_key", "the graph has a key", _contains("cache_key", "fx")),
        Fact(
            "compile_cost",
            "patterns were tried",
            lambda captured: captured["compile_cost"].count("patterns_tried") > 0,
        ),
        Fact(
            "trail",
            "it names the lowering of the product",
            _contains("trail", "aten.mm"),
        ),
        Fact(
            "metrics",
            "one library call",
            lambda captured: captured.metrics.extern_kernels == 1,
        ),
        *map(
            _kernel_below, ("ttir", "ttgir", "llir", "ptx", "sass", "kernel_resources")
        ),
    ),
)

PIECES = CanaryProgram(
    "two graphs with two sizes",
    lambda: {
        "fn": _pieces,
        "calls": [(torch.ones(ROWS, INNER),), (torch.ones(ROWS + 8, INNER),)],
    },
    (
        Fact(
            "graph_breaks",
            "it is at the line that asks for it",
            lambda captured: any(
                "graph_break()" in line
                for line, _ in captured["graph_breaks"].locations
            ),
        ),
        Fact(
            "recompiles",
            "the second size compiles again",
            lambda captured: len(captured["recompiles"]) >= 1,
        ),
        Fact(
            "specialisations",
            "the size has a symbol",
            lambda captured: bool(captured["specialisations"].symbols),
        ),
        Fact(
            "scheduler_nodes",
            "sine and cosine are one kernel",
            lambda captured: captured["scheduler_nodes"].fused("sin", "cos"),
        ),
        Fact(
            "triton_code",
            "sine and cosine are one kernel",
            lambda captured: "sin" in captured["triton_code"],
        ),
        Fact(
            "cpp_code",
            "sine and cosine are one kernel",
            lambda captured: "sin" in captured["cpp_code"],
        ),
        Fact(
            "metrics",
            "there is a graph break",
            lambda captured: captured.metrics.graph_breaks >= 1,
        ),
    ),
)

TRAINING = CanaryProgram(
    "a training step",
    lambda: {"fn": _training, **_matrices(), "train": True},
    (
        Fact(
            "joint_graph",
            "it has both directions",
            lambda captured: captured["joint_graph"].count("aten.mm") >= 2,
        ),
        Fact(
            "forward_graph",
            "the product is in it",
            lambda captured: captured["forward_graph"].has("aten.mm"),
        ),
        Fact(
            "backward_graph",
            "its gradients are in it",
            lambda captured: captured["backward_graph"].has("aten.mm"),
        ),
        Fact(
            "memory",
            "something is saved for backward",
            lambda captured: bool(captured["memory"].saved),
        ),
    ),
)

PROGRAMS = (PRODUCT, PIECES, TRAINING)


def read(target: str) -> Reading:
    """How far the installed torch can be read on one target; what fails is part of the result. Raises UnknownTarget."""
    tried = [
        each for program in PROGRAMS for each in _tried(program, get_target(target))
    ]
    return Reading(
        torch_version() or "",
        (target,),
        tuple(sorted({stage for stage, _ in tried}, key=rank)),
        tuple(
            dict.fromkeys(
                UnreadStage(target, stage, reason) for stage, reason in tried if reason
            )
        ),
    )


def _tried(program: CanaryProgram, target: Target) -> Iterator[tuple[str, str]]:
    """Each stage of the program that exists on the target, with why it cannot be read; empty if it can."""
    facts = [
        fact
        for fact in program.facts
        if _depends_on_torch(get_stage(fact.stage), target)
    ]
    try:
        captured = capture(target=target.name, **program.options())
    except Exception as error:
        reason = f"nothing can be captured: {_first_line(error)}"
        yield from ((fact.stage, reason) for fact in facts)
        return
    for fact in facts:
        yield fact.stage, _why_not(fact, captured, program)


def _depends_on_torch(stage: Stage, target: Target) -> bool:
    """Whether the target has the stage, and neither its machine nor a C++ compiler decides about that."""
    by_compiler = stage.compiles and target.device_type == "cpu"
    return stage.exists_on(target.device_type, target.vendor) and not by_compiler


def _why_not(fact: Fact, captured: Capture, program: CanaryProgram) -> str:
    try:
        unavailable = captured.unavailable_because(fact.stage)
        if unavailable is not None:
            return unavailable
        return (
            ""
            if fact.holds(captured)
            else f"{program.name}: it is not so that {fact.text}"
        )
    except StageUnavailable as error:
        return _first_line(error)
    except StageNotCaptured:
        return f"{program.name} has none"
    except Exception as error:
        return f"{program.name}: {_first_line(error)}"


def _first_line(error: Exception) -> str:
    lines = split_lines(without_addresses(str(error))) or [""]
    return f"{type(error).__name__}: {lines[0]}" if lines[0] else type(error).__name__


if __name__ == "__main__":
    folder, *targets = sys.argv[1:]
    for target in targets:
        kept_readings.write(read(target), Path(folder))
