"""What to call the first divergence of a changed case: out of the stages, the ledger of passes and the trail."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_compile_golden.golden import ledger, trail
from pytest_compile_golden.golden.compare import Change, first_divergence, in_pipeline_order

# Phases and stages as the compiler runs them. Guards and bytecode are finished when everything else is, and kernels are
# written before the code that calls them. Where a phase has both passes and a graph, the pass says more.
_ORDER = (
    "graph_breaks",
    "recompiles",
    "dynamo_graph",
    "pre_grad",
    "pre_grad_graph",
    "aot",
    "aot_graph",
    "joint",
    "joint_graph",
    "partition",
    "forward_graph",
    "backward_graph",
    "freezing",
    "post_grad",
    "post_grad_graph",
    "lowering",
    "lowered_ir",
    "scheduler",
    "scheduler_nodes",
    "triton_code",
    "cpp_code",
    "wrapper_code",
    "launch",
)
# What they say is said by the phases in them.
_COLLECTIONS = ("passes", "trail")


@dataclass(frozen=True)
class Cause:
    """The first divergence."""

    phase: str
    """The phase whose pass or decision it is, or the stage."""
    text: str
    """`post_grad / remove_noop_ops: 18 -> 14, now nothing`, or a stage."""
    where: str | None
    """File and line in the installed torch, or the user's file."""
    change: Change
    """The change that shows it."""


def cause(changes: Sequence[Change]) -> Cause | None:
    """Of everything that says that something changed, what is earliest in the pipeline; None where nothing fails."""
    first = first_divergence(changes)
    if first is None:
        return None
    return min(_candidates(changes), key=_rank, default=Cause(first.stage, named(first), None, first))


def named(change: Change) -> str:
    """A stage, and how deep its change goes."""
    if change.kind == "absent":
        return f"{change.stage} (gone: this compile has none)"
    # `post_grad_graph (graph)` would say it twice.
    return f"{change.stage} ({change.depth})" if change.depth not in change.stage else change.stage


def _candidates(changes: Sequence[Change]) -> Iterator[Cause]:
    """Everything that changed; of what is said twice, a stage's own golden before its digest in the trail."""
    for change in in_pipeline_order(changes):
        if change.stage not in _COLLECTIONS:
            if change.kind in ("structural", "absent"):
                yield Cause(change.stage, named(change), None, change)
        # What does not count by itself, such as an order of nodes, may be the cause of what does.
        elif change.kind in ("structural", "cosmetic") and change.stage == "passes":
            found = ledger.divergence(change.golden_text, change.actual_text)
            if found is not None:
                yield Cause(found.phase, found.text, found.where, change)
        elif change.kind in ("structural", "cosmetic"):
            for found in trail.divergences(change.golden_text, change.actual_text):
                yield Cause(found.phase, found.text, found.where, change)


def _rank(each: Cause) -> int:
    return _ORDER.index(each.phase) if each.phase in _ORDER else len(_ORDER)
