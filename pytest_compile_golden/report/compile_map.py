"""A map of one compile: every step and pass in execution order, what it is for and what it did."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from pytest_compile_golden.api.captured import Capture
from pytest_compile_golden.common.lines import split_lines
from pytest_compile_golden.facts.graphs import Pass
from pytest_compile_golden.report.styled_lines import printable
from pytest_compile_golden.stages import phase

KNOWN: Mapping[str, str] = {
    "InstructionTranslator.run": "Runs the function's bytecode symbolically and records the tensor operations.",
    "aot_dispatch_base_graph": "Traces down to ATen, functionalises mutations, applies decompositions.",
    "aot_dispatch_autograd_graph": "Traces forward and backward down to ATen, functionalised and decomposed.",
    "numpy_compat_normalization": "Renames NumPy-style arguments (axis, keepdims) to torch's names.",
    "sink_cat_after_pointwise": "Moves a concatenation after the pointwise operation that reads it.",
    "group_batch_fusion_passes": "Batches many small similar operations into one; off unless its options are set.",
    "efficient_conv_bn_eval_pass": "Folds batch norm in eval mode into the convolution before it.",
    "apply_gumbel_max_trick_pass": "Samples from a softmax without computing the softmax.",
    "stable_topological_sort": "Puts nodes after the nodes they read, otherwise keeping their order.",
    "stable_sort": "Puts nodes after the nodes they read, otherwise keeping their order.",
    "quant_lift_up": "Moves quantisation before views, towards operations it can be fused with.",
    "canonicalize_aten_ir_passes": "Rewrites equivalent operators to one form, for the patterns that follow.",
    "remove_noop_ops": "Removes operations that return their input: copies, slices of everything, additions of 0.",
    "constant_fold_uniform_value": "Replaces tensors that hold a single value with `full`, and drops x * 1, x + 0.",
    "joint_graph.early_patterns": "Removes views and permutations that cancel out.",
    "pass_pattern_0": "The first list of patterns in this phase.",
    "pass_pattern_1": "The main list of patterns in this phase: attention, matmul padding, operator fusions.",
    "pass_pattern_2": "The last list of patterns in this phase: what remains to be undone or split.",
    "replace_random_passes": "Replaces random operators with Inductor's own, which take their seeds from one tensor.",
    "min_cut_rematerialization_partition": "Cuts where the least must be saved for backward; the rest is recomputed.",
    "view_to_reshape": "Turns every view into a reshape, which is valid for any layout chosen later.",
    "reorder_for_locality": "Moves a node next to the node that reads it.",
    "remove_profiler_ops": "Removes record_function markers, which would prevent fusion around them.",
    "remove_assert_ops": "Removes size assertions that tracing left in the graph.",
    "respecialize_current_device": "Restores the device where tracing left a symbol in its place.",
    "move_constructors_to_cuda": "Creates tensors on the GPU that would be created on the CPU and copied.",
    "FakeTensorUpdater.incremental_update": "Recomputes shapes and strides of the nodes that passes changed.",
    "slice_scatter_chunking": "Writes chunks in place instead of building the whole tensor slice by slice.",
    "reinplace_inplaceable_ops": "Lets operators write into a buffer that is no longer read, not a new one.",
    "fix_auto_functionalized_dtype_views": "Finds views with another dtype that need no copy before a mutation.",
    "decompose_triton_kernel_wrapper_functional": "Copies what a user's Triton kernel mutates, if it is still needed.",
    "decompose_auto_functionalized": "Copies what a custom operator mutates, if it is still needed.",
    "decompose_scan_to_while_loop": "Rewrites scan as a while loop.",
    "decompose_map_to_while_loop": "Rewrites map as a while loop.",
    "micro_pipeline_tp_pass": "Overlaps matmuls with the collectives around them.",
    "GraphLowering.run": "Calls the lowering of each operator: loops as Python functions, or a library call.",
    "decide_global_ordering_of_comms": "Keeps collectives in the same order on every rank.",
    "topological_sort_schedule": "Orders operations by what they read.",
    "dead_node_elimination": "Removes operations whose results nobody reads.",
    "create_foreach_nodes": "Combines the operations of each foreach operator into one node.",
    "fuse_nodes": "Fuses pairs of groups, best first, until no pair is worth fusing.",
    "merge_loops": "Merges nested loops over contiguous memory into one loop.",
    "finalize_multi_template_buffers": "Decides between template and library call where both were left open.",
    "_enforce_conditional_ordering": "Keeps the order of conditionals, which may contain collectives.",
    "create_combo_kernel_nodes": "Combines several independent kernels into one.",
    "reorder_for_peak_memory": "Orders groups so that less memory is in use at once.",
    "reorder_compute_and_comm_for_overlap": "Moves collectives away from the operations that wait for them.",
    "process_grouped_nodes": "Takes apart nodes that were kept together for ordering.",
    "Scheduler.codegen": "Writes each group's kernel, and the calls in order.",
    "PythonWrapperCodegen.run_wrapper_ir_passes": "Plans memory: which buffers reuse the storage of others.",
    "(unobserved)": "Something other than a known pass changed the graph between two passes.",
}


@dataclass(frozen=True)
class TraceRow:
    """One step or pass."""

    graph: str
    phase: str
    name: str
    ir: str
    what: str
    where: str
    """`file:line` in the installed torch, or the user's file."""
    before: int
    after: int
    """The number of nodes in what it works on: instructions, FX nodes, operations, groups, lines of the wrapper."""
    milliseconds: float
    changed: bool
    notes: tuple[str, ...]
    """Patterns that matched, operators that were added or removed."""
    diff: str
    """A diff of the graph before and after; empty if the pass changed nothing or turned the graph into something
    else."""


