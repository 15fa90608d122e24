"""The pipeline: its phases and stages in compiler order, in one table. Imports no torch.

Everything that has an order takes it from here: the checks of a case, reports, the first divergence, the trail. A
custom stage is one more row, from `register_stage` or an entry point in the group `pytest_compile_golden.stages`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pytest_compile_golden.common.name_matching import unknown
from pytest_compile_golden.errors import UnknownName
from pytest_compile_golden.extensions import Registry

if TYPE_CHECKING:
    from pytest_compile_golden.facts.record import Record
    from pytest_compile_golden.formats.artifact import Artifact
    from pytest_compile_golden.formats.format import Format

ENTRY_POINTS = "pytest_compile_golden.stages"


@dataclass(frozen=True)
class Phase:
    """A part of the compiler that passes run in, under its name in the ledger and the trail."""

    name: str
    works_on: str = ""
    """The input and output of its passes, in a few words."""
    passes: bool = True
    """Whether the ledger lists passes that run in it; the next stage shows their result."""


Part = Literal["", "export", "dynamo", "aot", "inductor", "aot_inductor"]
GraphStage = Literal[
    "dynamo_graph",
    "pre_grad_graph",
    "aot_graph",
    "joint_graph",
    "forward_graph",
    "backward_graph",
    "post_grad_graph",
]
"""For type checkers, which cannot read the table: the stages whose artifact is a `GraphArtifact`."""


@dataclass(frozen=True)
class Stage:
    """A named point in the pipeline with an output.

    Its fixture, its golden files and the entries that probes record for it share its name.
    """

    name: str
    summary: str
    """What it holds, in a few words."""
    kind: str | Format = "plain"
    """The format of its text: the name of a built-in format, or one of your own."""
    extension: str = "txt"
    """The golden's file type without a dot: `py`, `txt`, `toml`, `cpp`."""
    make: Callable[[Record], Artifact | None] | None = None
    """Makes the artifact from a record, or None if the compile has no such stage; by default its format does."""
    default: bool = False
    """Whether `assert capture == golden` checks it."""
    devices: frozenset[str] = frozenset({"cpu", "cuda"})
    """Device types that can have this stage."""
    vendor: str = ""
    """The only vendor whose GPUs can have it, as targets name their vendor: `NVIDIA`, `AMD`."""
    training_only: bool = False
    part: Part = ""
    """The part of torch that makes it, if some captures do not use that part; otherwise empty."""
    after: str | None = None
    """The stage or phase that a stage of your own comes right after; by default it comes last."""
    digested: bool = False
    """Whether the trail has a digest of it."""
    spans: bool = False
    """Whether it covers steps of the whole pipeline: its entries belong to the phases that they name."""
    compiles: bool = False
    """Whether it needs kernels to be compiled, which happens when the stage is first requested."""
    costly: bool = False
    """Whether it is so expensive to record that a capture does so only if asked in advance (`watch=`)."""

    @property
    def format(self) -> Format:
        """The format of its text, imported when it is first asked for."""
        if not isinstance(self.kind, str):
            return self.kind
        from pytest_compile_golden.formats import get_format

        return get_format(self.kind)

    @property
    def comment(self) -> str:
        """What starts a comment line in this file type."""
        return "//" if self.extension == "cpp" else "#"

    def render(self, record: Record) -> Artifact | None:
        """Its artifact for a compile; None if there is none (no joint graph in inference, no C++ on a GPU)."""
        if self.part and self.part not in record.parts:
            return None
        return (
            self.format.render(record, self.name)
            if self.make is None
            else self.make(record)
        )

    def exists_on(self, device_type: str, vendor: str) -> bool:
        """Whether targets of that device type and vendor can have it."""
        return device_type in self.devices and self.vendor in ("", vendor)

    def without_part(self, record: Record) -> str:
        """Why a compile lacks this stage, in words, if it did not use the part of torch that makes it; else empty."""
        if not self.part or self.part in record.parts:
            return ""
        if self.part == "inductor":
            return f"Inductor makes it, and the backend is {record.backend!r}"
        if self.part == "aot":
            return f"AOTAutograd makes it, and the backend {record.backend!r} does not use that"
        if self.part == "dynamo":
            return "Dynamo makes it, and torch.export has traced the program"
        return f"it only exists with {'export=True' if self.part == 'export' else 'backend=' + repr(self.part)}"


