"""The built-in probes, one per part of the compiler, in pipeline order, and the stages that each one feeds.

cache_key: the keys of torch's caches of compiled graphs: the parts of each key, or why there is none
collectives: collectives: those that a graph requests, those that are scheduled, and what is computed while they run
compile_cost: the cost of compiling, as work rather than time: calls of the functions that each phase consists of
cudagraphs: CUDA graphs: which parts of a graph are recorded, which inputs keep their address
dynamo: Dynamo: bytecode, guards and their tree, graph breaks, recompilations and the captured graph
eager_kernels: the user's Triton kernels that are launched outside the graphs
fusion: why two operations were not fused when torch gives no reason: a function that only says no, or a lower score
graph_phases: AOTAutograd and Inductor's graph phases: the graph at each boundary between them
kernel_cost: what a graph's kernels move and compute, and the memory that the graph holds, by Inductor's own numbers
lowering_decisions: decisions that are not passes': decompositions, the partitioner
memory: the memory that graphs hold: the size of each buffer, and what is saved for backward and why
output_code: code generation: each graph's module, who wrote its lines, and how its Triton kernels would be launched
passes: the pass ledger: every pass of every graph phase in the order they ran, and what each did to the graph
pipeline: the large steps between the passes: tracing, differentiation, lowering, code generation
scheduler: lowering and scheduling: Inductor's operations before fusion, the groups after it
scheduler_passes: the scheduler's part of the pass ledger: what it does to its list of nodes, step by step
specialisations: sizes that may vary: which symbols were made and why, the guards on them, and which became constants
"""

from __future__ import annotations

import sys

from pytest_compile_golden.facts.record import Record
from pytest_compile_golden.facts.schedules import REFUSALS
from pytest_compile_golden.observe.probe import BuiltIn


def _split_for_ranks(record: Record) -> bool:
    distributed = sys.modules["torch.distributed"]
    return bool(distributed.is_available() and distributed.is_initialized())


BUILT_IN: tuple[BuiltIn, ...] = (
    # Innermost: needs the key that DynamoGraphProbe sets.
    BuiltIn("pipeline:PipelineProbe"),
    BuiltIn("dynamo:BytecodeProbe", ("dynamo_bytecode",)),
    BuiltIn("dynamo:GuardsProbe", ("guards",)),
    BuiltIn("dynamo:GuardAuthorsProbe", ("guards",)),
    BuiltIn("dynamo:DroppedGuardsProbe", ("dropped_guards",)),
    BuiltIn("dynamo:GuardTreeProbe", ("guard_tree",)),
    BuiltIn("dynamo:GraphBreakProbe", ("graph_breaks",)),
    BuiltIn("dynamo:RecompileProbe", ("recompiles",)),
    BuiltIn("specialisations:SpecialisationsProbe", ("specialisations",)),
    BuiltIn(
        "dynamo:DynamoGraphProbe",
        ("dynamo_graph",),
        tells_apart=lambda record: "dynamo" in record.parts,
    ),
    BuiltIn("dynamo:SplitsProbe", ("dynamo_graph",), tells_apart=_split_for_ranks),
    BuiltIn("graph_phases:PreGradGraphProbe", ("pre_grad_graph",)),
    BuiltIn("lowering_decisions:DecompositionsProbe", ("trail",)),
    BuiltIn("graph_phases:AotGraphProbe", ("aot_graph", "trail")),
    BuiltIn("graph_phases:OtherBackendsProbe", ("aot_graph",)),
    BuiltIn("graph_phases:JointGraphProbe", ("joint_graph",)),
    BuiltIn("graph_phases:PartitionProbe", ("forward_graph", "backward_graph")),
    # Innermost: the probes above must see the direction that it sets.
    BuiltIn("graph_phases:PostGradGraphProbe", ("post_grad_graph",)),
    BuiltIn("passes:PassesProbe", ("passes", "pass_diffs")),
    BuiltIn("lowering_decisions:PartitionerProbe", ("passes",)),
    BuiltIn("lowering_decisions:CustomLoweringsProbe", ("passes",)),
    BuiltIn("lowering_decisions:LoweringsProbe", ("trail",)),
    BuiltIn("scheduler_passes:SchedulerPassesProbe", ("passes", "pass_diffs")),
    BuiltIn("scheduler:LoweredIrProbe", ("lowered_ir",)),
    BuiltIn("scheduler:SchedulerProbe", ("scheduler_nodes",)),
    BuiltIn("scheduler:RefusalsProbe", counts=False, feature=REFUSALS),
    BuiltIn("fusion:FusionProbe", counts=False, feature=REFUSALS),
    BuiltIn("scheduler:AutotuneProbe"),
    BuiltIn("scheduler:KernelNamesProbe"),
    BuiltIn(
        "output_code:OutputCodeProbe",
        ("wrapper_code", "triton_code", "cpp_code", "template_code"),
    ),
    BuiltIn("cudagraphs:CudaGraphsProbe", ("cudagraphs",)),
    BuiltIn("cache_key:CacheKeyProbe", ("cache_key",)),
    BuiltIn("output_code:AuthorsProbe", counts=False),
    BuiltIn("output_code:LaunchesProbe", ("trail",)),
    BuiltIn("eager_kernels:EagerKernelsProbe", ("eager_kernels",), counts=False),
    BuiltIn("memory:SavedProbe", ("cost", "memory")),
    BuiltIn("memory:MemoryProbe", ("memory",)),
    BuiltIn("kernel_cost:CostProbe", ("cost", "memory")),
    BuiltIn("collectives:CollectivesProbe", ("collectives",)),
    BuiltIn("collectives:EagerCollectivesProbe", ("collectives",)),
    BuiltIn(
        "graph_phases:DirectionProbe",
        ("joint_graph",),
        tells_apart=lambda record: record.training,
    ),
    # Outermost: what the other probes do during a phase is not part of it.
    BuiltIn("compile_cost:CompileCostProbe", ("compile_cost",)),
)