def trace(captured: Capture) -> list[TraceRow]:
    """The rows of a capture, ordered by start time."""
    diffs = captured["pass_diffs"].diffs if "pass_diffs" in captured else ()
    rows = [*((step, "") for step in captured.record.get("steps")), *diffs]
    return [
        _row(run, diff) for run, diff in sorted(rows, key=lambda row: row[0].started)
    ]


def page(title: str, subtitle: str, rows: Sequence[TraceRow]) -> str:
    """The map as one HTML file that fetches nothing; all text from the compile is escaped."""
    import jinja2  # slow to import, and only needed here

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "html"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        finalize=lambda value: printable(value) if isinstance(value, str) else value,
    )
    environment.filters["lines"] = split_lines
    graphs = [
        (graph, list(passes))
        for graph, passes in groupby(rows, key=lambda row: row.graph)
    ]
    return environment.get_template("trace.html").render(
        title=title, subtitle=subtitle, graphs=graphs
    )


def _row(run: Pass, diff: str) -> TraceRow:
    return TraceRow(
        graph=run.key.label,
        phase=run.phase,
        name=run.name,
        ir=works_on.works_on if (works_on := phase(run.phase)) is not None else "",
        what=pass_description(run.name, run.summary),
        where=run.where or "",
        before=run.before,
        after=run.after,
        milliseconds=1000 * run.seconds,
        changed=run.changed,
        notes=tuple(_notes(run)),
        diff=diff,
    )


def _notes(run: Pass) -> Iterator[str]:
    for match in run.patterns:
        yield f"pattern {match.name}: matched {match.count}" + (
            f"  {match.where}" if match.where else ""
        )
    changes = [
        *(("-", *removed) for removed in run.removed.items()),
        *(("+", *added) for added in run.added.items()),
    ]
    if changes:
        yield "  ".join(
            f"{sign}{name}" + (f" x{times}" if times > 1 else "")
            for sign, name, times in changes
        )


def pass_description(name: str, own: str | None) -> str:
    """Our line for a well-known pass, otherwise what its docstring says."""
    return KNOWN.get(name) or KNOWN.get(name.rpartition(" / ")[2]) or own or ""