def _graph(
    name: GraphStage,
    summary: str,
    *,
    training_only: bool = False,
    default: bool = False,
    part: Part = "inductor",
) -> Stage:
    kind = "forward_graph" if name == "forward_graph" else "graph"
    return Stage(
        name,
        summary,
        kind,
        "py",
        training_only=training_only,
        default=default,
        digested=True,
        part=part,
    )


def _dynamo(name: str, summary: str, kind: str = "", *, default: bool = False) -> Stage:
    return Stage(name, summary, kind or name, default=default, part="dynamo")


def _inductor(
    name: str, summary: str, kind: str, extension: str = "txt", **others: Any
) -> Stage:
    return Stage(name, summary, kind, extension, part="inductor", **others)


_CPU, _GPU = frozenset({"cpu"}), frozenset({"cuda"})


def _compiled(
    name: str,
    summary: str,
    kind: str = "",
    devices: frozenset[str] = _GPU,
    vendor: str = "",
) -> Stage:
    row = (name, summary, kind or name)
    return _inductor(*row, devices=devices, compiles=True, vendor=vendor)


def _trail(record: Record) -> Artifact | None:
    from pytest_compile_golden.formats.trail.from_record import render

    return render(record, "trail", _trail_rows())


def _metrics(record: Record) -> Artifact | None:
    from pytest_compile_golden.formats.metrics import render

    return render(
        record,
        "metrics",
        [stage.name for stage in stages() if stage.without_part(record)],
    )


def _decisions(record: Record) -> Artifact | None:
    return decisions_of([("", record)])


def decisions_of(compiles: Iterable[tuple[str, Record]]) -> Artifact | None:
    """The stage `decisions` for several compiles, each with its name; None if nothing is known about them."""
    from pytest_compile_golden.formats.decisions import FORMATS, combined

    def artifacts(record: Record) -> list[Artifact]:
        rendered = (
            get_stage(name).render(record)
            for name in FORMATS
            if name not in record.unavailable
        )
        return [artifact for artifact in rendered if artifact is not None]

    return combined([(name, artifacts(record)) for name, record in compiles])


def without_compiled_kernels(record: Record, reason: str) -> None:
    """Make every stage that needs compiled kernels unavailable in a record."""
    compiled_for = [
        stage.name
        for stage in stages()
        if stage.compiles and record.device_type in stage.devices
    ]
    record.unavailable.update(dict.fromkeys(compiled_for, reason))


PipelineStep = Phase | Stage

