"""The built-in stages, in pipeline order."""

from __future__ import annotations

from functools import partial

from pytest_compile_golden.stages import canonical
from pytest_compile_golden.stages.canonical import depth, display
from pytest_compile_golden.stages.code import render_kernels, render_wrapper
from pytest_compile_golden.stages.dynamo import (
    render_bytecode,
    render_graph_breaks,
    render_guards,
    render_recompiles,
)
from pytest_compile_golden.stages.graph import render_forward, render_graphs
from pytest_compile_golden.stages.metrics import render_metrics
from pytest_compile_golden.stages.pass_diffs import canonical_pass_diffs, render_pass_diffs
from pytest_compile_golden.stages.passes import render_passes
from pytest_compile_golden.stages.registry import Stage, register_stage
from pytest_compile_golden.stages.schedule import render_lowered_ir, render_scheduler_nodes


def _graph(name: str, summary: str, *, training_only: bool = False, default: bool = False) -> Stage:
    return Stage(
        name=name,
        extension="py",
        summary=summary,
        render=render_forward if name == "forward_graph" else partial(render_graphs, stage=name),
        canonical=canonical.graph,
        default=default,
        training_only=training_only,
        depth=depth.graph_depth,
        shown=display.shown_graph,
    )


for _stage in (
    Stage("dynamo_bytecode", "txt", "original and transformed bytecode", render_bytecode, canonical.plain),
    Stage("guards", "txt", "the guards Dynamo installed", render_guards, canonical.plain),
    Stage("graph_breaks", "txt", "each graph break with its reason", render_graph_breaks, canonical.plain),
    Stage("recompiles", "txt", "each recompilation with its reason", render_recompiles, canonical.plain),
    _graph("dynamo_graph", "the graph Dynamo captured"),
    _graph("pre_grad_graph", "after the pre-grad passes"),
    _graph("joint_graph", "forward and backward after the joint-graph passes", training_only=True),
    _graph("forward_graph", "what the partitioner made forward, and what it saves", training_only=True),
    _graph("backward_graph", "what the partitioner made backward", training_only=True),
    _graph("post_grad_graph", "after the post-grad passes: what Inductor lowers", default=True),
    Stage(
        "passes",
        "txt",
        "every pass in the order it ran",
        render_passes,
        canonical.passes,
        default=True,
        shown=display.shown_passes,
    ),
    Stage("pass_diffs", "diff", "the graph before and after each pass", render_pass_diffs, canonical_pass_diffs),
    Stage(
        "lowered_ir",
        "txt",
        "Inductor IR before fusion",
        render_lowered_ir,
        canonical.schedule,
        depth=depth.schedule_depth,
        shown=display.shown_schedule,
    ),
    Stage(
        "scheduler_nodes",
        "txt",
        "the scheduler's groups after fusion",
        render_scheduler_nodes,
        canonical.schedule,
        default=True,
        depth=depth.schedule_depth,
        shown=display.shown_schedule,
    ),
    Stage(
        "wrapper_code",
        "py",
        "allocations, reuse, launches, extern calls",
        render_wrapper,
        canonical.wrapper,
        depth=depth.wrapper_depth,
        shown=display.shown_wrapper,
    ),
    Stage(
        "triton_code",
        "py",
        "each Triton kernel's source",
        partial(render_kernels, stage="triton_code", language="triton", home="cuda"),
        canonical.triton,
        default=True,
        devices=frozenset({"cuda"}),
        depth=depth.triton_depth,
        shown=display.shown_triton,
    ),
    Stage(
        "cpp_code",
        "cpp",
        "each C++ kernel's source",
        partial(render_kernels, stage="cpp_code", language="cpp", home="cpu"),
        canonical.cpp,
        default=True,
        devices=frozenset({"cpu"}),
        depth=depth.cpp_depth,
        shown=display.shown_cpp,
    ),
    Stage("metrics", "toml", "numbers with a better direction", render_metrics, canonical.metrics, default=True),
):
    register_stage(_stage)
