"""The text formats of stages: each writes, reads and compares one kind of text. Imports no torch.

A format is imported on first use, so the table of stages can name all of them at no cost.

align_texts: evens out cosmetic differences between two texts, so that a diff of them shows only significant changes
arithmetic: arithmetic of indices and sizes in the one spelling that all its spellings share
artifact: a stage's output for one case: normalised text, and facts about it for plain asserts, which explain themselves
authors: which functions wrote which lines of generated code
canonical_text: plain text, short names of operators, and helpers shared by the canonical forms of all formats
collectives: the collectives of each graph and of the hooks around them, in starting order, and what they overlap with
costs: what a program costs: its kernels on their target, and its compile, phase by phase, in calls rather than time
cpp_kernels: C++ kernels: a stream of tokens with local names numbered by declaration
cpp_wrapper: takes apart the C++ that Inductor writes with `cpp_wrapper` (torch/_inductor/codegen/cpp_wrapper_cpu.py)
decisions: what the compiler decided, in one text: what a few stages say of one compile, or of several
dynamo: Dynamo's stages as text: bytecode, guards, graph breaks and recompilations; and how guards changed
evidence: what is known about an artifact but not printed: one fact a line, for machines, tied to the text by its digest
exported: programs made by torch.export: signature, sizes that may vary, and graph; and what AOTInductor makes of them
expression_edits: how one value became another: the operation that changed, without its operands
expression_text: the expression of a value, written as an engineer would
expressions: values by how they are computed: each name is replaced by its value
format: a kind of text: how it is written, read back and compared. Custom formats subclass `Format`
graph_breaks: where Dynamo stops: graph breaks and recompilations, by reason and line of the program
graph_choices: what torch decided about graphs apart from what they compute: a line per decision, with its reason
graphs/: FX graphs: text that reads like Python, with one function per graph
guard_tree: the cost of guards: a line per guard with its kind and depth, and a mark if it runs Python
inductor_module: takes apart the module that Inductor writes for a graph: its kernels, and the calls that run them
inductor_names: what kind of name a name is, of those that Inductor makes up in kernels (torch/_inductor/codegen)
kernel_metadata: the decorator of a Triton kernel: what it tells the launcher, without entries that have no effect
known_names: names that an assert may ask for although a compile has none of them; others are mistakes
line_edits: changes of a text about which no more is known than its lines; in words if a line is a statement
machine_code/: what compilers print for each kernel: Triton's IRs, LLVM IR, PTX and machine code; for C++, assembly
memory/: the memory that graphs hold while they run, and what is saved for backward: one line per step or value
metrics/: the metrics of one capture, in TOML
op_counts: the contents of a text, counted by kind, to describe how a step without a golden of its own differs
outline: outlines: items with details under them. A template says how the lines of one kind look
pass_diffs: what each pass changed: its graph before and after, as one diff with the whole graph for context
pass_log/: the pass log: every pass of every phase in the order it ran, and what it did
resources: the device resources that each compiled kernel takes (registers, spills, memory)
schedules/: Inductor's operations before fusion, and the scheduler's groups after it: the artifacts, and their format
statement_edits: how generated code changed: kernels added and removed
statements: Python as logical lines of tokens, and as a dataflow graph, without names or needless order
template_kernels: kernels in other languages than Triton and C++, in which templates are written
trail/: the trail: what each step of a compile made and decided, as facts in the evidence beside the goldens
triton/: Triton kernels, as Inductor wrote them
wrapper: wrapper code: the sequence of allocations, reuses, launches and extern calls
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from pytest_compile_golden.errors import CompileGoldenError
from pytest_compile_golden.formats.artifact import Artifact
from pytest_compile_golden.formats.format import Format

__all__ = ["Artifact", "Format", "get_format", "name_of"]

_BUILT_IN = {
    "plain": "format:PLAIN",
    "bytecode": "dynamo:BYTECODE",
    "guards": "dynamo:GUARDS",
    "guard_tree": "guard_tree:GUARD_TREE",
    "graph_breaks": "dynamo:GRAPH_BREAKS",
    "recompiles": "dynamo:RECOMPILES",
    "specialisations": "graph_choices:SPECIALISATIONS",
    "cudagraphs": "graph_choices:CUDAGRAPHS",
    "cache_key": "graph_choices:CACHE_KEY",
    "exported": "exported:EXPORTED",
    "graph": "graphs:GRAPH",
    "forward_graph": "graphs:FORWARD_GRAPH",
    "ledger": "pass_log:LEDGER",
    "pass_diffs": "pass_diffs:PASS_DIFFS",
    "operations": "schedules:OPERATIONS",
    "groups": "schedules:GROUPS",
    "wrapper": "wrapper:WRAPPER",
    "aot_wrapper": "exported:AOT_WRAPPER",
    "aot_package": "exported:AOT_PACKAGE",
    "triton": "triton:TRITON",
    "cpp": "cpp_kernels:CPP",
    "templates": "template_kernels:TEMPLATES",
    "collectives": "collectives:COLLECTIVES",
    "ttir": "machine_code:TTIR",
    "ttgir": "machine_code:TTGIR",
    "llir": "machine_code:LLIR",
    "ptx": "machine_code:PTX",
    "sass": "machine_code:SASS",
    "amdgcn": "machine_code:AMDGCN",
    "assembly": "machine_code:ASSEMBLY",
    "resources": "resources:RESOURCES",
    "cost": "costs:COST",
    "memory": "memory:MEMORY",
    "compile_cost": "costs:COMPILE_COST",
    "trail": "trail:TRAIL",
    "decisions": "decisions:DECISIONS_FORMAT",
    "metrics": "metrics:METRICS_FORMAT",
}
"""Where each format is defined: `module:NAME` in this package."""


@cache
def get_format(name: str) -> Format:
    """The built-in format called `name`. Raises CompileGoldenError, listing the formats, if there is none."""
    if name not in _BUILT_IN:
        raise CompileGoldenError(
            f"no format {name!r}; the formats are: {', '.join(_BUILT_IN)}."
        )
    module, _, attribute = _BUILT_IN[name].partition(":")
    form: Format = getattr(import_module(f"{__name__}.{module}"), attribute)
    _NAMES[form] = name
    return form


_NAMES: dict[Format, str] = {}


def name_of(form: Format) -> str | None:
    """What a built-in format is called; None for one of another package."""
    return _NAMES.get(form)