_BUILT_IN: tuple[PipelineStep, ...] = (
    Stage(
        "exported_graph",
        "the program as exported by torch.export",
        "exported",
        "py",
        part="export",
    ),
    Phase("dynamo", "bytecode -> FX, torch calls", passes=False),
    _dynamo("graph_breaks", "each graph break with its reason"),
    _dynamo("recompiles", "each recompilation with its reason"),
    _graph("dynamo_graph", "the graph Dynamo captured", part="dynamo"),
    Phase("pre_grad", "FX, torch calls"),
    _graph("pre_grad_graph", "after the pre-grad passes"),
    Phase("aot", "FX, torch calls -> ATen", passes=False),
    _graph(
        "aot_graph", "as AOTAutograd traced it, functional and decomposed", part="aot"
    ),
    Phase("joint", "FX, ATen, both directions"),
    _graph(
        "joint_graph",
        "forward and backward after the joint-graph passes",
        training_only=True,
    ),
    Phase("partition", "FX, ATen -> one each"),
    _graph(
        "forward_graph",
        "the partitioner's forward graph, and what it saves",
        training_only=True,
    ),
    _graph("backward_graph", "the partitioner's backward graph", training_only=True),
    Phase("freezing", "FX, ATen, frozen"),
    Phase("post_grad", "FX, ATen, functional"),
    _graph(
        "post_grad_graph",
        "after the post-grad passes: what Inductor lowers",
        default=True,
    ),
    _inductor(
        "passes",
        "what passes did, in the order they ran",
        "ledger",
        default=True,
        spans=True,
    ),
    _inductor(
        "pass_diffs",
        "the graph before and after each pass",
        "pass_diffs",
        "diff",
        spans=True,
    ),
    Phase("lowering", "FX -> Inductor IR"),
    # Scheduler steps after which lowered_ir is recorded.
    Phase("pre_fusion", "groups of Inductor IR"),
    _inductor("lowered_ir", "Inductor IR before fusion", "operations", digested=True),
    Phase("scheduler", "groups of Inductor IR"),
    _inductor(
        "scheduler_nodes",
        "the scheduler's groups after fusion",
        "groups",
        default=True,
        digested=True,
    ),
    _inductor(
        "collectives",
        "collectives and the computation that overlaps them",
        "collectives",
        default=True,
    ),
    Phase("codegen", "groups -> code", passes=False),
    # Kernels are written before the code that calls them.
    _inductor(
        "triton_code",
        "each Triton kernel's source",
        "triton",
        "py",
        default=True,
        devices=_GPU,
    ),
    _inductor(
        "cpp_code", "each C++ kernel's source", "cpp", "cpp", default=True, devices=_CPU
    ),
    _inductor(
        "template_code",
        "templates' kernels in other languages",
        "templates",
        "py",
        default=True,
        devices=_GPU,
    ),
    _inductor(
        "wrapper_code",
        "allocations, reuse, launches, extern calls",
        "wrapper",
        "py",
        digested=True,
    ),
    Stage(
        "aot_wrapper",
        "AOTInductor's C++ class around the calls",
        "aot_wrapper",
        "cpp",
        part="aot_inductor",
    ),
    Stage(
        "aot_package",
        "inputs, outputs, constants, files of the package",
        "aot_package",
        part="aot_inductor",
    ),
    _inductor("cost", "bytes, operations and minimum time of each kernel", "cost"),
    _inductor(
        "memory",
        "what each graph holds while it runs, and what is saved for backward and why",
        "memory",
    ),
    _inductor(
        "cudagraphs",
        "what is recorded as CUDA graphs, what is not and why",
        "cudagraphs",
        devices=_GPU,
    ),
    _inductor(
        "cache_key",
        "whether torch's caches can store it, and what their keys consist of",
        "cache_key",
        costly=True,
    ),
    Phase("launch", passes=False),
    Stage(
        "eager_kernels",
        "the user's kernels that are launched outside the graphs",
        "plain",
        devices=_GPU,
        default=True,
    ),
    # Triton compiles kernels when they are first launched, the C++ compiler before that.
    _compiled("ttir", "each Triton kernel in Triton's IR, for any GPU"),
    _compiled("ttgir", "in Triton's IR with the layouts for the target's threads"),
    _compiled("llir", "in LLVM IR"),
    _compiled("ptx", "in PTX, on NVIDIA GPUs", vendor="NVIDIA"),
    _compiled("sass", "in the machine code of NVIDIA GPUs", vendor="NVIDIA"),
    _compiled("amdgcn", "in the machine code of AMD GPUs", vendor="AMD"),
    _compiled("assembly", "each C++ kernel in the target's assembly", devices=_CPU),
    _compiled(
        "kernel_resources",
        "registers, spills, memory, instructions by kind",
        "resources",
        _CPU | _GPU,
    ),
    # Complete only once everything else is: they name what was compiled.
    _dynamo("dynamo_bytecode", "original and transformed bytecode", "bytecode"),
    _dynamo(
        "specialisations",
        "sizes that may vary, their constraints, and sizes that became constant",
        default=True,
    ),
    _dynamo("guards", "the guards Dynamo installed"),
    _dynamo(
        "guard_tree",
        "each guard's kind and depth, whether it runs Python, and who asked for it",
    ),
    _dynamo(
        "dropped_guards",
        "the guards that a filter left out, as ahead-of-time compiles do",
        "guards",
    ),
    Stage(
        "compile_cost",
        "the work of each phase of the compiler, in calls",
        "compile_cost",
        costly=True,
    ),
    _inductor(
        "trail",
        "what each step decided, in short",
        "trail",
        "jsonl",
        make=_trail,
        default=True,
        spans=True,
    ),
    Stage(
        "metrics",
        "metrics: kernels, bytes, memory, guards",
        "metrics",
        "toml",
        make=_metrics,
        default=True,
    ),
    Stage(
        "decisions",
        "passes, groups, graph breaks and metrics in one text",
        "decisions",
        make=_decisions,
    ),
)

_BUILT_IN_BY_NAME = {row.name: row for row in _BUILT_IN}

_rows: Registry[PipelineStep] = Registry(
    "stage",
    group=ENTRY_POINTS,
    fits=lambda item: isinstance(item, Stage),
    name=lambda row: row.name,
    built_in=lambda: _BUILT_IN,
    after=lambda row: row.after if isinstance(row, Stage) else None,
)


def register_stage(stage: Stage) -> None:
    """Add `stage` to the pipeline, in the position that its `after` gives, or at the end.

    Raises CompileGoldenError if the name is taken or `after` does not exist.
    """
    _rows.add(stage)


def unregister_stage(name: str) -> None:
    """Remove the registered stage `name` from the pipeline, if there is one."""
    _rows.remove(name)


def stages() -> tuple[Stage, ...]:
    """All stages in pipeline order."""
    return tuple(row for row in _rows.all().values() if isinstance(row, Stage))


def stage_names() -> tuple[str, ...]:
    """The names of all stages, without loading those of installed packages."""
    phases = {row.name for row in _BUILT_IN if isinstance(row, Phase)}
    return tuple(name for name in _rows.declared() if name not in phases)


def get_stage(name: str) -> Stage:
    """The stage called `name`. Raises UnknownName, which lists the others, if there is none."""
    row = _rows.get(name)
    if not isinstance(row, Stage):
        raise UnknownName(unknown("stage", name, (stage.name for stage in stages())))
    return row


def costly_stages() -> tuple[str, ...]:
    """The names of the stages that have to be requested before a compile, in pipeline order."""
    return tuple(stage.name for stage in stages() if stage.costly)


def stage_of(name: str, extension: str) -> Stage:
    """The stage called `name`; a stand-in for one registered in a conftest.py, which commands do not load.

    For numbers the stand-in is as good as the stage. For any other text it only knows that identical texts are the same
    behaviour: at worst, an unnecessary overlay is kept.
    """
    row = _rows.get(name)
    if isinstance(row, Stage):
        return row
    from pytest_compile_golden.formats.format import UNKNOWN

    return Stage(name, name, "metrics" if extension == "toml" else UNKNOWN, extension)


def is_built_in(name: str) -> bool:
    """Whether a stage is one of this package, about which nothing else says anything."""
    return name in _BUILT_IN_BY_NAME and _rows.get(name) is _BUILT_IN_BY_NAME[name]


def phase(name: str) -> Phase | None:
    """The phase called `name`, if the pipeline has one."""
    row = _rows.get(name)
    return row if isinstance(row, Phase) else None


def rank(name: str) -> int:
    """The position of a stage or a phase in the pipeline; unknown ones come last."""
    names = list(_rows.all())
    return names.index(name) if name in names else len(names)


def stage_made_by(name: str) -> str:
    """The stage whose text a phase's passes produce: the next one. A stage, or a phase without passes, is its own."""
    rows = list(_rows.all().values())[rank(name) :]
    if not rows or (isinstance(rows[0], Phase) and not rows[0].passes):
        return name
    return next((row.name for row in rows if isinstance(row, Stage)), name)


def _trail_rows() -> list[Stage | str]:
    from pytest_compile_golden.formats.trail.compare import LISTS

    return [
        row if isinstance(row, Stage) and row.digested else row.name
        for row in _rows.all().values()
        if row.name in LISTS or (isinstance(row, Stage) and row.digested)
    ]
